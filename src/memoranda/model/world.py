"""The truth and the outside as protocols, so that checking an anchor needs no git and indexing needs no store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, Mapping, NamedTuple, Protocol, Sequence

from memoranda.model.locator import Anchor, FileLocator, TurnLocator
from memoranda.model.problem import Problem
from memoranda.model.record import Record
from memoranda.model.turn import Turn

if TYPE_CHECKING:  # named only: most memories hold no evidence
    from memoranda.model.evidence import Exhibit, Extract
    from memoranda.model.locator import EvidenceLocator
    from memoranda.model.query import Verdict


class Unseen(Exception):
    """The place cannot be looked at here (no checkout of that repository, no such store): the verdict is unknown."""


class Lineage(NamedTuple):
    """What git knows of a file that no longer holds its anchor.

    `then` is the file at the commit the anchor was taken at, None when it was not in it. `part` says whether that
    commit is part of the history that is checked out; None when the anchor names none. `went` are the paths to which
    git says the file moved, `alike` those of files with the very bytes it had, and of files git does not know yet.
    `held` are earlier versions at that path in the history that is checked out, newest first; `apart` those on other
    branches, each with the branch's name. Both are read only where `part` is not True, or when asked for.
    """

    then: bytes | None = None
    part: bool | None = None
    went: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    held: tuple[bytes, ...] = ()
    apart: tuple[tuple[str, bytes], ...] = ()


class World(Protocol):
    """Reads what stands at a place now. Implementations cache for one recall; longer only what a file's stamp or a
    checkout's state shows to be the same still."""

    def file(self, locator: FileLocator) -> bytes | None:
        """The bytes of the file in its checkout, None when it is gone. Raises `Unseen` when there is no checkout."""

    def symbols(self, locator: FileLocator, data: bytes) -> Sequence[tuple[str, tuple[int, int]]]:
        """(whole name with dots, lines) of every function, class and method in a file with these bytes.

        Raises `Unseen` when nothing here reads its language."""

    def commit(self, locator: FileLocator) -> str:
        """The commit that is checked out where the file is, "" when git cannot tell."""

    def lineages(self, asked: Sequence[Anchor], versions: bool = False) -> Sequence[Lineage | None]:
        """What git knows of each file, in a few processes for all of them; None when it knows nothing. Never raises.

        `versions` asks for earlier versions of all of them."""

    def looked(self, anchor: str) -> Verdict | None:
        """The verdict of an earlier look, if what it rests on is as it was."""

    def note(self, verdicts: Sequence[Verdict]) -> None:
        """Keep the verdicts of a look just made for the next."""

    def turn(self, locator: TurnLocator) -> str | None:
        """The stored text of the turn's blocks joined by newline, None when gone. Raises `Unseen` without a store."""

    def rewritten(self, locator: TurnLocator) -> str:
        """The screening rule by which a turn was cut after it was kept, "" when its text is no work of ours."""

    def record(self, id: str) -> str | None:
        """The full digest of the record's bytes, None when gone."""

    def evidence(self, locator: EvidenceLocator) -> str | None:
        """Why the exhibit is not as it was: None when its bytes are here. Raises `Unseen` when it never was here, and
        `Invalid` for a place that it does not have."""


class TurnFile(NamedTuple):
    """One turns file as it lies there: `path` relative to the memory, `size` in bytes, `mtime_ns` of the file."""

    path: str
    harness: str
    writer: str
    size: int
    mtime_ns: int


class TruthView(Protocol):
    """The truth as the index may read it: what there is, cheaply, and each thing when asked."""

    def record_stamps(self) -> Mapping[str, str]:
        """path -> stamp of every record file; a stamp changes whenever the file may have."""

    def record(self, path: str) -> Record | Problem:
        """One record, read from its file now."""

    def turn_files(self) -> Iterator[TurnFile]:
        """Every turns file, newest month first."""

    def turns(self, path: str, start: int = 0) -> Iterator[tuple[Turn, int] | Problem]:
        """Turns of one file from byte `start`, each with the offset after its line; a broken line is a problem."""

    def extract_stamps(self) -> Mapping[str, str]:
        """hash -> stamp of every extract of an exhibit whose bytes are here; a stamp changes with the extract."""

    def extract(self, sha256: str) -> tuple[Exhibit, Extract] | None:
        """An exhibit with what was read out of it, None when it has to be read again."""
