"""Lock files that a git which died left in a repository, and when they may go.

A third of all moments at which a `git commit` can be killed leave a lock that stops every later one. Age says nothing
about whether its owner lives. So a lock is removed only while our own lock on the repository is held, when no process
works in the repository or has the lock open, and when it is still the same file after that was looked up. Where the
system does not tell what other processes do (no /proc), nothing is removed.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Iterator

_TOP = ("HEAD", "config", "index", "packed-refs", "memoranda-index", "shallow", "gc.pid")


def clear(root: Path, git_folder: Path) -> list[str]:
    """Remove what dead processes left; names of locks that remain because somebody may live. Our lock is held."""
    found = {path: _facts(path) for path in _locks(git_folder)}
    if not found:
        return []
    free = _idle(root, git_folder)
    left = []
    for path, facts in found.items():
        if facts is None:
            continue
        if not free or _facts(path) != facts:
            left.append(str(path.relative_to(git_folder)))
            continue
        with suppress(FileNotFoundError):
            os.unlink(path)
    return left


def _locks(git_folder: Path) -> Iterator[Path]:
    for name in _TOP:
        yield git_folder / f"{name}.lock"
    yield git_folder / "objects" / "maintenance.lock"
    for folder, _, names in os.walk(git_folder / "refs"):
        yield from (Path(folder) / name for name in names if name.endswith(".lock"))


def _facts(path: Path) -> tuple[int, int] | None:
    try:
        facts = os.lstat(path)
    except OSError:
        return None
    return facts.st_ino, facts.st_mtime_ns


def _idle(root: Path, git_folder: Path) -> bool:
    """True when no git works in this folder and no other process has a file of the repository open but our lock.

    This process is not asked: it opens nothing there but that lock, and folders while it looks around.
    """
    try:
        pids = [name for name in os.listdir("/proc") if name.isdigit() and name != str(os.getpid())]
    except OSError:
        return False
    inside = f"{os.path.realpath(git_folder)}/"
    ours = f"{inside}memoranda.lock"
    top = os.path.realpath(root)
    for pid in pids:
        with suppress(OSError):  # gone meanwhile, or another user's, who cannot write in a private memory
            if _program(pid).startswith("git") and f"{os.readlink(f'/proc/{pid}/cwd')}/".startswith(f"{top}/"):
                return False
            for fd in os.listdir(f"/proc/{pid}/fd"):
                with suppress(OSError):
                    place = os.readlink(f"/proc/{pid}/fd/{fd}")
                    if place.startswith(inside) and place != ours and not os.path.isdir(place):
                        return False
    return True


def _program(pid: str) -> str:
    with open(f"/proc/{pid}/comm") as file:
        return file.read()
