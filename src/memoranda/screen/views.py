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
from typing import Callable, Iterable, Iterator
from urllib.parse import unquote

from memoranda.model.values import dataclass

_ALNUM = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_NESTING = frozenset(("base64", "hex", "percent", "entities", "escapes"))  # views that others may lie in
_LEAST = 16  # characters that a decoded credential has at least
_REACH = 512  # how far around an escape its run is looked for


def _table(members: bytes) -> bytes:
    table = bytearray(b" " * 256)
    for byte in members:
        table[byte] = ord("a")
    return bytes(table)


_BASE64 = _table(_ALNUM + b"+/_-")
_RUN_MIN = 20
_LONG = b"a" * _RUN_MIN
_ASCII = bytes(range(128))
_APART = b"a a a a a a a a "
_HEX = re.compile(rb"[0-9a-fA-F]+\Z")
# Four groups of four signs that decode to bytes below 128: what fails this is no text and is not decoded.
_ASCII64 = re.compile(rb"(?:[A-Za-f][A-HQ-Xg-nw-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589][A-Za-z0-9+/_-]){4}")
_SINGLES = bytearray(b"." * 256)
for _byte in range(256):
    if _byte in _ALNUM + b"_-":
        _SINGLES[_byte] = ord("a")
    elif _byte in b"*`~":
        _SINGLES[_byte] = ord("*")
    elif _byte in b" \t\r":
        _SINGLES[_byte] = ord(" ")
    elif _byte == 10:
        _SINGLES[_byte] = 10
    elif _byte == 1:
        _SINGLES[_byte] = 1
_SINGLE_TABLE = bytes(_SINGLES)
_LINE_END = b"aaaa\naaaa"
_BLOCK_END = b"aaaa\n\x01\naaaa"

_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,8});")
_ESCAPE = re.compile(r"\\u[0-9A-Fa-f]{4}|\\u\{[0-9A-Fa-f]{1,6}\}|\\U[0-9A-Fa-f]{8}|\\x[0-9A-Fa-f]{2}")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)
_CONFUSABLE = str.maketrans(
    "асеорхуіјѕԁһкАВЕКМНОРСТХІЈЅοαρνΑΒΕΗΙΚΜΝΟΡΤΧΥΖ", "aceopxyijsdhkABEKMHOPCTXIJSoapvABEHIKMNOPTXYZ"
)
_SPACED = re.compile(r"(?<!\S)(?:[A-Za-z0-9_+/=.-][ \t]{1,3}){15,}[A-Za-z0-9_+/=.-](?!\S)")
_MARKS = re.compile(r"[*`~]{1,3}")
_ROT13 = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "NOPQRSTUVWXYZABCDEFGHIJKLMnopqrstuvwxyzabcdefghijklm"
)


_MIXED = re.compile(rb"(?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z])(?![0-9a-f.-]*\Z)")


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
        if outer.view in _NESTING
        for piece in _once(outer.text, thorough and len(outer.text) <= 8192)
    ]
    return found + inner


def _once(text: str, thorough: bool) -> Iterator[Piece]:
    raw = text.encode("latin-1", "replace")
    yield from _runs(text, raw, thorough)
    if b"%" in raw:
        yield from _escapes(text, _PERCENT, "percent", lambda run: unquote(run, errors="replace"))
    if b"&" in raw and b";" in raw:
        yield from _escapes(text, _ENTITY, "entities", html.unescape)
    if b"\\u" in raw or b"\\x" in raw or b"\\U" in raw:
        yield from _escapes(text, _ESCAPE, "escapes", _unescape)
    kinds = raw.translate(_SINGLE_TABLE)
    yield from _spaced(text, kinds)
    yield from _marked(text, kinds)
    yield from _wrapped(text, raw, kinds)
    if not text.isascii():
        yield from _unicode(text)
    if thorough:
        yield from _wholly(text)


def _wholly(text: str) -> Iterator[Piece]:
    """Whole texts mangled, each of several joined ones on its own: what is found in one stands there."""
    start = 0
    for part in text.split("\x01"):
        end = start + len(part)
        yield Piece("reversed", part[::-1], start, end)
        yield Piece("rot13", part.translate(_ROT13), start, end)
        yield Piece("joined", re.sub(r"[\s*`~|]+", "", part), start, end)
        start = end + 1


def _runs(text: str, raw: bytes, thorough: bool) -> Iterator[Piece]:
    """What every run of at least 20 signs of the base64 alphabets decodes to: as base64, as hex, and, since a whole
    text is not reversed for turns, backwards. Padding belongs to a run; a sign of equality before one does not."""
    kinds, end, size = raw.translate(_BASE64), 0, len(raw)
    while (start := kinds.find(_LONG, end)) >= 0:
        end = kinds.find(b" ", start)
        if end < 0:
            end = size
        if _ASCII64.match(raw, start, end):
            stop = end + 2 if raw[end : end + 2] == b"==" else end + (raw[end : end + 1] == b"=")
            yield from _base64(raw, start, stop)
        if end - start >= 2 * _LEAST and _HEX.match(raw, start, end):
            yield from _hex(raw, start, end)
        elif not thorough and end - start <= 512 and _MIXED.match(raw, start, end):
            yield Piece("reversed", text[start:end][::-1], start, end)


def _plain(data: bytes) -> str | None:
    """Decoded bytes as text if they are text: what is not ASCII, or holds control characters, is something else."""
    if not data.isascii():
        return None
    text = data.decode("ascii")
    return (
        text if text.isprintable() or text.replace("\n", "").replace("\r", "").replace("\t", "").isprintable() else None
    )


