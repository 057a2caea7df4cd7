"""How much each way of matching counts, and how neighbours lend weight: numbers that were measured, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Weights:
    """Multipliers of BM25 scores.

    `title` (date, speaker, folder, tool, tags) and `names` (parts of identifiers) count beside the body's 1.0.
    `near` is what a turn takes over from the best matching prose turn on either side, divided by its distance in
    turns, up to `reach` turns away. `pool` is how many hits are looked at for each one that is asked for.

    On the first five LoCoMo conversations (760 questions, words only) near 0.5 within 2 turns takes R@5 from 0.548 to
    0.615 and R@10 from 0.639 to 0.713; indexing the neighbours' words as a field of their own gave 0.586 and 0.704,
    at twice the size.
    """

    title: float = 0.5
    names: float = 0.5
    near: float = 0.5
    reach: int = 3
    pool: int = 4


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a hit stands in its conversation. `session` is any value that tells conversations apart."""

    session: object
    seq: int
    prose: bool


def lend(scores: Mapping[int, float], spots: Mapping[int, Spot], weights: Weights) -> dict[int, float]:
    """Scores of hits after each took over its share of its neighbours'. Pure; records have no spot and keep theirs."""
    best: dict[tuple[object, int], float] = {}
    for row, score in scores.items():
        spot = spots.get(row)
        if spot is not None and spot.prose:
            place = (spot.session, spot.seq)
            best[place] = max(best.get(place, 0.0), score)
    lent = {}
    for row, score in scores.items():
        spot = spots.get(row)
        if spot is not None:
            for step in (1, -1):
                near = (best.get((spot.session, spot.seq + step * far), 0.0) / far for far in _span(weights.reach))
                score += weights.near * max(near, default=0.0)
        lent[row] = score
    return lent


def settle(scores: Mapping[int, float], key_of: Mapping[int, str]) -> list[tuple[int, float]]:
    """Rows best first, ties by key, where scores within `SAME` of the one before count as tied and are made equal.

    Sums of 32-bit scores depend on the order of adding, and that on how an index is cut into segments; without this
    the same truth could give two orders.
    """
    ordered = sorted(scores.items(), key=lambda pair: (-pair[1], key_of[pair[0]]))
    settled: list[tuple[int, float]] = []
    group: list[int] = []
    head = last = 0.0
    for row, score in [*ordered, (-1, float("-inf"))]:
        if group and last - score > SAME * abs(last):
            settled += ((member, head) for member in sorted(group, key=key_of.__getitem__))
            group = []
        if not group:
            head = score
        group.append(row)
        last = score
    return settled


#: Relative gap below which two scores are the same: some thirty times the rounding of a 32-bit sum of a few terms.
SAME = 4e-6


def _span(reach: int) -> Iterable[int]:
    return range(1, reach + 1)
