"""A page for a model: commands become tool calls, and what is too long for one result is given in parts.

Knows how much of a result reaches a model whole; knows nothing of what is written.
"""

from __future__ import annotations

import re
import shlex
from typing import Any, NamedTuple

from memoranda.model.errors import MemorandaError
from memoranda.views.operations.tools import arguments, tool
from memoranda.views.serving.asking import weight
from memoranda.views.terminal import BAR, Page, one_line, to_json

#: What reaches the model whole in every client that was tried, in characters. Counted as JSON, since one client hands
#: over the JSON itself, and in UTF-16 units, since clients count so.
MOST_CHARACTERS = 7_500
#: A line that is longer goes on in lines that begin with `|+`, or `+` outside quotes.
LINE_CHARACTERS = 2_000
ON = "|+"
_ROOM = 700  # for the marks and for the line that names the next call


class _Line(NamedTuple):
    text: str
    data: bool  # stands between the marks


class ToolPage(Page):
    """Lines for a model. `parts` gives them in results of at most so many characters, each fenced by itself."""

    def __init__(self) -> None:
        super().__init__(person=False)
        self._fences: list[tuple[int, int]] = []

    def inner(self) -> ToolPage:
        return ToolPage()

    def fenced(self, inner: Page) -> None:
        begin = len(self.lines)
        self.lines += inner.lines
        self._fences.append((begin, len(self.lines)))

    def command(self, text: str, indent: int = 0) -> None:
        self.lines.append(" " * indent + one_line(_call(text)))

    def parts(self, most: int = MOST_CHARACTERS) -> list[str]:
        """The page as texts of at most `most` less room for the next call, broken between items where that is near."""
        lines = [
            _Line(piece, any(begin <= n < end for begin, end in self._fences))
            for n, line in enumerate(self.lines)
            for piece in _pieces(line)
        ]
        found: list[str] = []
        while lines:
            end = _fitting(lines, most - _ROOM)
            found.append(_text(lines[:end]))
            lines = lines[end:]
            while lines and not lines[0].text:
                lines = lines[1:]
        return found or [""]


def written_call(name: str, given: dict[str, Any]) -> str:
    """A tool call on one line: `recall {"text":"…"}`."""
    return f"{name} {to_json(given)}"


def _fitting(lines: list[_Line], most: int) -> int:
    """How many lines come into the next part: all, up to the last gap past the middle, or as many as fit; at least
    one."""
    taken, gap = 0, 0
    for n, line in enumerate(lines):
        taken += weight(line.text) + 2
        if taken > most:
            return gap or max(n, 1)
        if not line.text and taken > most // 2:
            gap = n
    return len(lines)


def _text(lines: list[_Line]) -> str:
    """Lines as text, each run of data between marks of its own."""
    page = Page()
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end].data == lines[at].data:
            end += 1
        run = [line.text for line in lines[at:end]]
        if lines[at].data:
            inner = page.inner()
            inner.lines = run
            page.fenced(inner)
        else:
            page.lines += run
        at = end
    return page.text()


def _pieces(line: str) -> list[str]:
    if len(line) <= LINE_CHARACTERS:
        return [line]
    quoted = line.startswith(BAR)
    text = line[len(BAR) :] if quoted else line
    cut = [text[at : at + LINE_CHARACTERS] for at in range(0, len(text), LINE_CHARACTERS)]
    return [(BAR if quoted else "") + cut[0], *((ON if quoted else "+") + piece for piece in cut[1:])]


_OURS = re.compile(r"memoranda(?= |$)")


def _call(text: str) -> str:
    """A command as the tool call that does the same; one that no tool does is a person's to run."""
    if not _OURS.match(text):
        return f"a person can run: {text}"
    from memoranda.views.commands.parser import parse

    try:
        args = vars(parse(shlex.split(text)[1:]))
    except (MemorandaError, ValueError):
        return f"a person can run: {text}"
    found = tool(str(args.get("command")))
    if found is None:
        return f"a person can run: {text}"
    given: dict[str, Any] = {}
    for name, (_, argument) in arguments(found).items():
        value = args.get(argument.name.lstrip("-").replace("-", "_"))
        value = " ".join(value) if argument.kind == "words" and value else value
        if value not in (None, False, [], "", argument.default):
            given[name] = value
    return f"call: {written_call(found.name, given)}"
