"""The one way text leaves for a terminal or a pipe: escaped, measured, wrapped, coloured, fenced.

Promises:
 1. Nothing that was recalled, captured or named by others reaches a terminal with a control character, a direction
    override, a tag character or any other invisible that can forge what is seen. They become visible escapes.
 2. On a page for programs every recalled line begins with "| " and all of them stand between two marks that what
    stands between them cannot contain.
 3. The same page gives the same bytes.

Knows nothing of memories: a view builds a `Page`, and only a page is printed.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Iterator, TextIO

# What may not pass as it is. C0 but tab and newline, DEL, C1; soft hyphen; Arabic letter mark; zero-width space and
# the direction marks; line and paragraph separators with the embeddings and overrides; word joiner, invisible
# operators, isolates; interlinear marks; BOM; surrogates; variation selectors that carry hidden bytes; tags.
# ZWNJ and ZWJ (U+200C, U+200D) stay: Persian and emoji need them.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
_JSON_UNSAFE = re.compile("[\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
                          "\ud800-\udfff\U000e0000-\U000e0fff]")  # fmt: skip
_COLOURS = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
BAR = "| "
MARK_HEX = 24  # 96 bits: a text that contains the digest of itself cannot be made


def escape(text: str) -> str:
    """The text with every unsafe character as a visible escape; `\\r\\n` reads as a newline."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub(_visible, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Escaped and on one line: for names, ids, messages and anything else that must not break a line."""
    return escape(text).replace("\n", "\\n").replace("\t", " ")


def to_json(value: object) -> str:
    """One JSON document on one line, with every unsafe character as a JSON escape; parsing gives the exact text."""
    import json

    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _JSON_UNSAFE.sub(lambda match: json.dumps(match[0])[1:-1], text)


def columns(text: str) -> int:
    """How many terminal columns the text takes: wide and fullwidth characters two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(_columns(char) for char in text)


def wrap(text: str, width: int) -> Iterator[str]:
    """The lines of `text`, each at most `width` columns, broken at spaces where there are any.

    Spaces inside a line stay as they are, so code keeps its shape; a break takes the place of one space.
    """
    for line in text.split("\n"):
        yield from _wrap_line(line.expandtabs(4), max(width, 16))


def _visible(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _columns(char: str) -> int:
    import unicodedata

    if unicodedata.combining(char) or char in "\u200c\u200d\ufe0e\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _wrap_line(line: str, width: int) -> Iterator[str]:
    while columns(line) > width:
        end, taken, space = 0, 0, -1
        for end, char in enumerate(line):
            taken += _columns(char)
            if taken > width:
                break
            if char == " " and end:
                space = end
        cut = space if space > 0 and line[:space].strip() else max(end, 1)
        yield line[:cut]
        line = line[cut + 1 :] if line[cut : cut + 1] == " " else line[cut:]
    yield line


Span = str | tuple[str, str]  # text, or text and a style: "bold", "dim", "bold cyan", ...


class Page:
    """Lines on their way out. A page for a person wraps and may colour; a page for programs does neither.

    Spans are escaped one by one before any colour is added, so no text can bring its own.
    """

    def __init__(self, person: bool = False, colour: bool = False, width: int = 80, unicode: bool = True) -> None:
        self.person, self.colour, self.width, self.unicode = person, colour, width, unicode
        self.lines: list[str] = []

    @property
    def dot(self) -> str:
        """What separates small facts on a line."""
        return " · " if self.person and self.unicode else "  "

    def gap(self) -> None:
        """An empty line, never two and never at the top."""
        if self.lines and self.lines[-1]:
            self.lines.append("")

    def line(self, *spans: Span, indent: int = 0) -> None:
        """One line of ours. It is wrapped for a person when it is a single span, and never for a program."""
        if self.person and len(spans) == 1:
            text, style = _parts(spans[0])
            for piece in wrap(one_line(text), self.width - indent):
                self.lines.append(" " * indent + self._paint(piece, style))
            return
        self.lines.append(" " * indent + "".join(self._paint(one_line(t), s) for t, s in map(_parts, spans)))

    def command(self, text: str, indent: int = 0) -> None:
        """A command to copy: never wrapped, never altered; on a page for programs it follows `run: `."""
        lead = "" if self.person else "run: "
        self.lines.append(" " * indent + lead + self._paint(one_line(text), "cyan"))

    def quote(self, text: str, style: str = "", indent: int = 2) -> None:
        """Recalled text: data. Every line of it begins with a bar."""
        text = escape(text)
        if not self.person:
            self.lines += [BAR + line for line in text.split("\n")]
            return
        bar = " " * indent + self._paint("│ " if self.unicode else BAR, "dim")
        for piece in wrap(text, self.width - indent - 2):
            self.lines.append(bar + self._paint(piece, style))

    def fenced(self, inner: Page) -> None:
        """Take in another page's lines: between two marks on a page for programs, as they are for a person.

        The mark is taken from the SHA-256 of the lines it encloses: nobody who writes one of them can foresee it,
        the same answer still gives the same bytes, and anyone can check that nothing between the marks was changed.
        """
        if self.person:
            self.lines += inner.lines
            return
        import hashlib

        body = "\n".join(inner.lines)
        mark = hashlib.sha256(body.encode("utf-8", "backslashreplace")).hexdigest()[:MARK_HEX]
        self.lines += [f"<<<memoranda {mark}", *inner.lines, f">>>memoranda {mark}"]

    def inner(self) -> Page:
        """An empty page in the same manner, for `fenced`."""
        return Page(self.person, self.colour, self.width, self.unicode)

    def text(self) -> str:
        """Everything, with one final newline, or nothing at all."""
        return "\n".join(self.lines).rstrip("\n") + "\n" if self.lines else ""

    def _paint(self, text: str, style: str) -> str:
        if not (self.colour and style and text):
            return text
        codes = ";".join(_COLOURS[word] for word in style.split())
        return f"\x1b[{codes}m{text}\x1b[0m"


def _parts(span: Span) -> tuple[str, str]:
    return (span, "") if isinstance(span, str) else span


def tell(text: str, stream: TextIO, style: str = "") -> None:
    """One escaped line "memoranda: …"."""
    page = Page(colour=bool(style))
    page.line(("memoranda: ", style), text)
    note(page.lines[0], stream)


def note(line: str, stream: TextIO) -> None:
    """A line that may get lost: stderr being closed or full is no reason to fail what was done."""
    with suppress(OSError):
        print(line, file=stream, flush=True)
