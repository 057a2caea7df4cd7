"""Plain text, HTML, and office documents (OOXML, OpenDocument) as paragraphs. Needs nothing but Python.

Slides and sheets are pages; a text document has none, since only the program that draws it knows where they break.
Archives are bounded before and while they are unpacked, and XML with a document type is refused: that is where
entities are declared that grow without end.
"""

from __future__ import annotations

import re
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Iterator
from xml.etree import ElementTree

from memoranda.builtin.media.texts import MOST_CHARS, by_chars, cut_text
from memoranda.model.errors import Invalid
from memoranda.model.evidence import Cut, Extract, Segment
from memoranda.model.fragment import Extent, Fragment

_OOXML = "application/vnd.openxmlformats-officedocument."
_WORD = _OOXML + "wordprocessingml.document"
_SHEET = _OOXML + "spreadsheetml.sheet"
_SLIDES = _OOXML + "presentationml.presentation"
_ODF = "application/vnd.oasis.opendocument."
_TYPES = ("text/plain", "text/html", _WORD, _SHEET, _SLIDES, _ODF + "text", _ODF + "spreadsheet", _ODF + "presentation")

#: Bounds of an archive: bytes of one member and of all that is read, and how far it may unfold.
_MEMBER_BYTES, _ALL_BYTES, _RATIO, _MEMBERS = 64 << 20, 64 << 20, 100, 10_000
_RATIO_FROM = 1 << 20  # small members unfold as they like
_EMU_A_POINT = 12_700
_SKIPPED = {"script", "style", "template"}
_BLOCKS = frozenset(
    ("p", "div", "br", "li", "tr", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6", "title", "section", "article", "pre",
     "blockquote", "dt", "dd", "header", "footer", "figcaption", "summary", "option", "caption")
)  # fmt: skip


def make() -> Documents:
    return Documents()


class Documents:
    """An `Extractor` of text in files."""

    @property
    def stamp(self) -> str:
        return "documents 1"

    def claims(self, head: bytes, guess: str) -> str:
        return guess if guess in _TYPES else ""

    def extract(self, path: Path, media_type: str, scratch: Path) -> Extract:
        if media_type == "text/plain":
            return self._plain(path)
        if media_type == "text/html":
            return self._html(path)
        with _Archive(path) as archive:
            if media_type in (_SLIDES, _SHEET):
                return self._paged(archive, media_type)
            paragraphs, about = _flowing(archive, media_type)
        segments, chars = by_chars(paragraphs)
        return Extract(self.stamp, media_type, Extent(chars=chars), segments, about=tuple(about))

    def cut(self, path: Path, media_type: str, fragment: Fragment, scratch: Path) -> Cut:
        return cut_text(self.extract(path, media_type, scratch), fragment, scratch)

    def _plain(self, path: Path) -> Extract:
        text = _decoded(path)
        segments, chars = by_chars(re.split(r"\n\s*\n", text.replace("\r\n", "\n")))
        return Extract(self.stamp, "text/plain", Extent(chars=chars), segments)

    def _html(self, path: Path) -> Extract:
        reader = _Html()
        reader.feed(_decoded(path))
        reader.close()
        segments, chars = by_chars(reader.paragraphs())
        return Extract(self.stamp, "text/html", Extent(chars=chars), segments, about=tuple(reader.about))

    def _paged(self, archive: _Archive, media_type: str) -> Extract:
        slides = media_type == _SLIDES
        names = archive.numbered("ppt/slides/slide" if slides else "xl/worksheets/sheet")
        size = _slide_size(archive) if slides else (0, 0)
        shared = _shared(archive) if not slides else []
        segments = []
        for page, name in enumerate(names, 1):
            root = archive.xml(name)
            for text in _paragraphs(root, "p", "t") if slides else _rows(root, shared):
                if folded := " ".join(text.split()):
                    segments.append(Segment(folded, Fragment(page=page), gap=True))
        about = [text for name in archive.numbered("ppt/notesSlides/notesSlide") for text in
                 _paragraphs(archive.xml(name), "p", "t")]  # fmt: skip
        extent = Extent(pages=tuple(size for _ in names))
        return Extract(self.stamp, media_type, extent, tuple(segments), about=(*about, *_properties(archive)))


