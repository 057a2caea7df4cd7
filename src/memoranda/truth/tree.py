"""Places in code: which repository a file belongs to, and what stands there now.

A repository is known by its root commit, the same in every clone and worktree. Which checkouts lie on this machine
is noted in the state (`repos.json`). git is asked once per checkout and only when an anchor needs it.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from memoranda.model.errors import Invalid, NotFound, Unavailable
from memoranda.model.locator import FileLocator
from memoranda.model.values import dataclass
from memoranda.model.world import Unseen
from memoranda.truth.files import make_private_folder, read_capped, replace
from memoranda.truth.git import GitFailed, run
from memoranda.truth.lock import WriteLock

FILE_BYTES = 64 * 1024 * 1024
_NAME = "repos.json"
_is_commit = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}").fullmatch


@dataclass(frozen=True, slots=True)
class _Checkout:
    """A work tree, its root commit, and the inode of its `.git`, by which a new clone at the same path is noticed."""

    top: str
    root_commit: str
    inode: int


class Checkouts:
    """The checkouts on this machine. `here` is the top of the repository that locators without a key are in."""

    def __init__(self, state: Path, here: Path | None = None) -> None:
        self._state = state
        self._here = here
        self._known: list[_Checkout] | None = None

    def note(self, path: Path) -> str:
        """Remember the checkout around `path` as the first to look in; its root commit.

        Raises `NotFound` outside any work tree, `Unavailable` when git cannot tell (none installed, a shallow clone,
        no commit yet).
        """
        top = top_of(path)
        if top is None:
            raise NotFound(f"{path} is not inside a git work tree", "anchor a file of a repository")
        known = self._checkouts()
        found = next((checkout for checkout in known if checkout.top == str(top)), None)
        if found is None or found.inode != _inode(top):
            found = _Checkout(str(top), _root_commit(top), _inode(top))
        if not known or known[0] != found:
            self._save([found, *(checkout for checkout in known if checkout.top != found.top)])
        return found.root_commit

    def locate(self, path: Path) -> FileLocator:
        """The locator of an existing file: root commit and path in the repository, links resolved.

        Raises `NotFound`, `Invalid` for what is no file of the work tree, `Unavailable` as `note`.
        """
        real = Path(os.path.realpath(path))
        if not real.exists():
            raise NotFound(f"{path} does not exist", "anchor a file that is there")
        if not real.is_file():
            raise Invalid(f"{path} is not a file", "anchor a file, or lines of one")
        top = top_of(real)
        if top is None:
            raise NotFound(f"{path} is not inside a git work tree", "anchor a file of a repository")
        relative = real.relative_to(top).as_posix()
        if relative.split("/")[0] == ".git":
            raise Invalid(f"{path} belongs to git, not to the work tree", "anchor a file of the work tree")
        return FileLocator(path=relative, repo=self.note(top))

    def file(self, locator: FileLocator) -> bytes | None:
        """The bytes at the locator's path in the newest known checkout, None when there is no such file.

        Raises `Unseen` when no checkout of that repository is known, or the path leads out of it.
        """
        top = self._here if locator.repo is None else self.top(locator.repo)
        if top is None:
            raise Unseen("no checkout of that repository is known here")
        return read_inside(top, locator.path)

    def top(self, root_commit: str) -> Path | None:
        """The newest known checkout of a repository that is still there, None for none."""
        for checkout in self._checkouts():
            if checkout.root_commit == root_commit and _inode(Path(checkout.top)) == checkout.inode:
                return Path(checkout.top)
        return None

    def _checkouts(self) -> list[_Checkout]:
        if self._known is None:
            self._known = _load(self._state / _NAME)
        return self._known

    def _save(self, checkouts: list[_Checkout]) -> None:
        make_private_folder(self._state)
        with WriteLock(self._state / "repos.lock").hold():
            tops = {checkout.top for checkout in checkouts}
            others = [checkout for checkout in _load(self._state / _NAME) if checkout.top not in tops]
            self._known = [*checkouts, *others]
            rows = [{"top": c.top, "root_commit": c.root_commit, "inode": c.inode} for c in self._known]
            text = json.dumps(rows, ensure_ascii=True, indent=1) + "\n"
            replace(self._state, _NAME, text.encode(), private=True)


def read_inside(top: Path, path: str) -> bytes | None:
    """The bytes of a regular file below `top`, None when there is none. Raises `Unseen` for what leads out of it."""
    base = os.path.realpath(top)
    real = os.path.realpath(f"{base}/{path}")
    inside = os.path.relpath(real, base).split(os.sep)
    if inside[0] in ("..", ".git") or real == base:
        raise Unseen("the path leads out of the work tree")
    try:
        facts = os.stat(real)
        data = read_capped(real, FILE_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Unseen(f"the file cannot be read ({error.strerror})") from error
    if data is None and facts.st_size > FILE_BYTES:
        raise Unseen(f"the file is larger than {FILE_BYTES} bytes")
    return data


def top_of(path: Path) -> Path | None:
    """The nearest folder at or above `path` that holds `.git` (a folder, or a file in worktrees)."""
    real = Path(os.path.realpath(path))
    for folder in (real, *real.parents):
        if os.path.lexists(folder / ".git"):
            return folder
    return None


def _inode(top: Path) -> int:
    try:
        return os.lstat(top / ".git").st_ino
    except OSError:
        return -1


def _root_commit(top: Path) -> str:
    """The oldest root of the history that is checked out."""
    try:
        if run(["rev-parse", "--is-shallow-repository"], folder=top).strip() == b"true":
            raise Unavailable(f"{top} is a shallow clone, which has no root commit", "run `git fetch --unshallow`")
        roots = run(["rev-list", "--max-parents=0", "HEAD"], folder=top).decode("ascii", "replace").split()
    except GitFailed as error:
        raise Unavailable(
            f"git cannot tell the root commit of {top}: {error.reason}", "commit once, then again"
        ) from None
    if not roots or not _is_commit(roots[-1]):
        raise Unavailable(f"git cannot tell the root commit of {top}", "commit once, then again")
    return roots[-1]


def _load(path: Path) -> list[_Checkout]:
    """None known when there is no such file or it is damaged: it can be made again."""
    try:
        rows = json.loads(path.read_text("utf-8"))
        checkouts = [_Checkout(row["top"], row["root_commit"], row["inode"]) for row in rows]
    except (OSError, ValueError, TypeError, KeyError):
        return []
    return [c for c in checkouts if isinstance(c.top, str) and isinstance(c.root_commit, str)]
