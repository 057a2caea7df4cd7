"""How much each way of matching counts, and how neighbours lend weight: in one place."""

from __future__ import annotations

import math
from typing import Mapping, Sequence

from memoranda.model.values import dataclass, replace

#: Words of a question that are told apart: a 32-bit float holds any sum of so many powers of two.
BITS = 24
_UNSEEN = 100


@dataclass(frozen=True, slots=True)
class Weights:
    """Multipliers of BM25 scores.

    `title` (date, speaker, folder, tool, tags) and `names` (parts of identifiers) count beside the body's 1.0.
    `opening` is how much of a passage's score is that of the passage its turn begins with. `near` is what a turn takes
    over from the best matching prose turn around it, divided by its distance in turns, up to `reach` turns away on
    either side, and by the number of its own passages. `session` is what it then takes over from its session, whose
    strength is the root of the sum of squares of its turns among the best `strongest`. `near_dense` is `near` for
    cosines, which take nothing over from a session. `nearby` is what a word of the question counts that stands not in
    a turn but in the prose next to it, again divided by distance and number of passages. `pool` is how many hits are
    looked at for each one that is asked for. Figures: docs/decisions/0005-fusion-weights.md, 0009-ranking.md.
    """

    title: float = 0.5
    names: float = 0.5
    opening: float = 1 / 3
    near: float = 0.5
    reach: int = 2
    session: float = 0.15
    strongest: int = 50
    near_dense: float = 0.4
    nearby: float = 0.7
    pool: int = 4

    @property
    def dense(self) -> Weights:
        """How cosines are lent."""
        return replace(self, near=self.near_dense, session=0.0)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a hit stands in its conversation. `session` is any value that tells conversations apart.

    `first` is the row its turn begins with (None: this one) and `pieces` how many rows the turn has, which follow each
    other.
    """

    session: object
    seq: int
    prose: bool
    first: int | None = None
    pieces: int = 1


def lend(scores: Mapping[int, float], spots: Mapping[int, Spot], weights: Weights) -> dict[int, float]:
    """The best row of each turn, with its score after the turn's opening, neighbours and session had their share.

    A long turn has many rows, and the best of many is high by chance alone; how it begins says better what it is about
    and it needs its neighbours the less. Pure. Rows without a spot (records) keep their scores.
    """
    placed = {row: spots[row] for row in scores if row in spots}
    begun = _opened(scores, placed, weights.opening)
    best: dict[tuple[object, int], float] = {}
    chosen: dict[int, int] = {}
    for row, spot in placed.items():
        if spot.prose:
            place = (spot.session, spot.seq)
            best[place] = max(best.get(place, 0.0), begun[row])
        turn = row if spot.first is None else spot.first
        other = chosen.get(turn)
        if other is None or (-begun[row], row) < (-begun[other], other):
            chosen[turn] = row
    lent = {row: score for row, score in scores.items() if row not in placed}
    for row in chosen.values():
        spot, nearest = placed[row], 0.0
        for far in range(1, weights.reach + 1):
            for seq in (spot.seq - far, spot.seq + far):
                score = best.get((spot.session, seq))
                if score is not None and score > nearest * far:
                    nearest = score / far
        lent[row] = begun[row] + weights.near * nearest / spot.pieces
    strength = _strength(lent, {row: placed[row].session for row in chosen.values()}, weights.strongest)
    for row in chosen.values():
        lent[row] += weights.session * strength.get(placed[row].session, 0.0)
    return lent


def _opened(scores: Mapping[int, float], placed: Mapping[int, Spot], share: float) -> dict[int, float]:
    """Scores of placed rows after each gave a share of its own for that of the row its turn begins with.

    One that is not among the hits counts as the weakest hit: it may be anything below.
    """
    least = min(scores.values(), default=0.0)
    begun = {}
    for row, spot in placed.items():
        score = scores[row]
        if spot.first is not None and spot.first != row:
            score += share * (scores.get(spot.first, least) - score)
        begun[row] = score
    return begun


def _strength(scores: Mapping[int, float], sessions: Mapping[int, object], strongest: int) -> dict[object, float]:
    """What each session has of the best rows, with all that tie with the last, so that no accident decides."""
    ordered = sorted((scores[row] for row in sessions), reverse=True)
    floor = ordered[min(len(ordered), strongest) - 1] if ordered else 0.0
    squares: dict[object, list[float]] = {}
    for row, session in sessions.items():
        if scores[row] >= floor:
            squares.setdefault(session, []).append(scores[row] ** 2)
    return {session: math.sqrt(math.fsum(parts)) for session, parts in squares.items()}  # exact in any order


def cover(
    held: Mapping[int, int],
    worth: Sequence[float],
    scores: Mapping[int, float],
    spots: Mapping[int, Spot],
    weights: Weights,
) -> dict[int, float]:
    """The row of each turn that with its neighbours covers most of a question, and which share of it that is, 0 to 1.

    `held` are the question's words in each row, as bits, `worth` what each bit counts, those that nobody says among
    them. A word counts once, where it is nearest: three words of a question, each said by another in turn, are its
    subject as much as one turn with all of them. What covers the same is told apart by `scores`. A row without a spot
    (a record) stands alone. Pure.
    """
    said: dict[tuple[object, int], int] = {}
    for row, bits in held.items():
        if row in spots and spots[row].prose:
            place = (spots[row].session, spots[row].seq)
            said[place] = said.get(place, 0) | bits
    value_of = _Worth(worth)
    whole = math.fsum(worth)
    covered: dict[int, float] = {}
    chosen: dict[int, int] = {}
    for row, bits in held.items():
        spot, seen = spots.get(row, _ALONE), bits
        value = value_of[bits]
        for far in range(1, weights.reach + 1 if spot is not _ALONE else 0):
            around = said.get((spot.session, spot.seq - far), 0) | said.get((spot.session, spot.seq + far), 0)
            value += weights.nearby * value_of[around & ~seen] / far / spot.pieces
            seen |= around
        covered[row] = (value + scores.get(row, 0.0) * _TOLD_APART) / whole
        turn = row if spot.first is None else spot.first
        other = chosen.get(turn)
        if other is None or (-covered[row], row) < (-covered[other], other):
            chosen[turn] = row
    return {row: covered[row] for row in chosen.values()}


#: Scores are some tens at most, and the least word is worth more than their thousandth.
_TOLD_APART = 1e-3
_ALONE = Spot(None, 0, False)


def rarest(common: Sequence[tuple[int, int, str]], most: int = BITS) -> list[tuple[int, int, str]]:
    """Of (how many rows hold it, place in the question, word) those that count, the rarest first.

    Of a long question, which is a text that somebody pasted, words that nobody says do not count: it is not asked for
    all of it.
    """
    if len(common) > most:
        common = [one for one in common if one[0]]
    return sorted(common)[:most]


def worth(every: int, many: int) -> float:
    """The inverse document frequency of a word that `many` of `every` rows hold, as BM25 has it (never negative), if
    there were a hundred rows more that do not hold it: in a memory of five, a word of all five still says something.
    """
    return math.log1p((every + _UNSEEN - many + 0.5) / (many + 0.5))


class _Worth(dict[int, float]):
    """What a set of bits counts, added up once for each set: few of them are met."""

    def __init__(self, worth: Sequence[float]) -> None:
        self._worth = worth

    def __missing__(self, bits: int) -> float:
        self[bits] = math.fsum(value for bit, value in enumerate(self._worth) if bits >> bit & 1)
        return self[bits]


def settle(scores: Mapping[int, float], key_of: Mapping[int, str]) -> list[tuple[int, float]]:
    """Rows best first, ties by key. The scores are the same to the last bit however an index came to be, so that ties
    are exact and no tolerance is needed: see `lexical._pairwise`, `Dense.scan` and `lend`."""
    return sorted(scores.items(), key=lambda pair: (-pair[1], key_of[pair[0]]))
