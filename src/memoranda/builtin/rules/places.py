"""Where many literals begin in a long text, by one pass over all its triples of characters.

`bytes.find` costs a pass a literal, and the rules have about a hundred. Here a table says of every two characters, and
then of three, whether any literal begins so. Without numpy there is no index, and the rules are slower.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Iterator, Sequence

if TYPE_CHECKING:
    import numpy as np

#: Beginnings that were asked for. One that is new to a text is looked for in a pass of its own, then with the others.
_asked: set[int] = set()


class Places:
    """The places of one text."""

    def __init__(self, numpy: Any, low: bytes) -> None:
        self.numpy, self._low = numpy, low
        self._known = frozenset(_asked)
        pairs, triples = numpy.zeros(1 << 16, bool), numpy.zeros(1 << 24, bool)
        triples[list(self._known)] = True
        pairs[[triple & 0xFFFF for triple in self._known]] = True
        found = []
        for offset in (0, 1):  # every two characters are a number already, once from each end
            here = numpy.frombuffer(low, "<u2", (len(low) - offset) // 2, offset)
            at = numpy.flatnonzero(pairs[here])
            at = at[: numpy.searchsorted(at, (len(low) - offset - 2 + 1) // 2)]
            third = numpy.frombuffer(low, numpy.uint8)[2 * at + offset + 2]
            triple = here[at] | third.astype(numpy.uint32) << 16
            kept = triples[triple]
            found.append(triple[kept].astype(numpy.int64) << 32 | (2 * at[kept] + offset))
        self._sorted: np.ndarray = numpy.sort(numpy.concatenate(found))

    def of(self, literal: bytes) -> Sequence[int]:
        """Where a literal of three characters or more may begin, left to right: its first three stand there."""
        triple = int.from_bytes(literal[:3], "little")
        if triple not in self._known:
            _asked.add(triple)
            return list(_every(self._low, literal[:3]))
        first, last = self.numpy.searchsorted(self._sorted, (triple << 32, triple + 1 << 32))
        here: Sequence[int] = (self._sorted[first:last] & 0xFFFFFFFF).tolist()
        return here


def _every(low: bytes, literal: bytes) -> Iterator[int]:
    at = low.find(literal)
    while at >= 0:
        yield at
        at = low.find(literal, at + 1)


def places_in(low: bytes) -> Places | None:
    """An index of a text in lower case, None without numpy."""
    numpy = _numpy()
    return Places(numpy, low) if numpy is not None and len(low) >= 3 else None


@cache
def _numpy() -> Any:
    try:
        import numpy
    except ImportError:
        return None
    return numpy
