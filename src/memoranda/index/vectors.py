"""Vectors kept per user, outside every memory: what was embedded once is never embedded again.

One append-only file a model, `<cache>/vectors/<stamp hash>-<dims>/vectors.bin`, of fixed-size entries: the SHA-256 of
the text (32 bytes), a scale (float32, little-endian) and the vector as signed bytes. Several processes may append under
a lock; a torn last entry is cut off by the next writer and never read. An entry of zeros was scrubbed.
"""

from __future__ import annotations

import fcntl
import os
from hashlib import sha256
from pathlib import Path
from typing import Any, Iterable, Mapping, Sequence

_HASH = 32
_SCALE = 4


class VectorCache:
    """The cached vectors of one model. numpy is imported at the first use."""

    def __init__(self, cache: Path, stamp: str, dims: int) -> None:
        name = f"{sha256(stamp.encode()).hexdigest()[:32]}-{dims}"
        self._path = cache / "vectors" / name / "vectors.bin"
        self._dims = dims
        self._entry = _HASH + _SCALE + dims
        self._read = 0
        self._where: dict[bytes, int] = {}

    def get(self, contents: Iterable[str]) -> dict[str, memoryview]:
        """The vectors that are known, float32, by content hash."""
        import numpy as np

        self._refresh()
        wanted = [(content, at) for content in contents if (at := self._where.get(bytes.fromhex(content))) is not None]
        found: dict[str, memoryview] = {}
        if not wanted:
            return found
        with self._path.open("rb") as file:
            for content, at in sorted(wanted, key=lambda pair: pair[1]):
                file.seek(at)
                data = file.read(self._entry)
                if len(data) < self._entry or data[:_HASH] != bytes.fromhex(content):
                    continue  # scrubbed or rewritten since its place was learned
                scale = np.frombuffer(data, dtype="<f4", count=1, offset=_HASH)[0]
                codes = np.frombuffer(data, dtype=np.int8, offset=_HASH + _SCALE)
                found[content] = memoryview(codes.astype(np.float32) * scale)
        return found

    def put(self, vectors: Mapping[str, memoryview]) -> None:
        """Keep vectors (unit, float32) by content hash; known ones are left alone."""
        import numpy as np

        self._refresh()
        entries = []
        for content, vector in vectors.items():
            digest = bytes.fromhex(content)
            if digest not in self._where:
                values = np.frombuffer(vector, dtype=np.float32)
                scale = np.float32(max(float(np.abs(values).max()) / 127.0, 1e-9))
                codes = np.rint(values / scale).astype(np.int8)
                entries.append(digest + np.array([scale], dtype="<f4").tobytes() + codes.tobytes())
        if entries:
            self._append(entries)

    def scrub(self, contents: Iterable[str]) -> int:
        """Overwrite the vectors of erased texts, hash and all; how many there were."""
        self._refresh()
        places = [at for content in contents if (at := self._where.pop(bytes.fromhex(content), None)) is not None]
        if places:
            with self._path.open("r+b") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                for at in places:
                    file.seek(at)
                    file.write(bytes(self._entry))
                file.flush()
                os.fsync(file.fileno())
        return len(places)

    @classmethod
    def scrub_all(cls, cache: Path, contents: Iterable[str]) -> int:
        """`scrub` in the files of every model."""
        erased, count = tuple(contents), 0
        for path in sorted((cache / "vectors").glob("*-*/vectors.bin")):
            one = cls(cache, "", int(path.parent.name.rpartition("-")[2]))
            one._path = path
            count += one.scrub(erased)
        return count

    def _append(self, entries: Sequence[bytes]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            end = os.fstat(file.fileno()).st_size
            end -= end % self._entry
            file.truncate(end)
            file.seek(end)
            file.write(b"".join(entries))
        self._refresh()

    def _refresh(self) -> None:
        """Learn where the entries appended since the last look are."""
        try:
            file = self._path.open("rb")
        except FileNotFoundError:
            self._read = 0
            self._where.clear()
            return
        with file:
            size = os.fstat(file.fileno()).st_size
            if size < self._read:
                self._read = 0
                self._where.clear()
            whole = size - size % self._entry
            if whole > self._read:
                self._where.update(_places(file, self._read, whole, self._entry))
                self._read = whole


def _places(file: Any, start: int, stop: int, entry: int) -> dict[bytes, int]:
    import numpy as np

    table = np.memmap(file, dtype=np.uint8, mode="r", offset=start, shape=((stop - start) // entry, entry))
    hashes = np.ascontiguousarray(table[:, :_HASH]).tobytes()
    found = {hashes[n : n + _HASH]: start + n // _HASH * entry for n in range(0, len(hashes), _HASH)}
    found.pop(bytes(_HASH), None)
    return found
