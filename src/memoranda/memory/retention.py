"""What becomes of the bytes of evidence when their time is over: which go, and for which a person is asked.

Keep: never. Window: once its last day is over, unless a record rests on it: then it is asked, and the question lists
those records. Discard: with the next pass, whatever rests on it, since whoever took it in said so; its records stay
and say that their exhibit is gone. Every drop is an event.
"""

from __future__ import annotations

from typing import Iterable

from memoranda.memory.shelf import place_of
from memoranda.memory.store import Store
from memoranda.model.evidence import Exhibit, Retention
from memoranda.model.problem import Problem
from memoranda.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Question:
    """Bytes that would go, and the records that rest on them."""

    exhibit: Exhibit
    records: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Drops:
    """What a pass did: what is gone, and what it asks about and left alone."""

    dropped: tuple[Exhibit, ...] = ()
    asked: tuple[Question, ...] = ()
    problems: tuple[Problem, ...] = ()


def run_pass(store: Store, today: str) -> Drops:
    """Drop what is over and nothing rests on. `today` is YYYY-MM-DD (UTC)."""
    exhibits, problems = store.evidence.all()
    dropped, asked = [], []
    for exhibit in exhibits:
        why = exhibit.over(today)
        if not why or store.evidence.size(exhibit.sha256) is None:
            continue
        records = () if exhibit.retention is Retention.DISCARD else tuple(store.relying(exhibit.sha256))
        if records:
            asked.append(Question(exhibit, records))
        else:
            drop(store, exhibit, why)
            dropped.append(exhibit)
    return Drops(tuple(dropped), tuple(asked), tuple(problems))


def drop_named(store: Store, exhibits: Iterable[Exhibit], consent: bool) -> Drops:
    """Drop what a person names; without `consent` not what a record rests on."""
    dropped, asked = [], []
    for exhibit in exhibits:
        records = tuple(store.relying(exhibit.sha256))
        if records and not consent:
            asked.append(Question(exhibit, records))
        elif store.evidence.size(exhibit.sha256) is not None:
            drop(store, exhibit, "asked for" + (f", relied on by {' '.join(records[:20])}" if records else ""))
            dropped.append(exhibit)
    return Drops(tuple(dropped), tuple(asked))


def drop(store: Store, exhibit: Exhibit, why: str) -> None:
    """The bytes and what was read out of them go; the event says why. Facts and records stay.

    The event comes first: bytes that are gone without one would be a loss, an event without a loss is healed by asking
    again.
    """
    store.event("dropped", place_of(exhibit.sha256), why)
    store.extracts.drop(exhibit.sha256)
    store.evidence.drop(exhibit.sha256)
