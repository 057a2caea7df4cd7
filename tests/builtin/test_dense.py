"""The exact scan: what a row scores depends on the row alone."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

from memoranda.builtin.embedded.dense import Dense

DIMS = 384


def unit(seed: int) -> memoryview:
    draw = random.Random(seed)
    values = [draw.gauss(0, 1) for _ in range(DIMS)]
    length = sum(value * value for value in values) ** 0.5
    return memoryview(struct.pack(f"<{DIMS}f", *(value / length for value in values)))


def cosine(one: memoryview, other: memoryview) -> float:
    return sum(a * b for a, b in zip(one.cast("f"), other.cast("f"), strict=True))


@pytest.mark.parametrize("rows", [3, 64, 1500, 4500])
def test_c3_a_row_scores_the_same_wherever_it_stands(tmp_path: Path, rows: int) -> None:
    vectors = [unit(seed) for seed in range(40)]
    dense = Dense(tmp_path)
    dense.write({row: vectors[row % 40] for row in range(rows)}, DIMS)
    scores = dense.scan(unit(-1))
    dense.close()
    assert len({scores[row].tobytes() for row in range(0, rows, 40)}) == 1
    for row in range(min(rows, 40)):
        assert {scores[at] for at in range(row, rows, 40)} == {scores[row]}
        assert scores[row] == pytest.approx(cosine(vectors[row], unit(-1)), abs=0.01)


def test_rounding_the_question_costs_a_tenth_of_what_rounding_the_rows_does(tmp_path: Path) -> None:
    """Against whole rows in double precision: the error of both together stays near that of int8 alone."""
    vectors = {row: unit(row) for row in range(200)}
    dense = Dense(tmp_path)
    dense.write(vectors, DIMS)
    worst = 0.0
    for asked in range(1000, 1010):
        scores = dense.scan(unit(asked))
        worst = max(worst, *(abs(float(scores[row]) - cosine(vector, unit(asked))) for row, vector in vectors.items()))
    dense.close()
    assert worst < 0.003
