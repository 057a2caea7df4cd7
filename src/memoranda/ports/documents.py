"""Reads histories that are one JSON document instead of lines: small ones whole, an array of any length by element.

An array is read in memory bounded by its longest element. Knows nothing of agents, turns or stores.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterator, TextIO

DOCUMENT_LIMIT = 64 << 20  # bytes of a document that is parsed at once; the longest session known is a tenth of it
ELEMENT_LIMIT = 64 << 20  # characters of one element of an array
_CHUNK = 1 << 20
_SPACE = " \t\n\r"
_DECODER = json.JSONDecoder(strict=False)


def document(path: Path) -> dict[str, Any]:
    """The object a file holds. Raises `ValueError` naming what is wrong with it, `OSError`."""
    if path.stat().st_size > DOCUMENT_LIMIT:
        raise ValueError(f"a document of more than {DOCUMENT_LIMIT >> 20} MiB")
    try:
        value = _DECODER.decode(path.read_bytes().decode("utf-8-sig", "replace"))
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON from line {error.lineno} on; it may be half-written") from None
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value


def elements(stream: TextIO) -> Iterator[Any]:
    """The elements of the JSON array a text stream holds, one at a time, in order.

    Raises `ValueError` at the first place that cannot be read, after everything before it was given.
    """
    buffer, at, ended = stream.read(_CHUNK).removeprefix("\ufeff"), 0, False
    at = _skip(buffer, at, _SPACE)
    if buffer[at : at + 1] != "[":
        raise ValueError("not a JSON array")
    at, number = at + 1, 0
    while True:
        at = _skip(buffer, at, _SPACE + ",")
        if buffer[at : at + 1] == "]":
            return
        try:
            value, end = _DECODER.raw_decode(buffer, at)
        except (ValueError, RecursionError):
            value, end = None, -1
        if end >= 0 and (end < len(buffer) or ended):  # a number at the very end may go on in the next chunk
            yield value
            number, at = number + 1, end
            continue
        if ended or len(buffer) - at > ELEMENT_LIMIT:
            raise ValueError(
                f"element {number + 1} cannot be read: cut short, broken or over {ELEMENT_LIMIT >> 20} MiB"
            )
        more = stream.read(max(_CHUNK, len(buffer) - at))  # doubling: an element is tried a few times, not many
        buffer, at, ended = buffer[at:] + more, 0, not more


def _skip(text: str, at: int, over: str) -> int:
    while at < len(text) and text[at] in over:
        at += 1
    return at
