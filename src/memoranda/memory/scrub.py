"""Take out of the turns kept here whatever keeps them from leaving, so that the next push ships all that is left.

Asked of the same gate as a push, so that it comes to rest: what was scrubbed passes, and a second scrub finds nothing.
The event comes first, as in a rescan. A record's bytes never change: those that would stay are named.
"""

from __future__ import annotations

from hashlib import sha256
from itertools import islice

from memoranda.memory.publishing import Published
from memoranda.memory.store import Store
from memoranda.model.outcome import Screened
from memoranda.model.problem import Problem
from memoranda.model.turn import Turn
from memoranda.model.values import dataclass
from memoranda.screen import scrubbed
from memoranda.share.gate import Gate
from memoranda.share.rows import turn_id

_TOGETHER = 512


@dataclass(frozen=True, slots=True)
class Kept:
    """Something that would stay: a turn's locator or a record's id, and the rules that name what is in it."""

    place: str
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scrub:
    """`turns` were looked at; `cut` are those with something in them, taken out if `applied`; `left` stay even so:
    records, and turns in which it does not stand in the words."""

    turns: int
    cut: tuple[Kept, ...]
    left: tuple[Kept, ...]
    applied: bool


def scrub(store: Store, keep: frozenset[str], apply: bool) -> Scrub:
    """Look at everything; with `apply` repair the turns. `keep` are rules that a person lets leave.

    Raises `Unavailable` when the gate cannot be sure, `Busy`.
    """
    gate = Gate(store.screeners())
    looked, cut, left = 0, list[Kept](), list[Kept]()
    for file in list(store.turn_files()):
        number, better = _file(store, file.path, gate, keep, cut, left)
        looked += number
        if apply and better:
            _write(store, file.path, better)
    source = Published(store)
    fit = [record for record, why in source.records() if not why and not source.reviewed(record)]
    for record, found in zip(fit, gate.records(fit), strict=True):
        if rules := tuple(rule for rule in found if rule not in keep):
            left.append(Kept(record.id, rules))
    if apply and cut:
        store.index.drop()  # it holds the words that were cut out
        store.catch_up(again=None)
    return Scrub(looked, tuple(cut), tuple(left), apply)


def _file(
    store: Store, path: str, gate: Gate, keep: frozenset[str], cut: list[Kept], left: list[Kept]
) -> tuple[int, dict[tuple[str, int], tuple[Turn, Screened[Turn], str]]]:
    """How many turns a file has, and those that are better otherwise: before, after, the first rule."""
    better: dict[tuple[str, int], tuple[Turn, Screened[Turn], str]] = {}
    turns = (item[0] for item in store.turns(path) if not isinstance(item, Problem))
    looked = 0
    while some := list(islice(turns, _TOGETHER)):
        looked += len(some)
        for turn, found in zip(some, gate.turns(some), strict=True):
            rules = tuple(rule for rule in found if rule not in keep)
            if not rules:
                continue
            after = scrubbed(turn, store.screeners(), keep)
            if [rule for rule in gate.turns([after.value])[0] if rule not in keep]:
                left.append(Kept(turn_id(turn), rules))
            else:
                cut.append(Kept(turn_id(turn), rules))
                better[turn.turn, turn.seq] = (turn, after, rules[0])
    return looked, better


def _write(store: Store, path: str, better: dict[tuple[str, int], tuple[Turn, Screened[Turn], str]]) -> None:
    for turn, after, rule in better.values():
        store.event("rescanned", turn_id(turn), f"{_sha(turn)} -> {_sha(after.value)} {rule}")

    def changed(turn: Turn) -> Screened[Turn] | None:
        known = better.get((turn.turn, turn.seq))
        return known[1] if known is not None and known[0] == turn else None

    store.turn_store.rewrite(path, changed)


def _sha(turn: Turn) -> str:
    return sha256(turn.text.encode("utf-8", "surrogatepass")).hexdigest()
