"""The records of a memory as a tree of files.

A record whose scope is a path below `/memories` lies at that path: this is how a file that a model made keeps its
name. Every other record lies at `core/<id>-<slug>.md` or `records/<id>-<slug>.md`, as on disk. Where two claim one
path, the newest has it and the others lie under their own names, so that nothing is hidden. Folders exist as far as
there is something in them.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from memoranda.model.record import Record
from memoranda.views.memory_tool.paths import ROOT, Fault, relative

if TYPE_CHECKING:
    from memoranda.memory.memory import Memory

_NAMED = re.compile(r"(?:core|records)/(mem_[0-9a-f]{12})(?:-[^/]*)?\Z")


class Tree:
    """What is current at the moment it is made."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.files: dict[str, Record] = {}
        for record in memory.current_records():  # newest first
            own = f"{'core' if record.core else 'records'}/{PurePosixPath(record.path).name}"
            path = place_of(record) or own
            self.files[own if path in self.files else path] = record

    def file(self, path: str) -> Record | None:
        """The record at a path. A path that names an id leads to what has become of that record."""
        found = self.files.get(path)
        named = None if found else _NAMED.match(path)
        return self._memory.latest(named[1]) if named else found

    def folder(self, path: str) -> bool:
        """Whether a path is a folder with something in it; the root always is one."""
        return not path or any(name.startswith(f"{path}/") for name in self.files)

    def below(self, path: str) -> dict[str, Record]:
        """Everything in a folder, at any depth, by its path relative to the folder, sorted."""
        start = f"{path}/" if path else ""
        return {name[len(start) :]: self.files[name] for name in sorted(self.files) if name.startswith(start)}

    def vacant(self, path: str) -> str:
        """ "" when a file may be made there, else the path that is in the way."""
        if self.file(path) is not None or self.folder(path):
            return path
        parents = PurePosixPath(path).parents
        return next((str(parent) for parent in parents if str(parent) in self.files), "")


def place_of(record: Record) -> str:
    """Where a record's scope puts it, "" when that is not a path of ours."""
    scope = record.scope or ""
    try:
        path = relative(scope) if scope.startswith(f"{ROOT}/") else ""
    except Fault:
        return ""
    return path if f"{ROOT}/{path}" == scope else ""
