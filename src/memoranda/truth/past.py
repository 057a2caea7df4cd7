"""What git knows of a memory's files: what stood there at a commit, who wrote a record, what was deleted.

Read only, with the hardened git of this room, and optional everywhere: without git, or outside a repository, each
question has the answer "nothing known". Commits are never trusted to be ours: what is read from one is checked by hash
by whoever uses it.
"""

from __future__ import annotations

import hashlib
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Iterator, Mapping

from memoranda.model.errors import Unavailable
from memoranda.model.values import dataclass
from memoranda.truth.git import GitFailed, run

#: Options that keep `git log` from starting any program and from depending on settings.
_LOG = ("log", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-mailmap", "--no-color")
_FORM = "--format=%x01%H%x02%ct%x02%an%x02%s"
_RECORDS = ("core", "records", "held")
_is_oid = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}").fullmatch
_is_id = re.compile(r"mem_[0-9a-f]{12}").match


@dataclass(frozen=True, slots=True)
class Blob:
    """A file at a commit: the object's name and its size in bytes."""

    oid: str
    size: int

    def begins(self, data: bytes) -> bool:
        """True when the file's bytes at that commit are the first of `data`."""
        head = data[: self.size]
        make = hashlib.sha1 if len(self.oid) == 40 else hashlib.sha256
        return len(head) == self.size and make(b"blob %d\0" % self.size + head).hexdigest() == self.oid


@dataclass(frozen=True, slots=True)
class Change:
    """One commit that touched a file. `what` is added, changed or deleted; `ts` UTC ISO; `author` and `message` are
    others' words."""

    commit: str
    ts: str
    author: str
    message: str
    path: str
    what: str


_WORDS = {"A": "added", "D": "deleted"}


def has_history(root: Path) -> bool:
    """True when the memory lies in a git work tree. Starts no git."""
    real = Path(os.path.realpath(root))
    return any(os.path.lexists(folder / ".git") for folder in (real, *real.parents))


def commit_of(root: Path, text: str) -> tuple[str, str] | None:
    """A commit's full name and its time (UTC ISO) for anything git can name it by; None when it names none."""
    asked = _ask(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{text}^{{commit}}")
    name = asked.decode("ascii", "replace").strip()
    if not _is_oid(name):
        return None
    return name, _utc(_ask(root, *_LOG, "-1", "--format=%ct", name).strip())


def tree(root: Path, commit: str = "HEAD") -> Mapping[str, Blob]:
    """Every file of the memory at a commit, by path relative to the memory; none when nothing is known."""
    files = {}
    for row in _ask(root, "ls-tree", "-r", "-z", "-l", commit).split(b"\0"):
        facts, tab, path = row.partition(b"\t")
        if tab:
            _, kind, oid, size = facts.split()
            if kind == b"blob":
                files[os.fsdecode(path)] = Blob(oid.decode(), int(size))
    return files


def changes(root: Path, id: str) -> list[Change]:
    """The commits that touched the files of a record, newest first."""
    return list(_log(root, "--", *(f":(glob){folder}/**/{id}*" for folder in _RECORDS)))


def deleted(root: Path) -> Mapping[str, Change]:
    """Record files that a commit deleted, by path, with the newest such commit."""
    found: dict[str, Change] = {}
    for change in _log(root, "--diff-filter=D", "--", *_RECORDS):
        found.setdefault(change.path, change)
    return found


def content(root: Path, commit: str, path: str) -> bytes | None:
    """The bytes of one file at a commit, None when there is none."""
    try:
        return _run(root, "cat-file", "blob", f"{commit}:./{path}")
    except (GitFailed, Unavailable):
        return None


def versions(root: Path, id: str) -> Iterator[tuple[str, bytes]]:
    """(path, bytes) of every version of a record's files that a commit brought, newest first."""
    for change in changes(root, id):
        data = None if change.what == "deleted" else content(root, change.commit, change.path)
        if data is not None:
            yield change.path, data


def id_of(path: str) -> str:
    """The record id that a file name begins with, "" for none."""
    match = _is_id(path.rpartition("/")[2])
    return match[0] if match else ""


def _log(root: Path, *arguments: str) -> Iterator[Change]:
    text = _ask(root, *_LOG, "--name-status", "--relative", "-z", _FORM, *arguments).decode("utf-8", "replace")
    for piece in text.split("\x01")[1:]:
        head, _, rest = piece.partition("\0")
        facts = head.split("\x02", 3)
        if len(facts) < 4 or not _is_oid(facts[0]):  # a message that forges our separators says nothing
            continue
        commit, ts, author, message = facts
        names = [name for name in rest.replace("\n", "").split("\0") if name]
        for status, path in zip(names[::2], names[1::2], strict=False):
            yield Change(commit, _utc(ts.encode()), author, message, path, _WORDS.get(status, "changed"))


def _utc(seconds: bytes) -> str:
    moment = datetime.fromtimestamp(int(seconds or 0), UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _ask(root: Path, *arguments: str) -> bytes:
    """What git prints, nothing when there is no git, no repository, no commit."""
    if not has_history(root):
        return b""
    try:
        return _run(root, *arguments)
    except (GitFailed, Unavailable):
        return b""


def _run(root: Path, *arguments: str) -> bytes:
    return run(arguments, folder=root)
