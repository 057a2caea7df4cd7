"""Say what each fact does to a record's score: named factors with reasons. Pure: no clock, no disk, no model.

This file is the whole scoring rule. A record's score is its fused score times the product of its factors'
multipliers; a stale record stands after every record that is not stale, whatever its score. Usefulness plays no part.
"""

from __future__ import annotations

from typing import Mapping

from memoranda.model.query import Factor, Hit
from memoranda.model.values import dataclass, replace
from memoranda.recall.facts import Facts
from memoranda.recall.fuse import Term, terms
from memoranda.recall.weights import BOTH, OUTSIDE, STALE, UNVERIFIED, K


def reweigh(hit: Hit, facts: Facts) -> Hit:
    """The hit with its factors."""
    return replace(hit, factors=factors(facts))


def factors(facts: Facts) -> tuple[Factor, ...]:
    """Every factor that applies, those that change the score first."""
    found: list[Factor] = []
    changed = "; ".join(v.reason or f"{v.anchor} {v.state}" for v in facts.broken)
    if facts.expired and changed:
        found.append(Factor("stale and unverified", BOTH, f"{changed}; {facts.expired}"))
    elif changed:
        found.append(Factor("stale", STALE, changed))
    elif facts.expired:
        found.append(Factor("unverified", UNVERIFIED, facts.expired))
    if facts.authority.outside:
        found.append(Factor("outside", OUTSIDE, f"{facts.authority.word}: {facts.record.channel.value}"))
    if facts.edited:
        found.append(Factor("edited", 1.0, "the file is not the one its id names"))
    if facts.moved:
        found.append(Factor("moved", 1.0, "; ".join(v.reason or f"{v.anchor} moved" for v in facts.moved)))
    if facts.unseen:
        found.append(Factor("unknown", 1.0, "; ".join(v.reason or f"{v.anchor} not seen" for v in facts.unseen)))
    if facts.rivals:
        found.append(Factor("contested", 1.0, f"also {' '.join(facts.rivals)}"))
    return tuple(found)


def states(facts: Facts) -> tuple[str, ...]:
    """What to call the record: "current" when it was checked and nothing speaks against it."""
    found = []
    if facts.successors:
        found.append("superseded")
    if facts.broken:
        found.append("stale")
    if facts.edited:
        found.append("edited")
    if facts.expired or facts.edited:
        found.append("unverified")
    if facts.standing.contradicted:
        found.append("not settled")
    if facts.rivals:
        found.append("contested")
    if facts.unseen:
        found.append("unknown")
    if facts.authority.outside:
        found.append(facts.authority.word)
    return tuple(found) or ("current",)


def place(hit: Hit, facts: Facts) -> tuple[bool, bool, float, int, str]:
    """Sort key of *concluded*, least first: replaced records last, stale ones before them, then by score."""
    best = min((rank for _, rank in hit.ranks), default=0)
    return bool(facts.successors), bool(facts.broken), -hit.weighed, best, facts.record.id


@dataclass(frozen=True, slots=True)
class Explanation:
    """A score taken apart. `fused` is the sum of the terms, `score` that times every multiplier."""

    terms: tuple[Term, ...]
    fused: float
    factors: tuple[Factor, ...]
    score: float

    def __str__(self) -> str:
        summands = " + ".join(f"{t.signal} {t.weight:g}/({K}+{t.rank})" for t in self.terms) or "pulled in by its chain"
        times = "".join(f" x{f.multiplier:g} {f.name}" for f in self.factors)
        return f"{summands} = {self.fused:.6f}{times} = {self.score:.6f}"


def explain(hit: Hit, weights: Mapping[str, float]) -> Explanation:
    """Recompute a hit's score from its ranks and factors alone."""
    parts = terms(hit.ranks, weights)
    fused = sum(part.value for part in parts)
    score = fused
    for factor in hit.factors:
        score *= factor.multiplier
    return Explanation(parts, fused, hit.factors, score)
