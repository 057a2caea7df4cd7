"""PDF: its text line by line with page and region (points from the upper left corner), pages drawn as pictures.

A page without text is drawn and read as a picture where that can be done. Scripts are never run; attached files are
handed to the door as they are, so that nothing is kept unseen.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any, Iterator

from memoranda.builtin.media.need import need, version
from memoranda.model.errors import Invalid, Unavailable
from memoranda.model.evidence import Cut, Extract, Segment
from memoranda.model.fragment import Box, Extent, Fragment, check_fragment

_PAGES, _CHARS = 5_000, 20_000_000
_ATTACHMENT_BYTES = 4 << 20
#: Pixels a point of a drawn page, and the most pixels that are drawn.
_SCALE, _MOST_PIXELS = 2.0, 40_000_000
#: A scanned page is drawn finer for reading: 200 dots an inch.
_READ_SCALE = 200 / 72


def make() -> Pdf:
    need("application/pdf", ("pypdfium2", "PIL"))
    return Pdf()


class Pdf:
    """An `Extractor` of PDF files."""

    @property
    def stamp(self) -> str:
        from memoranda.builtin.media.ocr import stamp

        return f"pdf 1, pypdfium2 {version('pypdfium2')}, scans: {stamp()}"

    def claims(self, head: bytes, guess: str) -> str:
        return guess if guess == "application/pdf" else ""

    def extract(self, path: Path, media_type: str, scratch: Path) -> Extract:
        with _opened(path) as document:
            sizes, segments, notes = [], [], []
            if len(document) > _PAGES:
                raise Invalid(f"it has more than {_PAGES:,} pages")
            for number in range(len(document)):
                try:
                    size, lines = _page(document, number)
                except _Flawed as flaw:
                    size, lines = (0, 0), []
                    notes.append(f"page {number + 1} is left out: {flaw}")
                sizes.append(size)
                segments += lines
                if sum(len(line.text) for line in lines) > _CHARS:
                    raise Invalid(f"it holds more than {_CHARS:,} characters")
            about = [str(value) for value in document.get_metadata_dict().values() if value]
            about += list(_attachments(document, notes))
        return Extract(self.stamp, media_type, Extent(pages=tuple(sizes)), tuple(segments), tuple(notes), tuple(about))

    def cut(self, path: Path, media_type: str, fragment: Fragment, scratch: Path) -> Cut:
        if fragment.time is not None or fragment.chars is not None:
            raise Invalid(f"#{fragment} cannot be cut out of a PDF", "use page= and xywh=")
        number = fragment.page or 1
        with _opened(path) as document:
            if number > len(document):
                raise Invalid(f"page={number} is not there", f"it has {len(document)} pages")
            page = document[number - 1]
            width, height = _size(page)
            check_fragment(Fragment(box=fragment.box), Extent(width=width, height=height))
            box = fragment.box or Box(0, 0, width, height)
            if box.percent:
                box = Box(box.x * width // 100, box.y * height // 100, max(1, box.w * width // 100),
                          max(1, box.h * height // 100))  # fmt: skip
            scale = min(_SCALE, (_MOST_PIXELS / max(1, width * height)) ** 0.5)
            crop = (box.x, height - box.y - box.h, width - box.x - box.w, box.y)
            image = page.render(scale=scale, crop=crop, may_draw_forms=False).to_pil()
        image.convert("RGB").save(scratch / "page.png")
        facts = (("page", str(number)), ("width", str(image.width)), ("height", str(image.height)))
        return Cut("page.png", "image/png", facts)


class _Flawed(Exception):
    """One page cannot be read."""


def _opened(path: Path) -> Any:
    import pypdfium2

    try:
        return pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise Invalid("it is encrypted and cannot be looked at", "take the password off first") from None
        raise Invalid("it is no PDF that can be read") from None


def _size(page: Any) -> tuple[int, int]:
    width, height = page.get_size()
    return max(1, int(width)), max(1, int(height))


def _page(document: Any, number: int) -> tuple[tuple[int, int], list[Segment]]:
    import pypdfium2

    try:
        page = document[number]
        size = _size(page)
        lines = list(_lines(page, number + 1, size))
    except pypdfium2.PdfiumError as error:
        raise _Flawed(type(error).__name__) from None
    if not lines:
        lines = _scanned(page, number + 1, size)
    page.close()
    return size, lines


def _lines(page: Any, number: int, size: tuple[int, int]) -> Iterator[Segment]:
    """Each line of text as pdfium orders it, with the box around its characters."""
    from pypdfium2 import raw

    text = page.get_textpage()
    sides = [ctypes.c_double() for _ in range(4)]
    left, right, bottom, top = sides
    line: list[str] = []
    hull: list[float] = []
    for at in range(text.count_chars()):
        code = raw.FPDFText_GetUnicode(text, at)
        if code in (10, 13):
            if found := _line(page, number, size, line, hull):
                yield found
            line, hull = [], []
            continue
        line.append(_char(code))
        if line[-1] != " " and raw.FPDFText_GetCharBox(text, at, *map(ctypes.byref, (left, right, bottom, top))):
            if hull:
                hull = [min(hull[0], left.value), min(hull[1], bottom.value), max(hull[2], right.value),
                        max(hull[3], top.value)]  # fmt: skip
            else:
                hull = [left.value, bottom.value, right.value, top.value]
    if found := _line(page, number, size, line, hull):
        yield found
    text.close()


def _char(code: int) -> str:
    """A character; codes of C1, which some programs write, as Windows means them; a space for what is none."""
    if 0x80 <= code < 0xA0:
        return bytes([code]).decode("cp1252", "replace")
    return chr(code) if 31 < code < 0x110000 and not 0xD800 <= code < 0xE000 else " "


def _line(page: Any, number: int, size: tuple[int, int], line: list[str], hull: list[float]) -> Segment | None:
    text = " ".join("".join(line).split())
    if not text:
        return None
    return Segment(text, Fragment(page=number, box=_box(page, size, hull) if hull else None))


def _box(page: Any, size: tuple[int, int], hull: list[float]) -> Box | None:
    """From the page's own space (whichever way it is turned) to points from the upper left corner, inside the page."""
    from pypdfium2 import raw

    corners = []
    for x, y in ((hull[0], hull[1]), (hull[2], hull[3])):
        px, py = ctypes.c_int(), ctypes.c_int()
        raw.FPDF_PageToDevice(page, 0, 0, *size, 0, x, y, ctypes.byref(px), ctypes.byref(py))
        corners.append((px.value, py.value))
    x1, x2 = sorted(min(max(x, 0), size[0]) for x, _ in corners)
    y1, y2 = sorted(min(max(y, 0), size[1]) for _, y in corners)
    x1, y1 = min(x1, size[0] - 1), min(y1, size[1] - 1)
    return Box(x1, y1, max(1, x2 - x1), max(1, y2 - y1))


