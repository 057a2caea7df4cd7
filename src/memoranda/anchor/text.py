"""The text of a file as anchors read it, and where an anchored text stands in it (docs/format.md, "Anchors").

Line ends are read as \\n, so a checkout with CRLF holds the same anchor. Bytes that are not UTF-8, or that hold a NUL,
are no text and have no lines.
"""

from __future__ import annotations

import hashlib
from typing import Sequence

#: A search hashes every window of the file; at most this many bytes altogether (about 60 ms), else it is not made.
SEARCH_BYTES = 32 * 1024 * 1024

#: White space aside, a text shorter than this may stand in two places by chance, so that finding it once says little
#: (docs/decisions/0006-anchors-that-move.md).
DISTINCT = 24


def sha(data: bytes) -> str:
    """A fingerprint: SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


def text_of(data: bytes) -> str | None:
    """The file's text with line ends read as \\n, None when it is not text."""
    if b"\0" in data:
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def lines_of(text: str) -> list[str]:
    """Its lines, without their ends; a final newline ends the last line, it does not begin another."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines


def joined(lines: Sequence[str]) -> bytes:
    """What is hashed of a range of lines."""
    return ("\n".join(lines) + "\n").encode()


def windows(lines: Sequence[str], count: int, sha256: str) -> list[int] | None:
    """The lines (1-based) at which `count` lines with that fingerprint begin; None when looking costs too much."""
    encoded = [line.encode() + b"\n" for line in lines]
    if sum(map(len, encoded)) * count > SEARCH_BYTES:
        return None
    starts = range(len(encoded) - count + 1)
    return [at + 1 for at in starts if sha(b"".join(encoded[at : at + count])) == sha256]


def distinct(lines: Sequence[str]) -> bool:
    """Whether a text is long enough that the same words elsewhere are the same text, and no chance."""
    return sum(len("".join(line.split())) for line in lines) >= DISTINCT
