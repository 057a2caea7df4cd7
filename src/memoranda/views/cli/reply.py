"""What a command hands back, and the one place that prints it: as a page, or as one JSON document."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Callable, Mapping, NamedTuple, Sequence, TextIO

from memoranda.model.errors import MemorandaError
from memoranda.views.terminal import Page, one_line, to_json

if TYPE_CHECKING:
    from memoranda.model.problem import Problem
    from memoranda.model.query import IndexState


def _nothing(page: Page) -> None:
    return None


class Reply(NamedTuple):
    """A command's result.

    `outcome` is a stable word, `data` what JSON shows (any value of the SDK), `draw` puts it on a page. `code` is 0
    or 1. `problems` are drawn on stderr after the page, `notices` too; both are part of the JSON document.
    """

    outcome: str
    data: Any = None
    draw: Callable[[Page], None] = _nothing
    code: int = 0
    problems: Sequence[Problem] = ()
    notices: Sequence[str] = ()
    state: IndexState | None = None

    def document(self) -> dict[str, Any]:
        """The reply as the JSON document that every view gives."""
        return _document(self.code == 0, self.outcome, self.data, self.problems, self.notices, self.state)


def failed(error: MemorandaError) -> dict[str, Any]:
    """An error as the JSON document that every view gives."""
    return _document(False, error.code, {"message": error.message, "hint": error.hint}, (), (), None)


class Output(NamedTuple):
    """How to print: decided once from the arguments, the environment and the streams."""

    json: bool
    quiet: bool
    person: bool
    colour: bool
    colour_errors: bool
    width: int
    unicode: bool

    @classmethod
    def choose(cls, args: Mapping[str, Any], environ: Mapping[str, str], agent: bool) -> Output:
        """Colour: --color, then NO_COLOR, then FORCE_COLOR, then a terminal that is not dumb. Agents get none."""
        terminal = sys.stdout.isatty()
        encoding = (sys.stdout.encoding or "").lower().replace("-", "")
        for stream in (sys.stdout, sys.stderr):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure:
                reconfigure(errors="backslashreplace")
        return cls(
            json=bool(args.get("json")),
            quiet=bool(args.get("quiet")),
            person=terminal and not agent,
            colour=_colour(args.get("color", "auto"), environ, terminal and not agent),
            colour_errors=_colour(args.get("color", "auto"), environ, sys.stderr.isatty() and not agent),
            width=_width(environ, terminal),
            unicode=encoding.startswith("utf"),
        )

    def page(self) -> Page:
        return Page(self.person, self.colour, self.width, self.unicode)

    def emit(self, reply: Reply) -> int:
        """Print a reply; returns the exit code."""
        if self.json:
            _print(reply.document())
            return reply.code
        page = self.page()
        reply.draw(page)
        sys.stdout.write(page.text())
        sys.stdout.flush()
        if not self.quiet:
            for notice in reply.notices:
                self.say(notice)
        for problem in reply.problems:
            self.say(str(problem))
        return reply.code

    def fail(self, error: MemorandaError) -> int:
        """Print an error: one line and a hint on stderr, or with --json a document on stdout."""
        if self.json:
            _print(failed(error))
            return error.exit_code
        self.say(error.message, "red")
        if error.hint:
            _note("  " + one_line(error.hint), sys.stderr)
        return error.exit_code

    def say(self, text: str, style: str = "") -> None:
        """One line on stderr."""
        tell(text, sys.stderr, style if self.colour_errors else "")


def tell(text: str, stream: TextIO, style: str = "") -> None:
    """One escaped line "memoranda: …"."""
    page = Page(colour=bool(style))
    page.line(("memoranda: ", style), text)
    _note(page.lines[0], stream)


def _note(line: str, stream: TextIO) -> None:
    """A line that may get lost: stderr being closed or full is no reason to fail what was done."""
    with suppress(OSError):
        print(line, file=stream, flush=True)


def _document(
    ok: bool, outcome: str, data: Any, problems: Sequence[Problem], notices: Sequence[str], index: IndexState | None
) -> dict[str, Any]:
    from memoranda.views.render.plain import plain

    return {"format": 1, "ok": ok, "outcome": outcome, "data": plain(data), "problems": plain(tuple(problems)),
            "notices": list(notices), "index": plain(index) if index else {}}  # fmt: skip


def _print(document: dict[str, Any]) -> None:
    sys.stdout.write(to_json(document) + "\n")
    sys.stdout.flush()


def _width(environ: Mapping[str, str], terminal: bool) -> int:
    """Columns to fill: at least 40, at most 120 (longer lines are hard to read), 80 where nothing is known."""
    try:
        columns = int(environ.get("COLUMNS", "0")) or (os.get_terminal_size(1).columns if terminal else 80)
    except (ValueError, OSError):
        columns = 80
    return min(max(columns or 80, 40), 120)


def _colour(choice: str, environ: Mapping[str, str], fit: bool) -> bool:
    if choice != "auto":
        return choice == "always"
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR") or environ.get("CLICOLOR_FORCE"):
        return True
    return fit and environ.get("TERM") != "dumb" and os.name == "posix"
