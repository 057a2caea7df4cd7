"""Small facts in words: ages, sizes, counts, origins. Pure: the clock is an argument."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memoranda.views.terminal import to_json

if TYPE_CHECKING:
    from memoranda.model.record import Record

_PLAIN = re.compile(r"[A-Za-z0-9_.,:@/+%-]+")
_DAY = 86400
_STEPS = (
    (60, "minute"),
    (3600, "hour"),
    (_DAY, "day"),
    (7 * _DAY, "week"),
    (30.44 * _DAY, "month"),
    (365.25 * _DAY, "year"),
)


def moment(text: str) -> datetime | None:
    """A UTC ISO time as it stands in a file, None when it is empty or odd."""
    try:
        value = datetime.fromisoformat(text)
    except ValueError:
        return None
    return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


def age(text: str, now: datetime) -> str:
    """How long ago: "just now", "5 minutes ago", "3 weeks ago"; "" when the time is unknown."""
    value = moment(text)
    if value is None:
        return ""
    seconds = (now - value).total_seconds()
    if seconds < 60:
        return "just now"
    size, unit = next(((s, u) for s, u in reversed(_STEPS) if seconds >= 2 * s or (s == 60 and seconds >= 60)))
    return f"{count(int(seconds // size), unit)} ago"


def day(text: str) -> str:
    """The date of a time, "no date" when it is unknown."""
    value = moment(text)
    return value.strftime("%Y-%m-%d") if value else "no date"


def minute(text: str) -> str:
    """Date and minute of a time in UTC, "no date" when it is unknown."""
    value = moment(text)
    return value.strftime("%Y-%m-%d %H:%M") if value else "no date"


def count(n: int, noun: str, nouns: str = "") -> str:
    """ "1 turn", "1,240 turns"."""
    return f"{n:,} {noun if n == 1 else nouns or noun + 's'}"


def size(n: float) -> str:
    """Bytes for people: "612 B", "4.3 MB"."""
    for unit in ("B", "kB", "MB", "GB"):
        if n < 1000 or unit == "GB":
            return f"{n:.0f} {unit}" if unit == "B" or n >= 100 else f"{n:.1f} {unit}"
        n /= 1000
    return ""


def span(seconds: float) -> str:
    """A duration: "8 s", "3 min", "2 h 05 min"."""
    whole = round(seconds)
    if whole < 90:
        return f"{whole} s"
    if whole < 5400:
        return f"{round(whole / 60)} min"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def word(text: str) -> str:
    """A value on a line of `key=value` pairs: as it is when it is one plain word, else as a JSON string, so that no
    value can pass for another key."""
    return text if _PLAIN.fullmatch(text) else to_json(text)


def origin(record: Record) -> str:
    """Through which door a record came, from whom, and what it says of its source."""
    channel = record.channel.value.replace("_", " ")
    who = f" by {record.principal}" if record.principal else ""
    return f"{channel}{who}" + (f" ({record.source})" if record.source else "")
