"""The suite an embedder must pass. Derive a class named `Test…` from it and say how yours is made.

    class TestMine(EmbedderContract):
        def embedder(self): return make()

Needs pytest to run, nothing else.
"""

from __future__ import annotations

from math import isfinite, sqrt
from typing import Sequence

from memoranda.ports.protocols import Embedder

TEXTS = (
    "A short one.",
    "",
    "多语言文本 и ещё",
    "word " * 2000,
    "a\x00b\ud83dc",
    "the staging environment is down",
    "\n\t ",
)


class EmbedderContract:
    """The promises of `Embedder`, as tests."""

    def embedder(self) -> Embedder:
        """An embedder, ready to use."""
        raise NotImplementedError

    def test_the_stamp_names_it_the_same_each_time(self) -> None:
        one, two = self.embedder(), self.embedder()
        assert one.stamp.strip()
        assert (one.stamp, one.dims) == (two.stamp, two.dims)
        assert one.dims > 1

    def test_passages_are_unit_vectors_in_one_buffer(self) -> None:
        embedder = self.embedder()
        block = embedder.passages(TEXTS)
        assert (block.format, block.shape, block.c_contiguous) == ("f", (len(TEXTS), embedder.dims), True)
        for vector in _vectors(block, embedder.dims):
            assert all(map(isfinite, vector))
            assert abs(sqrt(sum(value * value for value in vector)) - 1) < 1e-3

    def test_a_question_is_one_unit_vector(self) -> None:
        embedder = self.embedder()
        vector = embedder.query("where is it")
        assert (vector.format, vector.shape) == ("f", (embedder.dims,))
        assert abs(sqrt(sum(value * value for value in vector)) - 1) < 1e-3

    def test_no_texts_no_vectors(self) -> None:
        assert self.embedder().passages([]).nbytes == 0

    def test_the_same_text_gives_the_same_bytes_whatever_is_beside_it(self) -> None:
        embedder = self.embedder()
        together = _vectors(embedder.passages(TEXTS), embedder.dims)
        backwards = _vectors(embedder.passages(TEXTS[::-1]), embedder.dims)[::-1]
        alone = [_vectors(embedder.passages([text]), embedder.dims)[0] for text in TEXTS]
        assert together == backwards == alone
        assert list(embedder.query(TEXTS[0])) == list(self.embedder().query(TEXTS[0]))

    def test_likeness_shows(self) -> None:
        embedder = self.embedder()
        asked = list(embedder.query("staging environment"))
        near, far = _vectors(
            embedder.passages(["the staging environment broke", "a recipe for plum cake"]), embedder.dims
        )
        assert _cosine(asked, near) > _cosine(asked, far)


def _vectors(block: memoryview, dims: int) -> list[list[float]]:
    flat = list(block.cast("B").cast("f"))
    return [flat[at : at + dims] for at in range(0, len(flat), dims)]


def _cosine(one: Sequence[float], two: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, two, strict=True))
