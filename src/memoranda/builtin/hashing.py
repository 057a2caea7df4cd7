"""An embedder without a model: words and character trigrams hashed into a unit vector.

It keeps the promise of `ports.Embedder` exactly and needs no weights, so tests and demonstrations can use it. It knows
spelling, not meaning.
"""

from __future__ import annotations

import re
from array import array
from hashlib import blake2b
from math import sqrt
from typing import Sequence

_WORD = re.compile(r"\w+")


class HashingEmbedder:
    """`dims` buckets; each feature adds plus or minus its weight to one of them."""

    def __init__(self, dims: int = 256) -> None:
        self._dims = dims

    @property
    def stamp(self) -> str:
        return f"hashing-1/{self._dims}"

    @property
    def dims(self) -> int:
        return self._dims

    def passages(self, texts: Sequence[str]) -> memoryview:
        values = array("f")
        for text in texts:
            values.extend(self._unit(text))
        flat = memoryview(values).cast("B")
        return flat.cast("f", (len(texts), self._dims)) if texts else flat  # type: ignore[return-value]

    def query(self, text: str) -> memoryview:
        return memoryview(array("f", self._unit(text)))

    def _unit(self, text: str) -> list[float]:
        sums = [0.0] * self._dims
        for word in _WORD.findall(text.casefold()) or [""]:
            self._add(sums, word, 1.0)
            padded = f"^{word}$"
            for at in range(len(padded) - 2):
                self._add(sums, padded[at : at + 3], 0.3)
        length = sqrt(sum(value * value for value in sums)) or 1.0
        return [value / length for value in sums]

    def _add(self, sums: list[float], feature: str, weight: float) -> None:
        number = int.from_bytes(blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
        sums[(number >> 1) % self._dims] += weight if number & 1 else -weight


def make() -> HashingEmbedder:
    """The plug-in `hashing` of group memoranda.embedders."""
    return HashingEmbedder()
