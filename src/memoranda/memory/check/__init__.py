"""Every flaw that reading finds, each with file, line, cause and next step.

Looking changes nothing. Without `deep` every record, event and name is read, but of turns files and evidence only
names, sizes and ends. `repair` rebuilds what is derived, and nothing else: the truth is mended by people.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import Iterator, Sequence

from memoranda.memory.check import derived, gone, logs, places, records
from memoranda.memory.store import Store
from memoranda.model.problem import Problem
from memoranda.model.record import Record


def check(store: Store, deep: bool = False, repair: bool = False) -> tuple[Problem, ...]:
    """All problems of one memory, by file; after a repair those that are left."""
    with _without_collecting():
        kept, problems = store.records.scan()
        found = [*_look(store, kept, problems, deep)]
        drift = [*derived.drift(store, kept, deep)]
        if repair and drift:
            derived.rebuild(store)
            drift = [*derived.drift(store, kept, deep)]
    return tuple(sorted({*found, *drift}, key=lambda p: (p.locator, p.line or 0, p.message)))


def _look(store: Store, kept: Sequence[Record], problems: Sequence[Problem], deep: bool) -> Iterator[Problem]:
    events, broken = store.events.read()
    yield from records.unreadable(store, problems)
    yield from records.flaws(store, kept, deep)
    yield from broken
    yield from gone.missing(store, kept, problems, events)
    yield from logs.altered(store)
    yield from logs.unlike(store, {(problem.locator, problem.line) for problem in broken}, deep)
    yield from logs.turns(store, deep)
    yield from logs.evidence(store, deep)
    if deep:
        yield from logs.anchors(store, kept)
    yield from places.form(store)
    yield from places.settings(store)


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Every record is kept until the end, and walking them again and again for garbage costs a tenth of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
