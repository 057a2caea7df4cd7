"""Vectors as int8 rows with a scale each, memory-mapped and scanned whole: exact order, nothing to keep fresh.

`vectors.i8` holds rows x dims signed bytes, `scales.f32` one little-endian float a row; row numbers are map.sqlite's,
scale 0 means none. Rows are never reused, so a reader may map while a writer appends.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, Sequence

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
        self._scales = folder / "scales.f32"
        self._mapped: tuple[Any, Any] | None = None
        self._pool: ThreadPoolExecutor | None = None

    def rows(self, dims: int) -> int:
        """How many rows both files reach to."""
        try:
            return min(self._scales.stat().st_size // 4, self._codes.stat().st_size // dims) if dims else 0
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
        _write(self._codes, ((row * dims, codes[n].tobytes()) for n, row in enumerate(rows)))
        _write(self._scales, ((row * 4, scales[n].tobytes()) for n, row in enumerate(rows)))

    def refresh(self) -> None:
        """Map the files anew at the next scan."""
        self._mapped = None

    def scan(self, query: memoryview) -> numpy.ndarray[Any, Any]:
        """The cosine of every row with a unit query, float32; rows without a vector get -2. Empty without vectors."""
        import numpy as np

        vector = np.frombuffer(query, dtype=np.float32)
        codes, scales = self._map(len(vector))
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
        scores *= scales
        scores[scales == 0] = -2.0
        return scores

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
        self._pool = self._mapped = None

    def _map(self, dims: int) -> tuple[Any, Any]:
        import numpy as np

        if self._mapped is None:
            rows = self.rows(dims)
            if not rows:
                return np.empty((0, dims), dtype=np.int8), np.empty(0, dtype=np.float32)
            codes = np.memmap(self._codes, dtype=np.int8, mode="r", shape=(rows, dims))
            scales = np.fromfile(self._scales, dtype="<f4", count=rows)
            self._mapped = (codes, scales)
        return self._mapped


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
