"""The memories that are served, opened when first needed and kept open; one thread at a time may use them."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Mapping

if TYPE_CHECKING:
    from memoranda.memory import Memory
    from memoranda.memory.serving import Marks
    from memoranda.model.record import Door
    from memoranda.model.settings import Settings

#: Where agents say which project they are in; else it is the folder they start us in.
_PROJECT_VARIABLES = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR")


def project_folder(environ: Mapping[str, str]) -> Path:
    """The folder an agent works in."""
    named = next((environ[name] for name in _PROJECT_VARIABLES if environ.get(name)), "")
    return Path(named) if named and os.path.isdir(named) else Path.cwd()


class Desk:
    """Opens each memory once. `named` is the folder or address of the only memory to serve, None for the personal one
    and that of the project around `cwd`; with `project` that one alone."""

    def __init__(
        self, environ: Mapping[str, str], cwd: Path, named: Path | str | None = None, project: bool = False
    ) -> None:
        self.environ, self.cwd, self.named, self.only_project = environ, cwd, named, project
        self._open: dict[Path | str, Memory] = {}

    def settings(self) -> Settings:
        from memoranda.memory.settings import load

        return load(self.environ)

    def one(self, door: Door) -> AbstractContextManager[Memory]:
        """The memory that is served first, as a context that leaves it open. Raises `NotFound` naming the command to
        make it."""
        from memoranda.views.commands.call import asked

        return self.opened(asked(self.named, self.only_project, self.cwd), door)

    def opened(self, place: Path | str | None, door: Door) -> AbstractContextManager[Memory]:
        """The memory in that folder or at that address, the personal one for None, as a context that leaves it open."""
        return nullcontext(self._memory(place or self.settings().home, door))

    def marks(self, door: Door) -> Marks:
        """What stands where now in the memory that is served first; without one nothing does."""
        from memoranda.memory.serving import Marks
        from memoranda.model.errors import MemorandaError

        try:
            with self.one(door) as memory:
                return memory.marks()
        except MemorandaError:
            return Marks({}, "", "", "")

    def close(self) -> None:
        """Commit what is waiting and let go of everything."""
        while self._open:
            self._open.popitem()[1].close()

    def _memory(self, place: Path | str, door: Door) -> Memory:
        from memoranda.views.commands.call import memory_at

        found = self._open.get(place)
        if found is None:
            found = self._open[place] = memory_at(place, self.settings(), door)
        found.come_through(door)
        return found
