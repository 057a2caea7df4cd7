"""How much each way of matching counts, and how neighbours lend weight: in one place."""

from __future__ import annotations

import math
from typing import Mapping

from memoranda.model.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class Weights:
    """Multipliers of BM25 scores.

    `title` (date, speaker, folder, tool, tags) and `names` (parts of identifiers) count beside the body's 1.0.
    `near` is what a turn takes over from the best matching prose turn around it, divided by its distance in turns, up
    to `reach` turns away on either side. `session` is what it then takes over from its session, whose strength is the
    root of the sum of squares of its rows among the best `strongest`. `near_dense` is `near` for cosines, which take
    nothing over from a session. `pool` is how many hits are looked at for each one that is asked for. Figures:
    docs/decisions/0005-fusion-weights.md.
    """

    title: float = 0.5
    names: float = 0.5
    near: float = 0.5
    reach: int = 2
    session: float = 0.15
    strongest: int = 50
    near_dense: float = 0.4
    pool: int = 4

    @property
    def dense(self) -> Weights:
        """How cosines are lent."""
        return replace(self, near=self.near_dense, session=0.0)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a hit stands in its conversation. `session` is any value that tells conversations apart."""

    session: object
    seq: int
    prose: bool


def lend(scores: Mapping[int, float], spots: Mapping[int, Spot], weights: Weights) -> dict[int, float]:
    """Scores of hits after each took over its share of its neighbours' and its session's.

    Pure. Rows without a spot (records) keep their scores.
    """
    placed = {row: spots[row] for row in scores if row in spots}
    best: dict[tuple[object, int], float] = {}
    for row, spot in placed.items():
        if spot.prose:
            place = (spot.session, spot.seq)
            best[place] = max(best.get(place, 0.0), scores[row])
    lent = dict(scores)
    for row, spot in placed.items():
        nearest = 0.0
        for far in range(1, weights.reach + 1):
            for seq in (spot.seq - far, spot.seq + far):
                score = best.get((spot.session, seq))
                if score is not None and score > nearest * far:
                    nearest = score / far
        lent[row] += weights.near * nearest
    ordered = sorted((lent[row] for row in placed), reverse=True)
    floor = ordered[min(len(ordered), weights.strongest) - 1] if ordered else 0.0
    squares: dict[object, list[float]] = {}
    for row, spot in placed.items():
        if lent[row] >= floor:  # with all that tie with the last, so that no accident decides
            squares.setdefault(spot.session, []).append(lent[row] ** 2)
    strength = {session: math.sqrt(math.fsum(parts)) for session, parts in squares.items()}  # exact in any order
    for row, spot in placed.items():
        lent[row] += weights.session * strength.get(spot.session, 0.0)
    return lent


def settle(scores: Mapping[int, float], key_of: Mapping[int, str]) -> list[tuple[int, float]]:
    """Rows best first, ties by key. The scores are the same to the last bit however an index came to be, so that ties
    are exact and no tolerance is needed: see `lexical._pairwise`, `Dense.scan` and `lend`."""
    return sorted(scores.items(), key=lambda pair: (-pair[1], key_of[pair[0]]))
