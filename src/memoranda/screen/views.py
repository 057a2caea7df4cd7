"""The encodings in which a credential may hide, decoded into pieces that screeners can look at.

A piece carries the decoded text and the span of the original that it came from: what is found in it is found there.
For a record everything is decoded (`thorough`); for turns each view first asks a cheap question of the whole text and
decodes only runs that can hold something. Work is linear; what a piece decodes to is never longer than its source,
and views are nested two deep at most.
"""

from __future__ import annotations

import binascii
import html
import re
import unicodedata
from dataclasses import dataclass
from typing import Callable, Iterator
from urllib.parse import unquote

_ALNUM = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_LEAST = 16  # characters that a decoded credential has at least
_REACH = 512  # how far around an escape its run is looked for


def _table(members: bytes) -> bytes:
    table = bytearray(b" " * 256)
    for byte in members:
        table[byte] = ord("a")
    return bytes(table)


_BASE64 = _table(_ALNUM + b"+/=_-")
_HEX = _table(b"0123456789abcdefABCDEF")
_SINGLES = bytearray(b"." * 256)
for _byte in range(256):
    if _byte in _ALNUM + b"_-":
        _SINGLES[_byte] = ord("a")
    elif _byte in b"*`~":
        _SINGLES[_byte] = ord("*")
    elif _byte in b" \t\n\r":
        _SINGLES[_byte] = ord(" ")
_SINGLE_TABLE = bytes(_SINGLES)

_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,8});")
_ESCAPE = re.compile(r"\\u[0-9A-Fa-f]{4}|\\u\{[0-9A-Fa-f]{1,6}\}|\\U[0-9A-Fa-f]{8}|\\x[0-9A-Fa-f]{2}")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)
_WIDE = re.compile("[\u2100-\u214f\u2460-\u24ff\uff01-\uff5e\U0001d400-\U0001d7ff]")
_CONFUSABLE = str.maketrans(
    "асеорхуіјѕԁһкАВЕКМНОРСТХІЈЅοαρνΑΒΕΗΙΚΜΝΟΡΤΧΥΖ", "aceopxyijsdhkABEKMHOPCTXIJSoapvABEHIKMNOPTXYZ"
)
_CYRILLIC = re.compile("[\u0370-\u052f]")
_SPACED = re.compile(r"(?:[A-Za-z0-9_+/=.-][ \t]{1,3}){15,}[A-Za-z0-9_+/=.-]")
_MARKS = re.compile(r"[*`~]{1,3}")
_ROT13 = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "NOPQRSTUVWXYZABCDEFGHIJKLMnopqrstuvwxyzabcdefghijklm"
)


@dataclass(frozen=True, slots=True)
class Piece:
    """Decoded text and where its source lies in the original (code points)."""

    view: str
    text: str
    start: int
    end: int


def pieces(text: str, thorough: bool = False) -> list[Piece]:
    """All decoded pieces of a text, those within pieces included."""
    found = list(_once(text, thorough))
    inner = [
        Piece(f"{outer.view}+{piece.view}", piece.text, outer.start, outer.end)
        for outer in found
        for piece in _once(outer.text, thorough and len(outer.text) <= 8192)
    ]
    return found + inner


def _once(text: str, thorough: bool) -> Iterator[Piece]:
    raw = text.encode("latin-1", "replace")
    yield from _base64(text, raw)
    yield from _hex(text, raw)
    if b"%" in raw:
        yield from _escapes(text, _PERCENT, "percent", lambda run: unquote(run, errors="replace"))
    if b"&" in raw and b";" in raw:
        yield from _escapes(text, _ENTITY, "entities", html.unescape)
    if b"\\u" in raw or b"\\x" in raw or b"\\U" in raw:
        yield from _escapes(text, _ESCAPE, "escapes", _unescape)
    yield from _spaced(text, raw)
    yield from _marked(text, raw)
    if not text.isascii():
        yield from _unicode(text)
    if thorough:
        yield Piece("reversed", text[::-1], 0, len(text))
        yield Piece("rot13", text.translate(_ROT13), 0, len(text))
        yield Piece("joined", re.sub(r"[\s*`~|]+", "", text), 0, len(text))
    else:
        yield from _reversed(text, raw)


def _runs(raw: bytes, table: bytes, least: int) -> Iterator[tuple[int, int]]:
    kinds, mark, end = raw.translate(table), b"a" * least, 0
    while (start := kinds.find(mark, end)) >= 0:
        end = kinds.find(b" ", start)
        end = len(kinds) if end < 0 else end
        yield start, end


def _plain(data: bytes) -> str | None:
    """Decoded bytes as text if they are text: what is not ASCII, or holds control characters, is something else."""
    if not data.isascii():
        return None
    text = data.decode("ascii")
    return (
        text if text.isprintable() or text.replace("\n", "").replace("\r", "").replace("\t", "").isprintable() else None
    )


