"""Vectors as int8 rows with a scale each, memory-mapped and scanned whole: exact order, nothing to keep fresh.

`vectors.i8` holds rows x dims signed bytes, `scales.bin` eight bytes a row: a little-endian float32 (0 means none) and
a checksum over row number, scale and codes. Row numbers are map.sqlite's. Rows are never reused, so a reader may map
while a writer appends. A row that fails its checksum counts as none, and fewer rows than were given is damage.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from memoranda.model.errors import Corrupt

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    import numpy

#: Rows scanned at a time: 1024 x 384 floats are 1.5 MB, which stays in a core's cache.
_BLOCK = 1024
_THREADS = 2


class Dense:
    """The two files of one folder."""

    def __init__(self, folder: Path) -> None:
        self._codes = folder / "vectors.i8"
        self._scales = folder / "scales.bin"
        self._mapped: tuple[Any, Any] | None = None
        self._marks: Any = None
        self._whole: Any = None
        self._pool: ThreadPoolExecutor | None = None

    def rows(self, dims: int) -> int:
        """How many rows both files reach to."""
        try:
            return min(self._scales.stat().st_size // 8, self._codes.stat().st_size // dims) if dims else 0
        except FileNotFoundError:
            return 0

    def write(self, vectors: Mapping[int, memoryview], dims: int) -> None:
        """Put unit vectors at their rows and make them durable."""
        import numpy as np

        rows = sorted(vectors)
        stack = np.stack([np.frombuffer(vectors[row], dtype=np.float32) for row in rows])
        scales = (np.abs(stack).max(axis=1) / 127.0).astype("<f4")
        scales[scales == 0] = 1e-9
        codes = np.rint(stack / scales[:, None]).astype(np.int8)
        marks = np.empty((len(rows), 2), dtype="<u4")
        marks[:, 0] = scales.view("<u4")
        marks[:, 1] = _checks(codes, marks[:, 0], np.array(rows))
        _write(self._codes, ((row * dims, codes[n].tobytes()) for n, row in enumerate(rows)))
        _write(self._scales, ((row * 8, marks[n].tobytes()) for n, row in enumerate(rows)))

    def refresh(self) -> None:
        """Map the files anew at the next scan."""
        self._mapped = None

    def scan(self, query: memoryview, given: int = 0) -> numpy.ndarray[Any, Any]:
        """The cosine of every row with a unit query, float32; rows without a vector get -2. Empty without vectors.

        The query is rounded to whole numbers (see `_whole_numbers`), so that every sum is exact and the same whatever
        order the processor adds in: a row's score does not depend on where the row stands.
        Raises `Corrupt` when fewer rows than were `given` are whole.
        """
        import numpy as np

        vector, unit = _whole_numbers(np.frombuffer(query, dtype=np.float32))
        codes, scales = self._map(len(vector))
        if np.count_nonzero(scales) < given:
            raise Corrupt("vectors are damaged")
        scores = np.empty(len(scales), dtype=np.float32)

        def part(bounds: tuple[int, int]) -> None:
            buffer = np.empty((_BLOCK, len(vector)), dtype=np.float32)
            for at in range(bounds[0], bounds[1], _BLOCK):
                block = codes[at : min(at + _BLOCK, bounds[1])]
                wide = buffer[: len(block)]
                np.copyto(wide, block, casting="safe")
                np.dot(wide, vector, out=scores[at : at + len(block)])

        middle = len(scales) // 2
        if len(scales) < 4 * _BLOCK:
            part((0, len(scales)))
        else:
            from concurrent.futures import ThreadPoolExecutor

            self._pool = self._pool or ThreadPoolExecutor(_THREADS)
            list(self._pool.map(part, ((0, middle), (middle, len(scales)))))
        scores *= scales * unit
        scores[scales == 0] = -2.0
        return scores

    def whole(self, dims: int, given: int) -> None:
        """Look at every row. Raises `Corrupt` when fewer than were `given` are whole."""
        import numpy as np

        self.close()
        if np.count_nonzero(self._map(dims)[1]) < given:
            raise Corrupt("vectors are damaged")

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
        self._pool = self._mapped = self._marks = self._whole = None

    def _map(self, dims: int) -> tuple[Any, Any]:
        import numpy as np

        if self._mapped is None:
            rows = self.rows(dims)
            if not rows:
                return np.empty((0, dims), dtype=np.int8), np.empty(0, dtype=np.float32)
            codes = np.memmap(self._codes, dtype=np.int8, mode="r", shape=(rows, dims))
            marks = np.fromfile(self._scales, dtype="<u4", count=2 * rows).reshape(rows, 2)
            scales = np.where(self._check(codes, marks), marks[:, 0], 0).astype("<u4").view("<f4")
            self._mapped = (codes, scales)
        return self._mapped

    def _check(self, codes: Any, marks: Any) -> Any:
        """Which rows are as they were written; only those are looked at that came or changed since the last map."""
        import numpy as np

        whole = np.zeros(len(marks), dtype=bool)
        known = 0 if self._marks is None else min(len(self._marks), len(marks))
        due = np.ones(len(marks), dtype=bool)
        if known:
            due[:known] = (self._marks[:known] != marks[:known]).any(axis=1)
            whole[:known] = self._whole[:known]
        places = np.flatnonzero(due & (marks[:, 0] != 0))
        for at in range(0, len(places), _BLOCK):
            block = places[at : at + _BLOCK]
            together = block[-1] - block[0] + 1 == len(block)
            rows = codes[block[0] : block[-1] + 1] if together else codes[block]
            whole[block] = _checks(rows, marks[block, 0], block) == marks[block, 1]
        self._marks, self._whole = marks, whole
        return whole


def _whole_numbers(query: Any) -> tuple[Any, Any]:
    """A query as whole numbers in float32, and the float32 that makes it what it was.

    A float32 holds every whole number up to 2^24, and by Cauchy and Schwarz no part of a sum over codes passes the
    product of both lengths; codes are at most 127 sqrt(dims) long. At 384 dimensions that leaves the query a length of
    6,700, which turns it by 0.0008: a tenth of what rounding the rows to bytes does.
    """
    import numpy as np

    dims = len(query)
    longest = 2.0**24 / (127.0 * dims**0.5) - dims**0.5
    unit = np.float32(max(float(np.linalg.norm(query)), 1e-9) / longest)
    return np.rint(query / unit).astype(np.float32), unit


def _checks(codes: Any, scales: Any, rows: Any) -> Any:
    """A 32-bit checksum of each row: codes (n, dims) int8, scales (n,) as their bits, row numbers (n,).

    A sum of 64-bit words times odd numbers, as in multiply-shift hashing: one changed word always changes the sum. Each
    word is mixed first, so that two changes do not cancel by their highest bits.
    """
    import numpy as np

    if codes.shape[1] % 8:
        codes = np.pad(codes, ((0, 0), (0, -codes.shape[1] % 8)))
    parts = np.ascontiguousarray(codes).view("<u8")
    odd = np.arange(1, parts.shape[1] + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) | np.uint64(1)
    mixed = parts >> np.uint64(29)
    mixed ^= parts
    mixed *= odd
    sums = mixed.sum(axis=1, dtype=np.uint64)
    sums += scales.astype(np.uint64) * np.uint64(0xBF58476D1CE4E5B9)
    sums += (rows.astype(np.uint64) + np.uint64(1)) * np.uint64(0x94D049BB133111EB)
    sums ^= sums >> np.uint64(32)
    sums *= np.uint64(0xD6E8FEB86659FD93)
    return (sums >> np.uint64(32)).astype("<u4")


def best(scores: Any, depth: int, allowed: Sequence[int] | None) -> list[tuple[int, float]]:
    """The `depth` best (row, score) among `allowed` rows (None: all), with everything equal to the last; unordered."""
    import numpy as np

    if allowed is None:
        rows, values = np.arange(len(scores)), scores
    else:
        rows = np.asarray(allowed, dtype=np.int64)
        rows = rows[rows < len(scores)]
        values = scores[rows]
    if len(values) > depth:
        floor = np.partition(values, len(values) - depth)[len(values) - depth]
        keep = values >= floor
        rows, values = rows[keep], values[keep]
    return [(int(row), float(value)) for row, value in zip(rows, values, strict=True) if value > -2.0]


def _write(path: Path, spans: Any) -> None:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        for offset, data in spans:
            os.pwrite(handle, data, offset)
        os.fsync(handle)
    finally:
        os.close(handle)
