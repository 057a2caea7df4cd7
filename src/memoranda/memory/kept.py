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
        stamp = self._stamp(path)
        known = self._read.get(path)
        if stamp is None or (known is not None and known[0] == stamp):
            return known[1] if stamp and known else None
        found = self._records.load(path)
        return None if isinstance(found, Problem) else self._put(stamp, path, found)

    def known(self, path: str) -> Record | None:
        """The record if it was read before and its file is the same; None when it has to be read."""
        known = self._read.get(path)
        return known[1] if known is not None and known[0] == self._stamp(path) else None

    def keep(self, record: Record) -> Record:
        """A record as it was just written, which is how it would be read."""
        stamp = self._stamp(record.path)
        return record if stamp is None else self._put(stamp, record.path, record)

    def _put(self, stamp: tuple[int, ...], path: str, record: Record) -> Record:
        if len(self._read) >= MOST:
            self._read.clear()
        self._read[path] = (stamp, record)
        return record

    def _stamp(self, path: str) -> tuple[int, ...] | None:
        try:
            facts = os.stat(f"{self._records.folder.root}/{path}", follow_symlinks=False)
        except OSError:
            return None
        return (facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino)
