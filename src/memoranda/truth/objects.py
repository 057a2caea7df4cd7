"""Reading a fetched repository object by object: its size is asked before it is read, and no path of it is ever used.

Trees are read as git stores them, one at a time, so that a tree that names itself a thousand times costs nothing that
nobody walks.
"""

from __future__ import annotations

import re
import subprocess
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Iterator

from memoranda.model.values import dataclass
from memoranda.truth.fenced import Bounds, end, start_fenced
from memoranda.truth.git import GitFailed

TREE_BYTES = 16 << 20
_BOUNDS = Bounds(file_bytes=1 << 20)
#: The name of an object.
is_object = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}").fullmatch
_is_name = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}|refs/received/head\^\{commit\}").fullmatch
_is_head = re.compile(rb"([0-9a-f]{40}|[0-9a-f]{64}) (blob|tree|commit|tag) ([0-9]{1,15})\n").fullmatch


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a tree: git's mode ("100644", "40000", ...), the name as it stands, and the object."""

    mode: str
    name: bytes
    oid: str


class Objects:
    """The objects of one repository, while `reading` is open. Every method raises `GitFailed` when git ends."""

    def __init__(self, look: subprocess.Popen[bytes], give: subprocess.Popen[bytes]) -> None:
        self._look, self._give = look, give

    def facts(self, name: str) -> tuple[str, str, int] | None:
        """(object, kind, bytes) of an object or of the ref that was fetched; None when it is not there."""
        return _facts(_asked(self._look, name))

    def read(self, name: str, kind: str, most: int) -> bytes | None:
        """Its bytes; None when it is not there, of another kind or longer than `most`."""
        facts = self.facts(name)
        if facts is None or facts[1] != kind or facts[2] > most:
            return None
        if _facts(_asked(self._give, facts[0])) != facts:
            raise GitFailed("git gave another object than it named")
        assert self._give.stdout
        data = self._give.stdout.read(facts[2] + 1)
        if len(data) != facts[2] + 1:
            raise GitFailed("git ended while it gave an object")
        return data[:-1]

    def tree(self, oid: str) -> list[Entry]:
        """The entries of a tree; none when it is no tree or too large."""
        data = self.read(oid, "tree", TREE_BYTES) or b""
        size, at, entries = len(oid) // 2, 0, []
        while at < len(data):
            space, null = data.find(b" ", at), data.find(b"\0", at)
            if not at < space < null or null + size >= len(data):
                raise GitFailed("a tree is malformed")
            mode = data[at:space].decode("ascii", "replace")
            entries.append(Entry(mode, data[space + 1 : null], data[null + 1 : null + 1 + size].hex()))
            at = null + 1 + size
        return entries


@contextmanager
def reading(git_folder: Path) -> Iterator[Objects]:
    """Open a repository's objects. Raises `Unavailable` without git, `GitFailed`."""
    started: list[subprocess.Popen[bytes]] = []
    try:
        for way in ("--batch-check", "--batch"):
            arguments = [f"--git-dir={git_folder}", "cat-file", way]
            started.append(start_fenced(arguments, folder=git_folder, bounds=_BOUNDS, talk=True))
        yield Objects(*started)
    finally:
        for process in started:
            end(process)
            for stream in (process.stdin, process.stdout):
                if stream:
                    with suppress(OSError):  # what was not yet written to a git that has ended
                        stream.close()


def _asked(process: subprocess.Popen[bytes], name: str) -> bytes:
    if not _is_name(name):
        raise GitFailed("not the name of an object")
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(name.encode() + b"\n")
        process.stdin.flush()
    except OSError:
        raise GitFailed("git ended while it was asked") from None
    return process.stdout.readline(256)


def _facts(line: bytes) -> tuple[str, str, int] | None:
    match = _is_head(line)
    if match:
        return match[1].decode(), match[2].decode(), int(match[3])
    if line.endswith(b" missing\n"):
        return None
    raise GitFailed("git ended while it was asked" if not line else "git gave no facts of an object")
