"""Whether the files of an index are as they were written: sums over their bytes, looked at before anybody answers.

What it promises:

1. No byte of `words/` or `map.sqlite` that differs from what was written is answered from. Its reader raises `Corrupt`.
2. A file is read once for that, and then once a day: `checked.json` remembers which file (inode, size, times) was found
   whole and when. It is a note to save time; without it, or on a disk that cannot be written, files are read again.

tantivy ends each file of a segment with a CRC-32 over it, but does not look at it when opening; that of `meta.json` is
kept in the map. SQLite has sums for its log and none for its map. So the map is changed by nobody but `Seal.settle`,
which copies the log into it and writes down the map's sum (`seal.json`), all under a lock on the folder.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import threading
import time
import zlib
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Callable, Iterator

from memoranda.model.errors import Busy, Corrupt

_CHUNK_BYTES = 1 << 20
#: What was found whole is read again after this long, since a disk can lose a bit without telling anybody.
_TRUSTED_SECONDS = 86_400
#: A file that changed this shortly before it was looked at may change again without a new time: clocks of file systems
#: tick in steps, of up to ten milliseconds where the kernel counts 100 Hz.
_TICK_NS = 20_000_000
#: The end of each file of tantivy: its footer's length and a magic number, 32 bits each, little-endian.
_FOOTER_MAGIC = 1337
_FOOTER_LONGEST = 4096

#: Settling takes a tenth of a second; whoever holds the lock for longer was stopped.
_WAIT_SECONDS = 3.0
#: A map whose first contents are still in its log: one page that names its form.
_EMPTY_BYTES = 4096
_SETTLING = '{"settling": true}'

Facts = tuple[int, int, int, int, int]


def facts_of(path: Path) -> Facts:
    """What changes when anybody writes a file: device, inode, size, and both times in nanoseconds."""
    found = path.stat()
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


class Checked:
    """Which files were found whole, for this process and, as a note, for the next one."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "checked.json"
        self._known: dict[str, tuple[Facts, float]] | None = None
        self._noted = True

    def see(self, path: Path, whole: Callable[[Path], bool]) -> None:
        """Raises `Corrupt` if `whole` says no; it is asked only of what has changed or was not asked about today."""
        facts, now = facts_of(path), time.time()
        known = self._load().get(path.name)
        if known is not None and known[0] == facts and 0 <= now - known[1] < _TRUSTED_SECONDS:
            return
        if not whole(path):
            raise Corrupt(f"{path.name} is not as it was written")
        if time.time_ns() - max(facts[3:]) > _TICK_NS and facts_of(path) == facts:
            self._load()[path.name] = (facts, now)
            self._noted = False

    def note(self) -> None:
        """Leave word for the next process; a disk that cannot be written is no matter."""
        if self._noted:
            return
        self._noted = True
        kept = {name: [list(facts), at] for name, (facts, at) in self._load().items()}
        with suppress(OSError):
            _replace(self._path, json.dumps(kept), sync=False)

    def distrust(self) -> None:
        """Take nobody's word: everything is read again."""
        self._known = {}

    def _load(self) -> dict[str, tuple[Facts, float]]:
        if self._known is None:
            self._known = {}
            with suppress(OSError, ValueError, TypeError, AttributeError):
                for name, (facts, at) in json.loads(self._path.read_bytes()).items():
                    device, inode, size, modified, changed = facts
                    self._known[name] = ((device, inode, size, modified, changed), float(at))
        return self._known


class Seal:
    """The sum of `map.sqlite`, and the only way in which its bytes change."""

    def __init__(self, folder: Path, checked: Checked) -> None:
        self._folder = folder
        self._map = folder / "map.sqlite"
        self._path = folder / "seal.json"
        self._checked = checked

    def see(self) -> None:
        """Raises `Corrupt` when the map is not as the seal says. A map that holds nothing yet has none."""
        try:
            self._checked.see(self._map, self._whole)
        except Corrupt:
            with self._alone():  # somebody may be settling it just now
                self._checked.see(self._map, self._whole)

    def settle(self, link: sqlite3.Connection, close: bool = False) -> None:
        """Copy the log into the map, sum it up, and let it go if wanted. SQLite itself would copy it on closing.

        Raises `Busy` when another process is at it for long; never when it is let go.
        """
        try:
            with self._alone():
                if self._log_bytes():
                    self._settled(link)
                if close:
                    link.close()
        except Busy:
            if not close:
                raise
            with suppress(OSError):  # SQLite may settle it now, and nobody sums it up: until the next time it is open
                _replace(self._path, _SETTLING, sync=False)
        except (OSError, sqlite3.DatabaseError, Corrupt):
            if not close:
                raise
        finally:
            if close:  # full, read-only, damaged, gone: the log says what the map would, and the next one sees to it
                link.close()

    def due(self, most_bytes: int) -> bool:
        """True when the log has grown so long that it should be settled."""
        return self._log_bytes() > most_bytes

    def _settled(self, link: sqlite3.Connection) -> None:
        self._checked.see(self._map, self._whole)  # what was damaged meanwhile is not vouched for
        before = facts_of(self._map)
        seal = self._path.read_text() if self._path.exists() else None
        _replace(self._path, _SETTLING, sync=False)
        link.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        if seal and seal != _SETTLING and facts_of(self._map) == before:
            _replace(self._path, seal, sync=False)  # there was nothing to copy
        else:
            _replace(self._path, json.dumps({"bytes": self._map.stat().st_size, "sum": crc(self._map)}), sync=True)

    def _whole(self, path: Path) -> bool:
        try:
            text = self._path.read_text()
        except FileNotFoundError:
            return path.stat().st_size <= _EMPTY_BYTES
        except UnicodeDecodeError:
            return False
        if (
            text == _SETTLING
        ):  # a crash in the middle: the log has all that the map may lack, and nothing vouches for it
            return True
        return text == json.dumps({"bytes": path.stat().st_size, "sum": crc(path)})

    def _log_bytes(self) -> int:
        try:
            return self._map.with_name("map.sqlite-wal").stat().st_size
        except FileNotFoundError:
            return 0

    @contextmanager
    def _alone(self) -> Iterator[None]:
        handle = os.open(self._folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            until = time.monotonic() + _WAIT_SECONDS
            while True:
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > until:
                        raise Busy("another process settles the index's map", "try again when it is done") from None
                    time.sleep(0.005)
            yield
        finally:
            os.close(handle)


def segment_whole(path: Path) -> bool:
    """Whether the sum in a tantivy file's footer is that of the bytes before it."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - _FOOTER_LONGEST))
        end = file.read()
    length, magic = int.from_bytes(end[-8:-4], "little"), int.from_bytes(end[-4:], "little")
    if magic != _FOOTER_MAGIC or length + 8 > len(end):
        return False
    try:
        told = json.loads(end[-8 - length : -8])["crc"]
    except (ValueError, KeyError, TypeError):
        return False
    return bool(told == crc(path, size - 8 - length))


def crc(path: Path, length: int | None = None) -> int:
    """CRC-32 (zlib's) of a file or of its first `length` bytes."""
    found, left = 0, length
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES if left is None else min(_CHUNK_BYTES, left)):
            found = zlib.crc32(chunk, found)
            left = None if left is None else left - len(chunk)
    return found


def _replace(path: Path, text: str, sync: bool) -> None:
    temporary = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}.tmp")
    with temporary.open("w") as file:
        file.write(text)
        if sync:
            file.flush()
            os.fsync(file.fileno())
    os.replace(temporary, path)
