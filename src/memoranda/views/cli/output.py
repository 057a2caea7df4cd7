"""The one place that prints a reply: as a page, or as one JSON document."""

from __future__ import annotations

import os
import sys
from typing import Any, Mapping, NamedTuple

from memoranda.model.errors import MemorandaError
from memoranda.views.commands.reply import Reply, failed
from memoranda.views.terminal import Page, note, one_line, tell, to_json


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
            note("  " + one_line(error.hint), sys.stderr)
        return error.exit_code

    def say(self, text: str, style: str = "") -> None:
        """One line on stderr."""
        tell(text, sys.stderr, style if self.colour_errors else "")


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
