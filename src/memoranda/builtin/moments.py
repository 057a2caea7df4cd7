"""Times and working folders as both index backends read and compare them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Sequence

from memoranda.model.errors import Invalid
from memoranda.model.query import Filters

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def millis(ts: str) -> int | None:
    """A UTC ISO time (or day) as milliseconds since 1970; None for "" or what is no time."""
    if not ts:
        return None
    try:
        moment = datetime.fromisoformat(ts)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // _MILLISECOND


@lru_cache(4096)
def iso(ts: int | None) -> str:
    """The inverse of `millis`; fractions only when there are any."""
    if ts is None:
        return ""
    moment = _EPOCH + ts * _MILLISECOND
    return moment.isoformat(timespec="milliseconds" if ts % 1000 else "seconds")[:-6] + "Z"


def bounds(filters: Filters) -> tuple[int, int] | None:
    """The span of time a filter allows, in milliseconds, both ends inclusive; a bare day counts to its end.

    Raises `Invalid` for what is no time.
    """
    if filters.since is None and filters.until is None:
        return None
    ends = []
    for text, default in ((filters.since, -(2**60)), (filters.until, 2**60)):
        value = default if text is None else millis(text)
        if value is None:
            raise Invalid(f"{text!r} is not a time", "write 2026-07-02 or 2026-07-02T16:40:00Z")
        ends.append(value)
    if filters.until is not None:
        ends[1] += 86_400_000 - 1 if len(filters.until) == 10 else 999 if "." not in filters.until else 0
    return ends[0], ends[1]


def in_repo(folder: str, repos: Sequence[str]) -> bool:
    """Whether a working folder belongs to one of the repositories: it is one, lies beneath one, or bears the name."""
    if not folder:
        return False
    return any(
        folder == repo or folder.startswith(repo.rstrip("/") + "/") or folder.rpartition("/")[2] == repo
        for repo in repos
    )
