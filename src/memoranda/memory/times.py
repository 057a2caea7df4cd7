"""Times as callers give them, and the clock: UTC ISO with seconds, "YYYY-MM-DDTHH:MM:SSZ"."""

from __future__ import annotations

from datetime import UTC, datetime

from memoranda.model.errors import Invalid

_FORM = "%Y-%m-%dT%H:%M:%SZ"


def now() -> str:
    return datetime.now(UTC).strftime(_FORM)


def moment(text: str, name: str, *, end: bool = False) -> str:
    """A day or an instant; a day means its first second, or its last with `end`. Raises `Invalid`."""
    found = instant(text, end=end)
    if found is None:
        raise Invalid(f"what {name} says is no date", "write 2026-07-02 or 2026-07-02T16:40:00Z")
    return found


def instant(text: str, *, end: bool = False) -> str | None:
    """The same, None for what is no time."""
    try:
        value = datetime.fromisoformat(text)
        if len(text) == 10 and end:
            value = value.replace(hour=23, minute=59, second=59)
        value = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return value.strftime(_FORM)


def stretch(since: str | None, until: str | None) -> tuple[str | None, str | None]:
    """Both ends of a stretch of time as moments, days inclusive. Raises `Invalid`, also for an end before its start."""
    first = moment(since, "since") if since else None
    last = moment(until, "until", end=True) if until else None
    if first and last and last < first:
        raise Invalid(f"nothing lies after {first} and before {last}", "swap since and until")
    return first, last