def _base64(raw: bytes, start: int, end: int) -> Iterator[Piece]:
    body = raw[start:end].rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/").replace(b"=", b"")
    body = body[: len(body) - (len(body) % 4 == 1)]
    try:
        plain = _plain(binascii.a2b_base64(body + b"=" * (-len(body) % 4)))
    except binascii.Error:
        return
    if plain is not None:
        yield Piece("base64", plain, start, end)


def _hex(raw: bytes, start: int, end: int) -> Iterator[Piece]:
    body = raw[start:end]
    plain = _plain(bytes.fromhex(body[: len(body) - len(body) % 2].decode("ascii")))
    if plain is not None:
        yield Piece("hex", plain, start, end)


def _escapes(text: str, pattern: re.Pattern[str], view: str, decode: Callable[[str], str]) -> Iterator[Piece]:
    """The runs without white space around escapes, decoded; near ones are taken together."""
    for start, end in _around(text, (match.span() for match in pattern.finditer(text))):
        yield Piece(view, decode(text[start:end]), start, end)


def _around(text: str, places: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The runs without white space around places, which come left to right."""
    open_start, open_end = -1, -1
    for first, last in places:
        if first < open_end:
            continue
        if open_start >= 0:
            yield open_start, open_end
        open_start, open_end = _run_around(text, first, last, max(open_end, 0))
    if open_start >= 0:
        yield open_start, open_end


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


def _spaced(text: str, kinds: bytes) -> Iterator[Piece]:
    """Letters with a blank after each."""
    at = kinds.find(_APART)
    while at >= 0:
        match = _SPACED.match(text, at)
        if match is not None:
            yield Piece("spaced", re.sub(r"[ \t]+", "", match.group()), match.start(), match.end())
        at = kinds.find(_APART, match.end() if match else at + 1)


def _marked(text: str, kinds: bytes) -> Iterator[Piece]:
    """Markdown marks inside a word: `gh**p_**abc`."""
    reached = 0
    for sign in (b"a*a", b"a**a"):
        at = kinds.find(sign)
        while at >= 0:
            if at >= reached:
                start, end = _run_around(text, at, at + len(sign), 0)
                reached = end
                if end - start >= _LEAST:
                    yield Piece("marked", _MARKS.sub("", text[start:end]), start, end)
            at = kinds.find(sign, max(at + 1, reached))
        reached = 0


def _wrapped(text: str, raw: bytes, kinds: bytes) -> Iterator[Piece]:
    """The word before a line's end read on into the next line, and the last word of a block into the next block.

    Only words that look drawn at random are read on: most lines end in plain ones.
    """
    for joint in (_LINE_END, _BLOCK_END):
        at = kinds.find(joint)
        while at >= 0:
            left, right = at + 4, at + len(joint) - 4
            start, end = _word_before(kinds, left), _word_after(kinds, right)
            word = raw[start:left] + raw[right:end]
            if _LEAST <= len(word) <= 600 and _MIXED.match(word):
                yield Piece("wrapped", text[start:left] + text[right:end], start, end)
            at = kinds.find(joint, right)


def _word_before(kinds: bytes, end: int) -> int:
    return max(kinds.rfind(sign, max(0, end - _REACH), end) for sign in (b" ", b"\n", b"*")) + 1 or max(0, end - _REACH)


def _word_after(kinds: bytes, start: int) -> int:
    limit = min(len(kinds), start + _REACH)
    ends = [at for sign in (b" ", b"\n", b"*") if (at := kinds.find(sign, start, limit)) >= 0]
    return min(ends, default=limit)


def _plainly(run: str) -> str:
    """A run as it reads: tag characters shown, invisible ones gone, wide letters plain, look-alikes Latin."""
    tags = "".join(chr(ord(c) - 0xE0000) if 0xE0020 <= ord(c) <= 0xE007E else c for c in run)
    return unicodedata.normalize("NFKC", _INVISIBLE.sub("", tags)).translate(_CONFUSABLE)


_ODD = re.compile(
    "[\xad\u034f-\u052f\u061c\u115f-\u1160\u17b4-\u180e\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u2100-\u214f\u2460-\u24ff\ufe00-\uff5e\U0001d400-\U0001d7ff\U000e0000-\U000e0fff]"
)
_LETTERS = re.compile(r"[A-Za-z0-9_=+/.:-]{16}")


def _unicode(text: str) -> Iterator[Piece]:
    """Runs with invisible, wide, styled or look-alike characters as they read, if they could then hold a credential.

    Joined texts are taken apart, and each is first asked by its characters beyond ASCII alone, which are few.
    """
    offset = 0
    for part in text.split("\x01"):
        odd = "" if part.isascii() else "".join(set(_ODD.findall(_beyond_ascii(part))))
        for start, end in _around(part, _places(part, odd)) if odd else ():
            plain = _plainly(part[start:end]) if end - start >= _LEAST else ""
            if _LETTERS.search(plain):
                yield Piece("unicode", plain, start + offset, end + offset)
        offset += len(part) + 1


def _places(text: str, signs: str) -> Iterable[tuple[int, int]]:
    """Where any of some characters stands, in order. A few are each looked for, which is faster than a pattern."""
    if len(signs) > 8:
        return ((match.start(), match.end()) for match in _ODD.finditer(text))
    found = []
    for sign in signs:
        at = text.find(sign)
        while at >= 0:
            found.append((at, at + 1))
            at = text.find(sign, at + 1)
    return sorted(found)


def _beyond_ascii(text: str) -> str:
    return text.encode("utf-8", "replace").translate(None, _ASCII).decode("utf-8")
