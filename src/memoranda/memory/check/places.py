"""Names, kinds and modes of files, and the few files that hold the memory's own settings."""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from typing import Iterator

from memoranda.memory.store import Store
from memoranda.model.problem import Problem
from memoranda.truth.files import TEMP_PREFIX, read_capped
from memoranda.truth.folder import MARK
from memoranda.truth.past import has_history
from memoranda.truth.records import KEEP

_TRUTH = ("core", "records", "held", "events", "turns", "evidence")
_RECORDS = ("core", "records", "held")
_is_name = re.compile(r"[a-z0-9_][a-z0-9._-]*", re.ASCII).fullmatch
_LINE = "* -text -merge"


def form(store: Store) -> Iterator[Problem]:
    """Names that would not survive another system, files that are none, and files that others may read."""
    root = str(store.folder.root)
    private = store.folder.private and os.name != "nt"
    if private and stat.S_IMODE(os.lstat(root).st_mode) & 0o077:
        yield _open(root, ".", 1)
    for name in _TRUTH:
        yield from _folder(root, name, private)


def _folder(root: str, relative: str, private: bool) -> Iterator[Problem]:
    try:
        with os.scandir(f"{root}/{relative}") as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        if not isinstance(error, FileNotFoundError):
            yield Problem(relative, f"cannot be looked into ({error.strerror})", "check its owner and mode")
        return
    modes: Counter[int] = Counter()
    folded: dict[str, str] = {}
    for entry in entries:
        path = f"{relative}/{entry.name}"
        facts = entry.stat(follow_symlinks=False)
        modes[stat.S_IMODE(facts.st_mode) & 0o077] += not stat.S_ISLNK(facts.st_mode)
        yield from _entry(path, entry.name, facts.st_mode)
        twin = folded.setdefault(entry.name.casefold(), entry.name)
        if twin != entry.name:
            yield Problem(path, f"differs from {twin} in case only", "rename one: some systems hold only one of them")
        if stat.S_ISDIR(facts.st_mode):
            yield from _folder(root, path, private)
    del modes[0]
    if private and modes:
        yield _open(root, relative, modes.total())


def _entry(path: str, name: str, mode: int) -> Iterator[Problem]:
    if name.startswith(TEMP_PREFIX):
        yield Problem(path, "a write was cut short", "the next write moves it to lost+found")
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        yield Problem(path, "is neither file nor folder, and is never followed", "move it out of the memory")
        return
    if path.startswith(tuple(f"{place}/" for place in _RECORDS)) and stat.S_ISREG(mode):
        if name != KEEP and (not name.endswith(".md") or name.startswith(".")):
            yield Problem(path, "is no record: left by a merge or an editor", "look at it, then remove it")
        elif not _is_name(name) and name.startswith("mem_"):
            yield Problem(path, "has a name that is not valid everywhere", "rename it: [a-z0-9._-] only")
    elif not _is_name(name):
        yield Problem(path, "has a name that is not valid everywhere", "rename it: [a-z0-9._-] only")


def _open(root: str, relative: str, number: int) -> Problem:
    what = "it" if relative == "." else f"{number} of the things in it"
    return Problem(relative, f"others may read {what}", f"chmod -R go= {root}")


def settings(store: Store) -> Iterator[Problem]:
    """memory.toml with more than it may say, and a git work tree that may change bytes."""
    import tomllib

    root = store.folder.root
    known = {"format", "kind"}
    strange = sorted(
        tomllib.loads((read_capped(root / MARK, 1 << 16) or b"").decode("utf-8", "replace")).keys() - known
    )
    if strange:
        yield Problem(
            MARK, f"{len(strange)} of its keys mean nothing here", "it holds format and kind; remove the rest"
        )
    if not has_history(root):
        return
    try:
        text = (read_capped(root / ".gitattributes", 1 << 16) or b"").decode("utf-8", "replace")
    except OSError:
        text = ""
    if _LINE not in text.splitlines():
        hint = f"add a line: {_LINE}"
        yield Problem(".gitattributes", "git may change bytes or merge lines of this memory", hint)
