"""Opens an agent's SQLite database to read it, beside a program that may be writing, and leaves nothing behind.

With a write-ahead log beside it the database is opened as a reader among others. Without one nobody has it open, and
it is read as it lies there; if a log appears meanwhile the reading is given up, to be done again next time.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from memoranda.ports.protocols import Source

MAGIC = b"SQLite format 3\x00"


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A read-only connection. Raises `OSError` when the file is no readable database or changes hands meanwhile."""
    live = _log(path) > 0
    before = _stamp(path)
    try:
        database = sqlite3.connect(f"{path.resolve().as_uri()}?{'mode=ro' if live else 'immutable=1'}", uri=True)
        try:
            database.text_factory = lambda raw: raw.decode("utf-8", "replace")
            yield database
        finally:
            database.close()
    except sqlite3.Error as error:
        raise OSError(5, f"the database cannot be read ({type(error).__name__})") from error
    if not live and before != _stamp(path):
        raise OSError(5, "the database was written to while it was read; it is read again next time")


def columns(database: sqlite3.Connection, table: str) -> frozenset[str]:
    """The names of a table's columns, none when there is no such table: versions differ."""
    return frozenset(row[1] for row in database.execute(f"pragma table_info({table})"))


def select(database: sqlite3.Connection, table: str, wanted: tuple[str, ...]) -> str:
    """A column list for `wanted` in which what this version's table lacks is NULL."""
    there = columns(database, table)
    return ", ".join(f"{table}.{name}" if name in there else f"NULL AS {name}" for name in wanted)


def found(path: Path, harness: str) -> Source | None:
    """The source of a database file, its log included in the stamp; None unless it is a regular file."""
    real = Path(os.path.realpath(path))
    if not real.is_file():
        return None
    facts = real.stat()
    return Source(str(real), real, harness, _stamp(real), facts.st_mtime, facts.st_size + max(_log(real), 0))


def _log(path: Path) -> int:
    """The size of the write-ahead log, -1 without one."""
    try:
        return os.stat(f"{path}-wal").st_size
    except OSError:
        return -1


def _stamp(path: Path) -> str:
    facts = path.stat()
    try:
        log = os.stat(f"{path}-wal")
        tail = f"+{log.st_size}:{log.st_mtime_ns}" if log.st_size else ""
    except OSError:
        tail = ""
    return f"{facts.st_size}:{facts.st_mtime_ns}:{facts.st_ino}{tail}"
