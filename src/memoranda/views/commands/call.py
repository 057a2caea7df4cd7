"""What a command is given, which command a name means, and what an error of ours looks like when one fails."""

from __future__ import annotations

import importlib
import os
import shlex
from typing import TYPE_CHECKING, Callable, Mapping, Sequence

from memoranda.model.errors import Invalid, MemorandaError, NotFound, Unavailable
from memoranda.views.commands.reply import Reply

if TYPE_CHECKING:
    from argparse import Namespace
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from memoranda.memory import Memory
    from memoranda.model.record import Door
    from memoranda.model.settings import Settings
    from memoranda.views.commands.progress import Progress

Command = Callable[["Call"], Reply]

#: Operation -> the module of this package that runs it.
SHARED: Mapping[str, str] = {
    "remember": "writing", "init": "writing", "trust": "writing", "promote": "writing", "forget": "writing",
    "demote": "writing", "diff": "past", "blame": "past",
    "recall": "reading", "get": "reading", "history": "reading", "core": "reading",
    "capture": "upkeep", "embed": "upkeep", "verify": "upkeep", "check": "upkeep", "reindex": "upkeep",
    "status": "upkeep", "sessions": "browsing", "scan": "browsing", "sketch": "browsing", "entities": "browsing",
    "evidence": "exhibits", "open": "exhibits", "receive": "sharing",
}  # fmt: skip


def command(name: str) -> Command:
    """The command of that name. Raises `KeyError` for one that belongs to a single view."""
    return function(f"memoranda.views.commands.{SHARED[name]}", name)


def function(module: str, name: str) -> Command:
    """A command by the module it stands in, imported when it is run."""
    found: Command = getattr(importlib.import_module(module), name)
    return found


class Call:
    """Everything a command may look at. `me` begins every command it prints.

    `terminal`: standard input and output are a person's terminal. Views that keep memories open, or find themselves
    elsewhere than in the working directory, say so in a class of their own.
    """

    #: Whether a text of "-" means standard input.
    standard_input = True

    def __init__(self, args: Namespace, door: Door, terminal: bool, progress: Progress) -> None:
        self.args, self.door, self.terminal, self.progress = args, door, terminal, progress

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
            return f"memoranda --memory {shlex.quote(self.place(self.args.memory))}"
        return "memoranda --project" if self.args.project else "memoranda"

    @property
    def named(self) -> Path | None:
        """What was given with --memory: a folder, absolute. None for an address, or when nothing was."""
        from pathlib import Path

        given = self.args.memory
        return Path(self.place(given)) if given and "://" not in given else None

    @property
    def folder(self) -> Path | None:
        """As `named`, for commands that need a folder. Raises `Invalid` for an address."""
        if self.args.memory and self.named is None:
            hint = f"bring it here: memoranda pull {shlex.quote(self.args.memory)} FOLDER"
            raise Invalid(f"{self.args.memory} is an address: this command takes a folder", hint)
        return self.named

    def place(self, given: str) -> str:
        """A folder that was given, absolute; an address as it is."""
        return given if "://" in given else os.path.abspath(os.path.join(self.cwd, os.path.expanduser(given)))

    def settings(self) -> Settings:
        from memoranda.memory.settings import load

        return load(os.environ)

    def open(self) -> AbstractContextManager[Memory]:
        """The memory that was asked for: by path, the project's, or the personal one. Raises `NotFound`."""
        if self.args.memory and self.named is None:
            return self.shared(self.args.memory)
        return self._opened(asked(self.named, self.args.project, self.cwd))

    def open_all(self) -> Sequence[AbstractContextManager[Memory]]:
        """The memory that was asked for; when none was named, the personal one and the project's beside it."""
        from memoranda.memory import Memory

        beside = None if self.args.memory or self.args.project else Memory.nearest_project(self.cwd)
        if beside is None or beside.resolve() == self.settings().home.resolve():
            return [self.open()]
        project = self._opened(beside)
        try:
            return [self.open(), project]
        except NotFound:
            return [project]

    def shared(self, address: str) -> AbstractContextManager[Memory]:
        """A memory that was published, to read from. Nothing is asked there yet."""
        return self._opened(address)

    def beside(self, given: str) -> AbstractContextManager[Memory]:
        """A further memory that was named, by folder or address."""
        from pathlib import Path

        place = self.place(given)
        return self.shared(place) if "://" in given else self._opened(Path(place))

    def _opened(self, place: Path | str | None) -> AbstractContextManager[Memory]:
        """As `memory_at`. A view that keeps memories open has one at hand."""
        return memory_at(place, self.settings(), self.door)


def memory_at(place: Path | str | None, settings: Settings, door: Door) -> Memory:
    """The memory in that folder, own or published, or at that address; the personal one for None. Raises `NotFound`."""
    from memoranda.memory import Memory

    if isinstance(place, str) or (place and (place / "memory.lance").is_dir() and not (place / "memory.toml").exists()):
        return Memory.shared(str(place), settings=settings, door=door)
    return Memory.open(place, settings=settings, door=door)


def asked(named: Path | str | None, project: bool, cwd: Path) -> Path | str | None:
    """Where the memory stands that was asked for: what was named, the project's around `cwd`, or None for the
    personal one. Raises `NotFound` where there is no project memory."""
    if named is not None or not project:
        return named
    from memoranda.memory import Memory

    found = Memory.nearest_project(cwd)
    if found is None:
        raise NotFound(f"no project memory around {cwd}", "make one: memoranda init --project")
    return found


def expected(error: Exception, hint: str) -> MemorandaError:
    """Whatever a command raised, as an error that can be shown; `hint` is the next step after a fault of ours.

    The message of a fault may quote what was not screened, so only its kind and place are shown.
    """
    if isinstance(error, MemorandaError):
        return error
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return Unavailable(f"{where}{error.strerror or type(error).__name__}", "nothing half-written is kept")
    import traceback

    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{type(error).__name__} in {os.path.basename(place.filename)}:{place.lineno}"
    return MemorandaError(f"internal fault: {where}", hint)
