"""Inline `data:` URIs give up their payload before anything else looks: images are no words, and look like keys."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from contextlib import suppress
from typing import Iterator

MARKER = ";base64,"
_PAYLOAD = re.compile(r"[A-Za-z0-9+/=]+")
_HEAD_MAX = 256  # characters between `data:` and the marker: media type and parameters
_NO_HEAD = re.compile(r"[\s,\"'<>`]")
_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+-]{1,64}/[A-Za-z0-9!#$&^_.+-]{1,64}")


def elide(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with each payload as `[elided:<type>:<bytes>:sha256:<hash>]`, and the marks. The same object without.

    `bytes` and `hash` are those of the decoded payload (of its characters where it does not decode).
    """
    if MARKER not in text:
        return text, ()
    parts: list[str] = []
    marks: list[str] = []
    done, at = 0, text.find(MARKER)
    while at >= 0:
        start = at + len(MARKER)
        kind = _head(text, done, at)
        payload = _PAYLOAD.match(text, start) if kind is not None else None
        if payload is not None and kind is not None:
            parts += [text[done:start], _stand_in(kind, payload.group())]
            marks.append(f"elided:{kind}")
            done = start = payload.end()
        at = text.find(MARKER, start)
    return ("".join(parts) + text[done:], tuple(marks)) if marks else (text, ())


def payloads(text: str) -> Iterator[tuple[str, bytes]]:
    """Type and bytes of each payload that `elide` would take out and that decodes."""
    at = text.find(MARKER)
    done = 0
    while at >= 0:
        start = at + len(MARKER)
        kind = _head(text, done, at)
        payload = _PAYLOAD.match(text, start) if kind is not None else None
        if payload is not None and kind is not None:
            done = start = payload.end()
            with suppress(binascii.Error, ValueError):
                yield kind, _decoded(payload.group())
        at = text.find(MARKER, start)


def _decoded(payload: str) -> bytes:
    return base64.b64decode(payload + "=" * (-len(payload) % 4))


def _head(text: str, floor: int, at: int) -> str | None:
    """The media type of the data URI whose marker stands at `at`, None if this is not one."""
    low = max(floor, at - _HEAD_MAX)
    begin = text.rfind("data:", low, at)
    if begin < 0 or _NO_HEAD.search(text, begin, at):
        return None
    if begin and ((text[begin - 1].isascii() and text[begin - 1].isalnum()) or text[begin - 1] in "+-."):
        return None
    named = _TYPE.match(text, begin + 5, at)
    return named.group().lower() if named else "text/plain"


def _stand_in(kind: str, payload: str) -> str:
    try:
        data = _decoded(payload)
    except (binascii.Error, ValueError):
        data = payload.encode("ascii")
    return f"[elided:{kind}:{len(data)}:sha256:{hashlib.sha256(data).hexdigest()}]"