def _base64(text: str, raw: bytes) -> Iterator[Piece]:
    for start, end in _runs(raw, _BASE64, 20):
        for first in {start, _after_equals(raw, start, end)}:
            body = raw[first:end].rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/").replace(b"=", b"")
            usable = len(body) - (len(body) % 4 == 1)
            head = _decode64(body[:24])
            if head is None or _plain(head) is None:
                continue
            whole = _decode64(body[:usable])
            plain = _plain(whole) if whole is not None else None
            if plain is not None:
                yield Piece("base64", plain, first, end)
                break


def _after_equals(raw: bytes, start: int, end: int) -> int:
    """`name=aGVsbG8=`: where the value begins; the run's start when there is no such sign inside."""
    at = raw.find(b"=", start, end - 20)
    return at + 1 if at >= 0 else start


def _decode64(body: bytes) -> bytes | None:
    try:
        return binascii.a2b_base64(body + b"=" * (-len(body) % 4))
    except binascii.Error:
        return None


def _hex(text: str, raw: bytes) -> Iterator[Piece]:
    for start, end in _runs(raw, _HEX, 2 * _LEAST):
        for shift in (0, 1):
            body = raw[start + shift : end]
            plain = _plain(bytes.fromhex(body[: len(body) - len(body) % 2].decode("ascii")))
            if plain is not None:
                yield Piece("hex", plain, start, end)
                break


def _escapes(text: str, pattern: re.Pattern[str], view: str, decode: Callable[[str], str]) -> Iterator[Piece]:
    """The runs without white space around escapes, decoded; near ones are taken together."""
    reached, open_start, open_end = 0, -1, -1
    for match in pattern.finditer(text):
        if match.start() < open_end:
            continue
        if open_start >= 0:
            yield Piece(view, decode(text[open_start:open_end]), open_start, open_end)
        reached = max(open_end, 0)
        open_start, open_end = _run_around(text, match.start(), match.end(), reached)
    if open_start >= 0:
        yield Piece(view, decode(text[open_start:open_end]), open_start, open_end)


def _run_around(text: str, start: int, end: int, floor: int) -> tuple[int, int]:
    left = text[max(floor, start - _REACH) : start]
    cut = max(left.rfind(" "), left.rfind("\n"), left.rfind("\t"))
    first = max(floor, start - _REACH) + cut + 1
    limit = min(len(text), end + _REACH)
    stops = [
        at for at in (text.find(" ", end, limit), text.find("\n", end, limit), text.find("\t", end, limit)) if at >= 0
    ]
    return first, min(stops, default=limit)


def _unescape(run: str) -> str:
    def char(match: re.Match[str]) -> str:
        code = int(match.group().lstrip("\\uUx{").rstrip("}") or "0", 16)
        return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "?"

    return _ESCAPE.sub(char, run)


def _spaced(text: str, raw: bytes) -> Iterator[Piece]:
    kinds = raw.translate(_SINGLE_TABLE)
    if b"a a a a a a a a " not in kinds and b"a  a  a  a  a  a  " not in kinds:
        return
    for match in _SPACED.finditer(text):
        yield Piece("spaced", re.sub(r"[ \t]+", "", match.group()), match.start(), match.end())


def _marked(text: str, raw: bytes) -> Iterator[Piece]:
    """Markdown marks inside a word: `gh**p_**abc`."""
    kinds = raw.translate(_SINGLE_TABLE)
    reached = 0
    for sign in (b"a*a", b"a**a", b"a***a"):
        at = kinds.find(sign)
        while at >= 0:
            if at >= reached:
                start, end = _run_around(text, at, at + len(sign), 0)
                reached = end
                if end - start >= _LEAST:
                    yield Piece("marked", _MARKS.sub("", text[start:end]), start, end)
            at = kinds.find(sign, max(at + 1, reached))
        reached = 0


def _unicode(text: str) -> Iterator[Piece]:
    """Invisible characters taken out, tag characters and wide or styled letters read as what they look like."""
    for pattern, view, decode in (
        (_INVISIBLE, "invisible", _visible),
        (_WIDE, "wide", lambda run: unicodedata.normalize("NFKC", run)),
        (_CYRILLIC, "look-alike", lambda run: run.translate(_CONFUSABLE)),
    ):
        if pattern.search(text):
            yield from _escapes(text, pattern, view, decode)


def _visible(run: str) -> str:
    tags = "".join(chr(ord(c) - 0xE0000) if 0xE0020 <= ord(c) <= 0xE007E else c for c in run)
    return _INVISIBLE.sub("", tags)


def _reversed(text: str, raw: bytes) -> Iterator[Piece]:
    """Long runs read backwards, in one piece a run; only those that could be random (digit and letter mixed)."""
    for start, end in _runs(raw, _table(_ALNUM + b"_-."), 20):
        run = raw[start:end]
        if run.isalpha() or run.isdigit() or not any(48 <= b <= 57 for b in run) or end - start > 512:
            continue
        yield Piece("reversed", text[start:end][::-1], start, end)
