"""One memory's folder: made, opened, and cleared of what a crash left."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Iterator, Literal

from memoranda.model.errors import Conflict, Corrupt, Invalid, MemorandaError, NotFound, Unavailable
from memoranda.model.problem import Problem
from memoranda.model.values import dataclass, field
from memoranda.truth.files import (
    LOST,
    TEMP_PREFIX,
    create,
    explained,
    lost_name,
    make_folders,
    read_capped,
    sync_folder,
)
from memoranda.truth.git import GitFailed
from memoranda.truth.lock import WriteLock
from memoranda.truth.repository import commit_tracked

Kind = Literal["personal", "project"]
KINDS: tuple[Kind, ...] = ("personal", "project")
FORMAT = 1
MARK = "memory.toml"
_MARK_BYTES = 64 * 1024
_WAIT_SECONDS = 10.0

_IGNORED = "/.index/\n/.leases/\n/.lock\n/held/\n/turns/\n/evidence/\n/lost+found/\n.tmp-*\n"
_ATTRIBUTES = "* -text -merge\n"
_OURS = {MARK, ".git", ".gitignore", ".gitattributes", "core", "records", "held", "turns", "evidence", "events"}
_OURS |= {".index", ".leases", ".lock", LOST}
_RECORD_FOLDERS = ("core", "records", "held")


@dataclass(frozen=True, slots=True)
class Folder:
    """A memory on disk. `notices` say what could not be done at init and stops nothing (no git, say)."""

    root: Path
    kind: Kind
    notices: tuple[str, ...] = field(default=(), compare=False)

    @property
    def private(self) -> bool:
        """True when files are 0600 and folders 0700."""
        return self.kind == "personal"

    @staticmethod
    def init(root: Path, kind: Kind) -> Folder:
        """Make a memory, or finish one whose making was cut short; an existing one of this kind is opened.

        A personal memory becomes a git repository with a first commit. In a project nothing is ever committed.
        Raises `Conflict` for a folder with other things in it or a memory of the other kind, `Unavailable`.
        """
        if kind not in KINDS:
            raise Invalid(f"{kind!r} is no kind of memory", "choose personal or project")
        if os.path.lexists(root / MARK):
            return _as_kind(Folder.open(root), kind)
        private = kind == "personal"
        with explained(root):
            _make_root(root, private)
            strangers = sorted(n for n in set(os.listdir(root)) - _OURS if not n.startswith(TEMP_PREFIX))
            if strangers:
                raise Conflict(f"{root} holds other things ({strangers[0]}, …)", "choose an empty folder")
        for name in ("core", "records", "events"):
            with explained(root / name):
                make_folders(root, name, private)
        create(root, ".gitignore", _IGNORED.encode(), private)
        create(root, ".gitattributes", _ATTRIBUTES.encode(), private)
        # Last, since it is what makes the folder a memory.
        create(root, MARK, _mark(kind), private)
        return Folder(root, kind, _first_commit(root) if private else ())

    @staticmethod
    def open(root: Path) -> Folder:
        """An existing memory. Raises `NotFound`, `Corrupt` for a damaged memory.toml, `Unavailable` for a newer one."""
        try:
            data = read_capped(root / MARK, _MARK_BYTES)
        except (FileNotFoundError, NotADirectoryError):
            raise NotFound(f"there is no memory at {root}", "run `memoranda init`") from None
        except OSError as error:
            raise Unavailable(f"{root / MARK}: {error.strerror}", "check the owner and mode of the folder") from error
        for kind in KINDS:
            if data == _mark(kind):
                return Folder(root, kind)
        table = toml(data or b"")
        version, named = table.get("format"), table.get("kind")
        if type(version) is int and version > FORMAT:
            raise Unavailable(f"{root} is of format {version}; this program reads {FORMAT}", "update memoranda")
        if version != FORMAT or named not in KINDS:
            raise Corrupt(
                f"{root / MARK} is damaged",
                f'it holds two lines: format = {FORMAT} and kind = "personal" or "project"; write them back',
            )
        return Folder(root, KINDS[KINDS.index(named)])

    def table(self) -> dict[str, Any]:
        """What its memory.toml says now, so that what tightens there counts at once. Raises `Unavailable`."""
        with explained(self.root / MARK):
            return toml(read_capped(self.root / MARK, _MARK_BYTES) or b"")

    def recover(self, lock: WriteLock | None = None) -> list[Problem]:
        """Move the temporary files of writers that died to lost+found/; running it again changes nothing more.

        Every writer holds the write lock while its temporary file exists, so whoever holds it sees only strays.
        Problems name what was moved, or why it could not be.
        """
        if next(self._strays(), None) is None:
            return []
        problems = []
        try:
            with (lock or WriteLock(self.root / ".lock", _WAIT_SECONDS)).hold():
                for stray in list(self._strays()):
                    with explained(self.root / stray):
                        make_folders(self.root, LOST, self.private)
                        place = lost_name(stray)
                        os.rename(self.root / stray, self.root / place)
                        sync_folder(str((self.root / stray).parent), self.root)
                        sync_folder(str(self.root / LOST), self.root)
                    problems.append(Problem(stray, "a write was cut short", f"what was there is now {place}"))
        except MemorandaError as error:
            problems.append(Problem(str(self.root), f"strays of a crash remain: {error.message}", error.hint))
        return problems

    def _strays(self) -> Iterator[str]:
        for name in _RECORD_FOLDERS:
            for path in walk(self.root, name):
                if path.rpartition("/")[2].startswith(TEMP_PREFIX):
                    yield path
        for name in sorted(os.listdir(self.root)):
            if name.startswith(TEMP_PREFIX):
                yield name


def walk(root: Path, relative: str) -> Iterator[str]:
    """Every file below a folder of the memory, sorted, as paths relative to it. Links are never followed."""
    for entry in sorted_entries(root, relative):
        path = f"{relative}/{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            yield from walk(root, path)
        else:
            yield path


def sorted_entries(root: Path, relative: str) -> list[os.DirEntry[str]]:
    """The entries of one folder by name; none when it is not there. Raises `Unavailable` when it may not be read:
    what cannot be seen must never count as gone."""
    try:
        with os.scandir(f"{root}/{relative}") as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except PermissionError:
        raise Unavailable(f"{relative}/ cannot be read", f"give yourself the right: chmod u+rwx {relative}") from None
    except OSError:
        return []


def _mark(kind: Kind) -> bytes:
    """memory.toml as we write it, and as it nearly always reads."""
    return f'format = {FORMAT}\nkind = "{kind}"\n'.encode()


def toml(data: bytes) -> dict[str, Any]:
    """A memory.toml that somebody has added to; empty when it is none."""
    import tomllib

    try:
        return tomllib.loads(data.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError):
        return {}


def _make_root(root: Path, private: bool) -> None:
    try:
        root.mkdir(mode=0o700 if private else 0o777, parents=True)
    except FileExistsError:
        if not root.is_dir():
            raise Conflict(f"{root} is not a folder", "choose another place") from None
    if private:
        os.chmod(root, 0o700)
    sync_folder(str(root.parent), root)


def _as_kind(folder: Folder, kind: Kind) -> Folder:
    if folder.kind != kind:
        raise Conflict(f"{folder.root} is already a {folder.kind} memory", "choose another folder")
    return folder


def _first_commit(root: Path) -> tuple[str, ...]:
    try:
        commit_tracked(root, "")
    except (MemorandaError, GitFailed) as error:
        return (f"the memory has no git history yet: {error}",)
    return ()
