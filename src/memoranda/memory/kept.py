"""Records as they were last parsed, each right for as long as its file has the stamp it was read under."""

from __future__ import annotations

import os

from memoranda.model.problem import Problem
from memoranda.model.record import Record
from memoranda.truth.records import RecordStore

#: Records kept: some 2 kB each.
MOST = 1000


class Kept:
    """Reads records for one handle. A look at the file costs a hundredth of reading and parsing it."""

    def __init__(self, records: RecordStore) -> None:
        self._records = records
        self._read: dict[str, tuple[tuple[int, ...], Record]] = {}

    def load(self, path: str) -> Record | None:
        """The record as its file says now; None when it is missing or cannot be read."""
        try:
            facts = os.stat(self._records.folder.root / path, follow_symlinks=False)
        except OSError:
            return None
        stamp = (facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino)
        known = self._read.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        found = self._records.load(path)
        if isinstance(found, Problem):
            return None
        if len(self._read) >= MOST:
            self._read.clear()
        self._read[path] = (stamp, found)
        return found