def _scanned(page: Any, number: int, size: tuple[int, int]) -> list[Segment]:
    """A page that is a picture: read as one, its boxes brought back to points."""
    from memoranda.builtin.media import ocr

    if not next(iter(page.get_objects(max_depth=1)), None):
        return []
    scale = min(_READ_SCALE, (_MOST_PIXELS / max(1, size[0] * size[1])) ** 0.5)
    try:
        found = ocr.read(page.render(scale=scale, may_draw_forms=False).to_pil().convert("RGB"))
    except Unavailable:
        raise _Flawed('it is a picture; pip install "memoranda[ocr]" to read it') from None
    placed = []
    for text, (x, y, w, h) in found:
        x1, y1 = min(int(x / scale), size[0] - 1), min(int(y / scale), size[1] - 1)
        box = Box(x1, y1, max(1, min(int(w / scale) + 1, size[0] - x1)), max(1, min(int(h / scale) + 1, size[1] - y1)))
        placed.append(Segment(text, Fragment(page=number, box=box)))
    return placed


def _attachments(document: Any, notes: list[str]) -> Iterator[str]:
    """What is attached, as text for the door."""
    for number in range(min(document.count_attachments(), 100)):
        attachment = document.get_attachment(number)
        yield attachment.get_name()
        data = bytes(attachment.get_data())
        if len(data) > _ATTACHMENT_BYTES:
            raise Invalid("a file attached to it is too large to be looked at", "take it out first")
        notes.append("a file is attached to it; it is looked at by the door and not searched")
        yield data.decode("utf-8", "replace")
