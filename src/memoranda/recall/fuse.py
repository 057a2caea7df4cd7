"""Fuse rankings by rank: pure, no clock, no disk, no scores.

A document's place in one signal is the place of its best passage there. Its fused score is the sum over signals of
weight / (k + place): reciprocal rank fusion. What a signal's own score is plays no part, so a signal may be scaled
at will without moving anything.
"""

from __future__ import annotations

from typing import Collection, Mapping, Sequence

from memoranda.model.query import Hit, Ranked
from memoranda.model.values import dataclass
from memoranda.recall.weights import FULL_CHARACTERS, TYPICAL_ROWS, K


@dataclass(frozen=True, slots=True)
class Term:
    """One signal's share of a fused score."""

    signal: str
    weight: float
    rank: int
    value: float


def fuse(rankings: Mapping[str, Sequence[Ranked]], weights: Mapping[str, float], k: int = K) -> tuple[Hit, ...]:
    """Hits in one total order: score, then best rank, then document name.

    `rankings` are best first; of several rows of one document only the first counts in each signal. The row a hit
    carries, and so the passage that is shown, comes from the signal that adds most to it.
    """
    ranks: dict[str, dict[str, int]] = {}
    rows: dict[str, dict[str, Ranked]] = {}
    for signal in sorted(rankings):
        if weights.get(signal, 0.0) <= 0.0:
            continue
        for rank, row in enumerate(documents(rankings[signal]), 1):
            ranks.setdefault(row.doc, {})[signal] = rank
            rows.setdefault(row.doc, {})[signal] = row
    hits = [_hit(rows[doc], ranks[doc], weights, k) for doc in ranks]
    hits.sort(key=lambda hit: (-hit.score, min(rank for _, rank in hit.ranks), hit.row.doc))
    return tuple(hits)


def weights_for(rankings: Mapping[str, Sequence[Ranked]], weights: Mapping[str, float]) -> Mapping[str, float]:
    """The weights for these candidates: "dense" by how much text they typically hold, "covered" by how little.

    Turns of a chat hold a line each, and need those around them where meaning alone misleads; a paragraph or more, and
    meaning leads. Looks at lengths and places only, never at scores.
    """
    lengths = sorted(row.end - row.start for ranking in rankings.values() for row in ranking[:TYPICAL_ROWS])
    if not lengths:
        return weights
    share = min(1.0, lengths[len(lengths) // 2] / FULL_CHARACTERS) ** 3
    turned = {"dense": share, "covered": 1.0 - share}
    return {signal: weight * turned.get(signal, 1.0) for signal, weight in weights.items()}


def documents(ranking: Sequence[Ranked]) -> Sequence[Ranked]:
    """The ranking with the best row of each document alone."""
    best: dict[str, Ranked] = {}
    for row in ranking:
        best.setdefault(row.doc, row)
    return tuple(best.values())


def terms(ranks: Sequence[tuple[str, int]], weights: Mapping[str, float], k: int = K) -> tuple[Term, ...]:
    """The summands of a fused score, in order of the signals' names."""
    return tuple(Term(s, weights[s], rank, weights[s] / (k + rank)) for s, rank in sorted(ranks))


def merge(
    searched: Sequence[Mapping[str, Sequence[Ranked]]], by_place: Collection[str] = ()
) -> Mapping[str, Sequence[Ranked]]:
    """The rankings of several memories as one per signal, by the signal's own score; ties by memory, then key.

    Signals in `by_place` go by place instead: likenesses of two models cannot be compared, two first places can.
    """
    signals = sorted({signal for rankings in searched for signal in rankings})
    merged: dict[str, Sequence[Ranked]] = {}
    for signal in signals:
        rows = [
            (float(place) if signal in by_place else -row.score, n, row.key, row)
            for n, found in enumerate(searched)
            for place, row in enumerate(found.get(signal, ()))
        ]
        merged[signal] = tuple(row for *_, row in sorted(rows, key=lambda entry: entry[:3]))
    return merged


def _hit(rows: Mapping[str, Ranked], ranks: Mapping[str, int], weights: Mapping[str, float], k: int) -> Hit:
    summands = terms(tuple(ranks.items()), weights, k)
    first = max(summands, key=lambda term: term.value)
    return Hit(
        row=rows[first.signal],
        score=sum(term.value for term in summands),
        ranks=tuple((term.signal, term.rank) for term in summands),
    )