class _Html(HTMLParser):
    """Words that are shown, by block; what is not shown (scripts, comments, attributes) for the door alone."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.about: list[str] = []
        self._skipping = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED:
            self._skipping = tag
        if tag in _BLOCKS:
            self.parts.append("\n\n")
        for name, value in attrs:
            if value and name == "alt":
                self.parts.append(f" {value} ")
            elif value:
                self.about.append(value)

    def handle_endtag(self, tag: str) -> None:
        if tag == self._skipping:
            self._skipping = ""
        if tag in _BLOCKS:
            self.parts.append("\n\n")

    def handle_data(self, data: str) -> None:
        (self.about if self._skipping else self.parts).append(data)

    def handle_comment(self, data: str) -> None:
        self.about.append(data)

    def paragraphs(self) -> list[str]:
        return "".join(self.parts).split("\n\n")


class _Archive:
    """A zip file read within bounds."""

    def __init__(self, path: Path) -> None:
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError):
            raise Invalid("it is no archive that can be read") from None
        self._read = 0
        infos = self._zip.infolist()
        self.names = [info.filename for info in infos]
        if len(infos) > _MEMBERS:
            raise Invalid(f"an archive of more than {_MEMBERS:,} files is not unpacked")
        packed = sum(info.compress_size for info in infos)
        if packed > path.stat().st_size:
            raise Invalid("the files of this archive overlap: it is not unpacked")
        for info in infos:
            large = info.file_size > _RATIO_FROM and info.file_size > _RATIO * max(1, info.compress_size)
            if large or info.file_size > _MEMBER_BYTES:
                raise Invalid("this archive unfolds too far: it is not unpacked")

    def __enter__(self) -> _Archive:
        return self

    def __exit__(self, *error: object) -> None:
        self._zip.close()

    def numbered(self, beginning: str) -> list[str]:
        """Members named `<beginning><number>.xml`, by number."""
        found = [(int(m[1]), n) for n in self.names if (m := re.fullmatch(re.escape(beginning) + r"(\d{1,6})\.xml", n))]
        return [name for _, name in sorted(found)]

    def xml(self, name: str) -> ElementTree.Element:
        """A member as a tree; an empty one when it is not there. What it claims of its size is not believed."""
        if name not in self.names:
            return ElementTree.Element("none")
        try:
            with self._zip.open(name) as member:
                data = member.read(_MEMBER_BYTES + 1)
        except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError, ValueError):
            raise Invalid("a file in this archive cannot be unpacked") from None
        except Exception as error:  # zlib.error and its kin
            raise Invalid(f"a file in this archive is damaged ({type(error).__name__})") from None
        self._read += len(data)
        if len(data) > _MEMBER_BYTES or self._read > _ALL_BYTES:
            raise Invalid("this archive unfolds too far: it was given up")
        if b"<!DOCTYPE" in data or b"<!ENTITY" in data or data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise Invalid("its XML declares a document type, which no office program writes")
        try:
            return ElementTree.fromstring(data)
        except (ElementTree.ParseError, ValueError, RecursionError):
            raise Invalid("its XML is broken") from None


def _decoded(path: Path) -> str:
    if path.stat().st_size > 4 * MOST_CHARS:
        raise Invalid(f"it holds more than {MOST_CHARS:,} characters")
    data = path.read_bytes()
    if b"\0" in data:
        raise Invalid("it is no text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Invalid("it is no UTF-8", "convert it first: iconv -t utf-8") from None


def _flowing(archive: _Archive, media_type: str) -> tuple[list[str], list[str]]:
    """Paragraphs of a document that flows, and what else stands in it."""
    if media_type == _WORD:
        parts = ["word/document.xml", "word/footnotes.xml", "word/endnotes.xml", "word/comments.xml"]
        parts += [n for n in archive.names if re.fullmatch(r"word/(?:header|footer)\d{1,4}\.xml", n)]
        if parts[0] not in archive.names:
            raise Invalid("it is no text document")
        roots = [archive.xml(name) for name in parts]
        about = [e.text for root in roots for e in root.iter() if _tag(e) in ("delText", "instrText") and e.text]
        return [text for root in roots for text in _paragraphs(root, "p", "t")], about + _properties(archive)
    if "content.xml" not in archive.names:
        raise Invalid("it is no OpenDocument file")
    root = archive.xml("content.xml")
    found = ["".join(e.itertext()) for e in root.iter() if _tag(e) in ("p", "h")]
    return found, [text for text in archive.xml("meta.xml").itertext() if text.strip()]


def _properties(archive: _Archive) -> list[str]:
    names = ("docProps/core.xml", "docProps/app.xml", "docProps/custom.xml")
    return [text for name in names for text in archive.xml(name).itertext() if text.strip()]


def _paragraphs(root: ElementTree.Element, paragraph: str, run: str) -> Iterator[str]:
    """The text of each paragraph: its runs, with tabs and line breaks as spaces."""
    for element in root.iter():
        if _tag(element) == paragraph:
            yield "".join(_run_text(e, run) for e in element.iter())


def _run_text(element: ElementTree.Element, run: str) -> str:
    tag = _tag(element)
    return element.text or "" if tag == run else " " if tag in ("tab", "br", "cr") else ""


def _shared(archive: _Archive) -> list[str]:
    root = archive.xml("xl/sharedStrings.xml")
    return ["".join(e.text or "" for e in item.iter() if _tag(e) == "t") for item in root if _tag(item) == "si"]


def _rows(root: ElementTree.Element, shared: list[str]) -> Iterator[str]:
    """A row of a sheet a line, its cells two spaces apart."""
    for row in root.iter():
        if _tag(row) == "row":
            yield "  ".join(filter(None, (_cell(cell, shared) for cell in row if _tag(cell) == "c")))


def _cell(cell: ElementTree.Element, shared: list[str]) -> str:
    if cell.get("t") == "inlineStr":
        return "".join(e.text or "" for e in cell.iter() if _tag(e) == "t")
    value = next((e.text or "" for e in cell if _tag(e) == "v"), "")
    if cell.get("t") == "s":
        return shared[int(value)] if value.isdigit() and int(value) < len(shared) else ""
    return value


def _slide_size(archive: _Archive) -> tuple[int, int]:
    """Points; 720 x 540 where it is not said."""
    for element in archive.xml("ppt/presentation.xml").iter():
        if _tag(element) == "sldSz":
            width, height = element.get("cx", ""), element.get("cy", "")
            if width.isdigit() and height.isdigit():
                return int(width) // _EMU_A_POINT, int(height) // _EMU_A_POINT
    return 720, 540


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
