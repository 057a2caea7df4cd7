"""pi has no hooks but extensions; ours says in one word what happened. Written from version 1.6.0."""

from __future__ import annotations

from typing import Mapping

from memoranda.ports.hooks import Moment
from memoranda_agents.dialect import Dialect
from memoranda_agents.headless import Signs

#: Its events in our words. The system prompt is made for each run, so core is said at each.
MOMENTS: Mapping[str, Moment] = {"system": "start", "prompt": "prompt", "settled": "stop"}


def make() -> Dialect:
    """The dialect, for the entry point. The extension itself says whether a person is there."""
    return Dialect(
        moments=MOMENTS,
        speaks=frozenset({"system", "prompt"}),
        signs=Signs(()),
        form="additionalContext",
    )
