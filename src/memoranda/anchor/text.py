"""The text of a file as anchors read it, and where an anchored text stands in it (docs/format.md, "Anchors").

Line ends are read as \\n, so a checkout with CRLF holds the same anchor. Bytes that are not UTF-8, or that hold a NUL,
are no text and have no lines. Lines are counted from 1, ranges hold both their ends.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Sequence

if TYPE_CHECKING:
    from difflib import SequenceMatcher

#: A search hashes every window of the file; at most this many bytes altogether (about 60 ms), else it is not made.
SEARCH_BYTES = 32 * 1024 * 1024
#: Two versions of a file are compared line by line up to this many lines each.
COMPARED_LINES = 20_000
#: White space aside, a text shorter than this may stand in two places by chance, so that finding it once says little.
#: Measured: docs/decisions/0008-anchors-that-move.md.
DISTINCT = 24

#: What took the place of a text is named as that when at least so much of it is the same (`alike`). Measured, as above.
ALIKE = 0.6

Range = tuple[int, int]
_words = re.compile(r"\w+|[^\w\s]").findall


def sha(data: bytes) -> str:
    """A fingerprint: SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


@lru_cache(maxsize=8)
def text_of(data: bytes) -> str | None:
    """The file's text with line ends read as \\n, None when it is not text. Of the last few files this is kept."""
    if b"\0" in data:
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n")


@lru_cache(maxsize=8)
def lines_of(text: str) -> Sequence[str]:
    """Its lines, without their ends; a final newline ends the last line, it does not begin another."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines


def joined(lines: Sequence[str]) -> bytes:
    """What is hashed of a range of lines."""
    return ("\n".join(lines) + "\n").encode()


def cut(lines: Sequence[str], place: Range) -> Sequence[str]:
    """The lines of a range."""
    return lines[place[0] - 1 : place[1]]


def distinct(lines: Sequence[str]) -> bool:
    """Whether a text is long enough that the same words elsewhere are the same text, and no chance."""
    return sum(len("".join(line.split())) for line in lines) >= DISTINCT


def windows(lines: Sequence[str], count: int, sha256: str) -> list[Range]:
    """Every range of `count` lines with that fingerprint; none when looking would cost too much."""
    encoded = [line.encode() + b"\n" for line in lines]
    if sum(map(len, encoded)) * count > SEARCH_BYTES:
        return []
    starts = range(len(encoded) - count + 1)
    return [(at + 1, at + count) for at in starts if sha(b"".join(encoded[at : at + count])) == sha256]


def shifted(now: Sequence[str], then: Sequence[str] | None, place: Range, sha256: str) -> Range | None:
    """Where the lines with that fingerprint stand now, None when they stand nowhere or it cannot be said.

    `then` is the whole file as it was when they stood at `place`, None when nobody knows: then they must stand in it
    once, and be too long to do so by chance. With it, the two files are compared, so that of several pieces that read
    the same the right one is followed.
    """
    count = place[1] - place[0] + 1
    found = windows(now, count, sha256)
    if not found:
        return None
    once = len(found) == 1 and distinct(cut(now, found[0]))
    if then is None or sha(joined(cut(then, place))) != sha256:
        return found[0] if once else None
    before = windows(then, count, sha256)
    if len(found) < len(before):  # one of them was changed, and nobody can say for certain which
        return None
    carried = _carried(then, now, place)
    if carried in found:
        return carried
    return found[0] if once and len(before) == 1 else None


def onto(now: Sequence[str], then: Sequence[str], place: Range) -> Range | None:
    """Which lines took the place of those at `place`, None when they were taken out or the files are too long."""
    matcher = _matcher(then, now)
    if matcher is None:
        return None
    first, last = place[0] - 1, place[1]
    lows, highs = [], []
    for kind, a, b, c, d in matcher.get_opcodes():
        if b <= first or a >= last:  # outside; what was put in between the lines has a == b, inside
            continue
        skip, over = (max(0, first - a), max(0, b - last)) if kind == "equal" else (0, 0)
        if c + skip < d - over:
            lows.append(c + skip)
            highs.append(d - over)
    return (min(lows) + 1, max(highs)) if lows else None


def changed_part(one: Sequence[str], other: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Two texts without the lines that are the same at their beginning and at their end, but for one of each."""
    most = min(len(one), len(other))
    first = next((n for n in range(most) if one[n] != other[n]), most)
    last = next((n for n in range(most - first) if one[-1 - n] != other[-1 - n]), most - first)
    low, high = max(0, first - 1), max(0, last - 1)
    return one[low : len(one) - high], other[low : len(other) - high]


def alike(one: Sequence[str], other: Sequence[str]) -> float:
    """How many of the words and signs of two texts are the same, whatever their order, from 0 to 1 (Dice)."""
    first, second = (Counter(_words("\n".join(lines))) for lines in (one, other))
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 1.0


def _carried(then: Sequence[str], now: Sequence[str], place: Range) -> Range | None:
    """Where a run of equal lines carries the whole range."""
    matcher = _matcher(then, now)
    first, last = place[0] - 1, place[1]
    for a, b, size in matcher.get_matching_blocks() if matcher else ():
        if a <= first and last <= a + size:
            return b + first - a + 1, b + last - a
    return None


def _matcher(then: Sequence[str], now: Sequence[str]) -> SequenceMatcher[str] | None:
    if max(len(then), len(now)) > COMPARED_LINES:
        return None
    from difflib import SequenceMatcher  # slow to load, and most anchors are fresh

    return SequenceMatcher(None, then, now)
