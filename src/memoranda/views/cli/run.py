"""One run of the command line: parse, find the door, run the command, print its reply."""

from __future__ import annotations

import importlib
import os
import shlex
from argparse import Namespace
from typing import TYPE_CHECKING, Callable, Sequence

from memoranda.model.errors import MemorandaError, NotFound, Unavailable
from memoranda.views.cli.door import agent, at_terminal, door
from memoranda.views.cli.parser import parse
from memoranda.views.cli.progress import Progress
from memoranda.views.cli.reply import Output, Reply

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from memoranda.memory import Memory
    from memoranda.model.record import Door
    from memoranda.model.settings import Settings

_MODULES = {
    "remember": "writing", "init": "writing", "trust": "writing", "promote": "writing", "forget": "writing",
    "demote": "writing",
    "connect": "connecting", "disconnect": "connecting", "hook": "connecting",
    "adopt": "adopting", "diff": "past", "blame": "past",
    "held": "review", "release": "review", "reject": "review", "endorse": "review", "rescan": "review",
    "recall": "reading", "get": "reading", "history": "reading", "core": "reading",
    "capture": "upkeep", "embed": "upkeep", "verify": "upkeep", "check": "upkeep", "reindex": "upkeep",
    "status": "upkeep", "sessions": "browsing", "scan": "browsing", "sketch": "browsing", "ask": "ask",
    "evidence": "exhibits", "open": "exhibits", "completion": "shell", "help": "shell", "mcp": "serving",
}  # fmt: skip


class Call:
    """Everything a command may look at. `me` begins every command it prints.

    Other views run the same commands: they give their own arguments, door and open memories.
    """

    #: Whether a text of "-" means standard input.
    standard_input = True

    def __init__(self, args: Namespace, terminal: bool, progress: Progress) -> None:
        self.args, self.terminal, self.progress = args, terminal, progress

    @property
    def cwd(self) -> Path:
        from pathlib import Path

        return Path.cwd()

    @property
    def now(self) -> datetime:
        from datetime import UTC, datetime

        return datetime.now(UTC).replace(microsecond=0)

    @property
    def me(self) -> str:
        if self.args.memory:
            return f"memoranda --memory {shlex.quote(str(self.named))}"
        return "memoranda --project" if self.args.project else "memoranda"

    @property
    def named(self) -> Path | None:
        """The folder given with --memory, absolute."""
        from pathlib import Path

        return Path(os.path.abspath(self.cwd / Path(self.args.memory).expanduser())) if self.args.memory else None

    @property
    def door(self) -> Door:
        return door(os.environ, self.terminal)

    def settings(self) -> Settings:
        from memoranda.memory.settings import load

        return load(os.environ)

    def open(self) -> AbstractContextManager[Memory]:
        """The memory that was asked for: by path, the project's, or the personal one. Raises `NotFound`."""
        from memoranda.memory import Memory

        settings = self.settings()
        path = self.named
        if path is None and self.args.project:
            path = Memory.nearest_project(self.cwd)
            if path is None:
                raise NotFound(f"no project memory around {self.cwd}", "make one: memoranda init --project")
        return Memory.open(path, settings=settings, door=self.door)

    def open_all(self) -> Sequence[AbstractContextManager[Memory]]:
        """The memory that was asked for; when none was named, the personal one and the project's beside it."""
        from memoranda.memory import Memory

        beside = None if self.args.memory or self.args.project else Memory.nearest_project(self.cwd)
        if beside is None or beside.resolve() == self.settings().home.resolve():
            return [self.open()]
        project = Memory.open(beside, settings=self.settings(), door=self.door)
        try:
            return [self.open(), project]
        except NotFound:
            return [project]


def run(argv: Sequence[str]) -> int:
    """Run one command; returns the exit code. Expected errors become one line and a hint."""
    environ = os.environ
    name = agent(environ)
    output = Output.choose({"json": "--json" in argv}, environ, bool(name))
    try:
        args = parse(argv)
        output = Output.choose(vars(args), environ, bool(name))
        progress = Progress(quiet=output.quiet or output.json)
        reply = _version() if args.version else _command(args.command)(Call(args, at_terminal(), progress))
    except MemorandaError as error:
        return output.fail(error)
    except BrokenPipeError:
        raise
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return output.fail(
            Unavailable(f"{where}{error.strerror or type(error).__name__}", "nothing half-written is kept")
        )
    except Exception as error:
        return output.fail(_fault(error, "-v" in argv or "--verbose" in argv))
    return output.emit(reply)


def _fault(error: Exception, verbose: bool) -> MemorandaError:
    """A fault of ours. Its message may quote what was not screened, so only its kind and place are shown."""
    import traceback

    if verbose:
        traceback.print_exc()
    place = traceback.extract_tb(error.__traceback__)[-1]
    return MemorandaError(
        f"internal fault: {type(error).__name__} in {os.path.basename(place.filename)}:{place.lineno}",
        "run it again with -v and report what it prints",
    )


def _command(name: str) -> Callable[[Call], Reply]:
    function = name or "overview"
    module = importlib.import_module(f"memoranda.views.cli.{_MODULES.get(name, 'upkeep')}")
    command: Callable[[Call], Reply] = getattr(module, "help_" if function == "help" else function)
    return command


def _version() -> Reply:
    from memoranda import __version__

    return Reply("version", {"version": __version__}, lambda page: page.line(f"memoranda {__version__}"))
