"""Times as people give them, as the UTC strings that filters take. Pure: the clock is an argument."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from memoranda.model.errors import Invalid

_AGO = re.compile(r"([0-9]{1,5})\s*(m|h|d|w|y|min|minutes?|hours?|days?|weeks?|years?)(?:\s+ago)?", re.IGNORECASE)
_UNITS = {"m": 60, "h": 3600, "d": 86400, "w": 7 * 86400, "y": 365 * 86400}
_HINT = "use 2026-07-01, 2026-07-01T09:30:00Z, 12h, 7d or 3w"


def as_of(text: str | None, now: datetime) -> str | None:
    """A point of a memory's past: an age becomes a time; a time and the name of a commit stay as they are."""
    return when(text, now) if text and _AGO.fullmatch(text.strip()) else text


def when(text: str, now: datetime, end: bool = False) -> str:
    """`text` as "YYYY-MM-DDTHH:MM:SSZ". A bare date is its first second, or its last with `end`; a time without a
    zone is UTC. Raises `Invalid`."""
    text = text.strip()
    match = _AGO.fullmatch(text)
    try:
        if match:
            value = now - timedelta(seconds=int(match[1]) * _UNITS[match[2][0].lower()])
        else:
            value = datetime.fromisoformat(text)
            if end and len(text) == 10:
                value = value.replace(hour=23, minute=59, second=59)
            value = value.astimezone(UTC) if value.tzinfo else value
    except (ValueError, OverflowError):
        raise Invalid(f"{text[:40]!r} is not a time", _HINT) from None
    return value.strftime("%Y-%m-%dT%H:%M:%SZ")
