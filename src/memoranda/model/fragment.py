"""The part of an evidence locator behind `#`: which seconds, region, page or characters of an exhibit are meant.

W3C Media Fragments URI 1.0 (time in its npt forms, space in pixels and percent), `page=` as for PDF (RFC 8118) and
`char=` as for text (RFC 5147), each at most once, parsed strictly. A name that is none of these is kept as it stands:
it may belong to a kind of media that a plug-in reads, and whoever writes an anchor asks that plug-in.

Printing gives one canonical form, and parsing what was printed gives the same value.
"""

from __future__ import annotations

import re
from typing import Callable, Iterable
from urllib.parse import quote, unquote

from memoranda.model.errors import Invalid
from memoranda.model.values import dataclass, replace

MICRO = 1_000_000
_WHOLE = r"[0-9]{1,12}"
_SECONDS = re.compile(rf"({_WHOLE})(?:\.([0-9]*))?")
_CLOCK = re.compile(rf"(?:({_WHOLE}):)?([0-5][0-9]):([0-5][0-9])(?:\.([0-9]*))?")
_BOX = re.compile(rf"(?:(pixel|percent):)?({_WHOLE}),({_WHOLE}),({_WHOLE}),({_WHOLE})")
_NUMBER = re.compile(r"[1-9][0-9]{0,8}")
_CHARS = re.compile(rf"({_WHOLE}),({_WHOLE})")
_NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")
_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_FORMS = "t=61,81 (seconds or 1:01), xywh=10,20,300,40 or xywh=percent:0,0,50,50, page=3, char=0,120"


@dataclass(frozen=True, slots=True)
class Span:
    """A range of time in microseconds from the beginning; `end` (exclusive) is None up to the end of the media."""

    start: int
    end: int | None = None

    def __str__(self) -> str:
        first = "" if self.start == 0 and self.end is not None else _seconds(self.start)
        return f"t={first}" + ("" if self.end is None else f",{_seconds(self.end)}")


@dataclass(frozen=True, slots=True)
class Box:
    """A region from the upper left corner. Pixels of an image or frame, points (1/72 inch) of a page, or percent."""

    x: int
    y: int
    w: int
    h: int
    percent: bool = False

    def __str__(self) -> str:
        return f"xywh={'percent:' if self.percent else ''}{self.x},{self.y},{self.w},{self.h}"


@dataclass(frozen=True, slots=True)
class Fragment:
    """What is meant of an exhibit; all empty is the whole. `page` counts from 1, `chars` are code points of the
    extracted text, `other` are (name, value) of kinds that are not ours, sorted."""

    page: int | None = None
    time: Span | None = None
    box: Box | None = None
    chars: tuple[int, int] | None = None
    other: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        parts = [f"page={self.page}"] if self.page is not None else []
        parts += [str(part) for part in (self.time, self.box) if part is not None]
        parts += [f"char={self.chars[0]},{self.chars[1]}"] if self.chars is not None else []
        return "&".join([*parts, *(f"{name}={quote(value, safe=',:._~-')}" for name, value in self.other)])


@dataclass(frozen=True, slots=True)
class Extent:
    """How far an exhibit reaches, against which locators are checked.

    `micros` is its length (0: it has none), `width` and `height` are pixels, `pages` the size of each page in points,
    `chars` the code points of its text where nothing else places it; `other` what a plug-in measured, by name.
    """

    micros: int = 0
    width: int = 0
    height: int = 0
    pages: tuple[tuple[int, int], ...] = ()
    chars: int = 0
    other: tuple[tuple[str, str], ...] = ()


def parse_fragment(text: str) -> Fragment:
    """Read a fragment without its `#`. Raises `Invalid` naming what is wrong; the empty text is wrong too."""
    found: dict[str, str] = {}
    for part in text.split("&"):
        name, equals, value = (_decoded(piece, text) for piece in _halves(part, text))
        if not equals or not value or not _NAME.fullmatch(name):
            raise Invalid(f"fragment {text[:80]!r} is malformed", f"use {_FORMS}")
        if name in found:
            raise Invalid(f"fragment {text[:80]!r} names {name}= twice", f"use {_FORMS}")
        found[name] = value
    fragment = Fragment()
    for name, read in _READERS.items():
        if name in found:
            fragment = read(fragment, found.pop(name), text)
    return replace(fragment, other=tuple(sorted(found.items())))


def check_fragment(fragment: Fragment, extent: Extent) -> None:
    """Raises `Invalid` when a fragment reaches past the exhibit. Says nothing of `other`."""
    if fragment.time is not None:
        _check_time(fragment.time, extent.micros)
    if fragment.page is not None and fragment.page > len(extent.pages):
        raise Invalid(f"page={fragment.page} is not there", _has(len(extent.pages), "page"))
    if fragment.box is not None:
        size = extent.pages[fragment.page - 1] if fragment.page is not None else (extent.width, extent.height)
        _check_box(fragment.box, *size, paged=bool(extent.pages))
    if fragment.chars is not None and fragment.chars[1] > extent.chars:
        raise Invalid(f"char={fragment.chars[0]},{fragment.chars[1]} is not there", _has(extent.chars, "character"))


def hull(fragments: Iterable[Fragment]) -> Fragment | None:
    """The smallest fragment around all of them; None where they are not of one page, kind or unit."""
    whole: Fragment | None = None
    for one in fragments:
        whole = one if whole is None else _around(whole, one)
        if whole is None:
            return None
    return whole


