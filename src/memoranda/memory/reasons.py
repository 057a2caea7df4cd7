"""A reason in somebody's own words is written into an event as it is, so it is screened like a record."""

from __future__ import annotations

from typing import Callable, Sequence

from memoranda.model.errors import Invalid
from memoranda.ports import Screener
from memoranda.screen.look import look

MOST_CHARACTERS = 1_000


def screened(reason: str, screeners: Callable[[], Sequence[Screener]]) -> str:
    """The reason. Raises `Invalid`, without repeating it, when a credential stands in it or it is no reason but a
    document; `Unavailable` when a screener fails."""
    if len(reason) > MOST_CHARACTERS:
        raise Invalid(f"a reason has at most {MOST_CHARACTERS:,} characters", "say it in a sentence")
    if reason:
        found = [finding for finding in look(reason, screeners(), thorough=True) if finding.layer == "credentials"]
        if found:
            raise Invalid(f"the reason holds a credential ({found[0].rule}); nothing was changed", "say it without it")
    return reason
