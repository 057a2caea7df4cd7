"""The stamp and the lock of an index folder: which model and which cutting made it, and who writes now."""

from __future__ import annotations

import fcntl
import json
import os
import time
import zlib
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Iterator

from memoranda.index.chunk import VERSION
from memoranda.model.errors import Busy, Conflict, Unavailable
from memoranda.model.values import as_dict, dataclass

#: Raised when what lies in the folder is laid out differently.
FORMAT = 6
#: The folder of extracts beside the index: dear to make, and no part of it.
EXTRACTS = "extracts"

#: Files of the folder that say nothing of what it holds; readers write there, too.
NOTES = {"lock", ".gitignore", "seal.json", "checked.json"}


@dataclass(frozen=True, slots=True)
class Stamp:
    """`embedder` and `dims` are "" and 0 until the first vector is kept."""

    embedder: str = ""
    dims: int = 0
    chunking: int = VERSION
    format: int = FORMAT

    @property
    def current(self) -> bool:
        """False when the texts would be cut or laid out differently today: then the index is made anew."""
        return self.chunking == VERSION and self.format == FORMAT

    def check(self, embedder: str, dims: int) -> None:
        """Raises `Conflict`, naming both, when another model made the vectors here."""
        if self.embedder and (self.embedder, self.dims) != (embedder, dims):
            raise Conflict(
                f"this index holds vectors of {self.embedder} ({self.dims} wide), not of {embedder} ({dims} wide)",
                "choose that model again, or make the index anew: memoranda reindex",
            )


def read(folder: Path) -> Stamp | None:
    """The stamp of an index folder, None without one. A damaged stamp reads as an outdated one."""
    try:
        found = json.loads((folder / "stamp.json").read_bytes())
        if found.pop("sum") != _sum(found):
            return Stamp(chunking=-1)
        return Stamp(str(found["embedder"]), int(found["dims"]), int(found["chunking"]), int(found["format"]))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, KeyError, TypeError, AttributeError, IsADirectoryError):
        return Stamp(chunking=-1)
    except OSError as error:
        raise Unavailable(f"the index cannot be read: {error.strerror}", "check the disk") from error


def write(folder: Path, stamp: Stamp) -> None:
    """Replace the stamp atomically."""
    temporary = folder / f"stamp.{os.getpid()}.tmp"
    told = as_dict(stamp)
    temporary.write_text(json.dumps({**told, "sum": _sum(told)}, indent=1) + "\n")
    os.replace(temporary, folder / "stamp.json")


def trace(folder: Path) -> object:
    """Changes when anybody writes in the folder. Not the notes nor SQLite's shared memory: readers write there."""
    try:
        entries = [entry for entry in os.scandir(folder) if entry.name not in NOTES]
        facts = [(e.name, e.stat(follow_symlinks=False)) for e in entries if not e.name.endswith(("-shm", ".tmp"))]
    except OSError:
        return None
    return sorted((name, fact.st_ino, fact.st_size, fact.st_mtime_ns) for name, fact in facts)


def clear(folder: Path) -> None:
    """Delete everything but the lock and extracts, which are dear and no part of the index proper."""
    for entry in list(os.scandir(folder)):
        if entry.name in ("lock", ".gitignore", EXTRACTS):
            continue
        if entry.is_dir(follow_symlinks=False):
            import shutil

            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)


def _sum(told: dict[str, object]) -> int:
    """CRC-32 of what a stamp says, so that a flipped bit is not taken for another model."""
    return zlib.crc32(json.dumps(told).encode())


@contextmanager
def lock(folder: Path, wait_seconds: float) -> Iterator[None]:
    """Hold the right to write in the index. Raises `Busy` naming the holder when it stays taken."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n")
    handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        until, pause = time.monotonic() + wait_seconds, 0.001
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= until:
                    holder = os.pread(handle, 32, 0).decode("ascii", "replace").strip() or "unknown"
                    raise Busy(f"process {holder} is writing the index", "try again when it is done") from None
                time.sleep(pause)
                pause = min(pause * 2, 0.02)
        with suppress(OSError):  # for people only
            os.pwrite(
                handle, f"{os.getpid():<20}\n".encode(), 0
            )  # never cut first: ext4 writes out what was cut, slowly
        yield
    finally:
        os.close(handle)