def _around(a: Fragment, b: Fragment) -> Fragment | None:
    shape = [(f.page, f.other, f.time is None, f.box is None, f.chars is None) for f in (a, b)]
    if shape[0] != shape[1] or (a.box and b.box and a.box.percent != b.box.percent):
        return None
    time, box, chars = a.time, a.box, a.chars
    if a.time is not None and b.time is not None:
        ends = (a.time.end, b.time.end)
        last = None if ends[0] is None or ends[1] is None else max(ends[0], ends[1])
        time = Span(min(a.time.start, b.time.start), last)
    if a.box is not None and b.box is not None:
        x, y = min(a.box.x, b.box.x), min(a.box.y, b.box.y)
        right, low = max(a.box.x + a.box.w, b.box.x + b.box.w), max(a.box.y + a.box.h, b.box.y + b.box.h)
        box = Box(x, y, right - x, low - y, a.box.percent)
    if a.chars is not None and b.chars is not None:
        chars = (min(a.chars[0], b.chars[0]), max(a.chars[1], b.chars[1]))
    return Fragment(a.page, time, box, chars, a.other)


def micros(text: str) -> int | None:
    """Microseconds of an npt time: seconds (`61.5`), or `mm:ss` and `hh:mm:ss` with fractions; None when malformed.
    What stands behind the sixth decimal is dropped."""
    match = _SECONDS.fullmatch(text)
    if match:
        return int(match[1]) * MICRO + _fraction(match[2])
    match = _CLOCK.fullmatch(text)
    if match:
        return (int(match[1] or 0) * 3600 + int(match[2]) * 60 + int(match[3])) * MICRO + _fraction(match[4])
    return None


def _fraction(digits: str | None) -> int:
    return int((digits or "")[:6].ljust(6, "0"))


def _seconds(value: int) -> str:
    whole, part = divmod(value, MICRO)
    return f"{whole}.{part:06}".rstrip("0") if part else str(whole)


def _halves(part: str, whole: str) -> tuple[str, str, str]:
    if _ESCAPE.search(part):
        raise Invalid(f"fragment {whole[:80]!r} has a broken percent escape")
    return part.partition("=")


def _decoded(piece: str, whole: str) -> str:
    try:
        text = unquote(piece, errors="strict")
    except UnicodeDecodeError:
        raise Invalid(f"fragment {whole[:80]!r} has a percent escape that is not UTF-8") from None
    if _CONTROL.search(text):
        raise Invalid(f"fragment {whole[:80]!r} has a control character")
    return text


def _read_page(fragment: Fragment, value: str, whole: str) -> Fragment:
    if not _NUMBER.fullmatch(value):
        raise Invalid(f"fragment {whole[:80]!r}: a page is a number from 1", "page=3")
    return replace(fragment, page=int(value))


def _read_time(fragment: Fragment, value: str, whole: str) -> Fragment:
    first, comma, last = value.removeprefix("npt:").partition(",")
    start = micros(first) if first else (0 if comma and last else None)
    end = micros(last) if comma else None
    if start is None or (comma and end is None):
        raise Invalid(f"fragment {whole[:80]!r}: not a time in npt", "t=10,20, t=10, t=,20 or t=0:00:10,0:00:20.5")
    if end is not None and end <= start:
        raise Invalid(f"fragment {whole[:80]!r}: the time ends before it begins", "t=10,20")
    return replace(fragment, time=Span(start, end))


def _read_box(fragment: Fragment, value: str, whole: str) -> Fragment:
    match = _BOX.fullmatch(value)
    if not match:
        raise Invalid(f"fragment {whole[:80]!r}: not a region", "xywh=10,20,300,40 or xywh=percent:0,0,50,50")
    box = Box(int(match[2]), int(match[3]), int(match[4]), int(match[5]), match[1] == "percent")
    if not box.w or not box.h:
        raise Invalid(f"fragment {whole[:80]!r}: the region is empty", "width and height are at least 1")
    if box.percent and (box.x + box.w > 100 or box.y + box.h > 100):
        raise Invalid(f"fragment {whole[:80]!r}: the region goes past 100 percent", "xywh=percent:0,0,50,50")
    return replace(fragment, box=box)


def _read_chars(fragment: Fragment, value: str, whole: str) -> Fragment:
    match = _CHARS.fullmatch(value)
    if not match or int(match[1]) >= int(match[2]):
        raise Invalid(f"fragment {whole[:80]!r}: not a span of characters", "char=0,120")
    return replace(fragment, chars=(int(match[1]), int(match[2])))


_READERS: dict[str, Callable[[Fragment, str, str], Fragment]] = {
    "page": _read_page,
    "t": _read_time,
    "xywh": _read_box,
    "char": _read_chars,
}


def _check_time(time: Span, length: int) -> None:
    if not length:
        raise Invalid(f"{time}: this exhibit has no length", "leave t= out")
    if time.start >= length or (time.end or 0) > length:
        raise Invalid(f"{time} goes past its end", f"it is {_seconds(length)} seconds long")


def _check_box(box: Box, width: int, height: int, paged: bool) -> None:
    if not width or not height:
        hint = "name the page too: page=3&xywh=…" if paged else "leave xywh= out"
        raise Invalid(f"{box}: this exhibit has no regions", hint)
    if not box.percent and (box.x + box.w > width or box.y + box.h > height):
        raise Invalid(f"{box} goes past its edge", f"it is {width} x {height}")


def _has(count: int, what: str) -> str:
    return f"it has {count:,} {what}{'' if count == 1 else 's'}"
