"""A bench on which the write line can be tried: it reads the memory and writes nothing.

What was tried before is seen by what comes after it, as it would be if it had been written.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Iterable, Sequence

from memoranda.memory.store import Store
from memoranda.model.locator import TurnLocator
from memoranda.model.outcome import Draft
from memoranda.model.record import Authority, Record
from memoranda.model.turn import Turn
from memoranda.model.world import World
from memoranda.ports import Classifier, Screener
from memoranda.truth.handed import Handout
from memoranda.truth.records import as_record


class Rehearsal:
    """A `remember.line.Bench`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._tried: dict[str, Record] = {}

    @property
    def project(self) -> bool:
        return self._store.project

    def screeners(self) -> Sequence[Screener]:
        return self._store.screeners()

    def recent_bodies(self) -> Sequence[tuple[str, str]]:
        tried = [(record.id, record.body) for record in reversed(self._tried.values())]
        return [*tried, *self._store.recent_bodies()][:8]

    def find(self, id_or_prefix: str) -> Record:
        return self._tried.get(id_or_prefix) or self._store.find(id_or_prefix)

    def authority(self, record: Record) -> Authority:
        return Authority.FOREIGN if record.id in self._tried else self._store.authority(record)

    def same_statement(self, body: str, scope: str | None) -> Iterable[Record]:
        wanted = (" ".join(body.split()), scope)
        found = [r for r in self._tried.values() if (" ".join(r.body.split()), r.scope) == wanted]
        return [*self._store.same_statement(body, scope), *found]

    def held(self, record: Record) -> bool:
        return bool(record.hold) if record.id in self._tried else self._store.held(record)

    def current(self, id: str) -> Record | None:
        return self._tried.get(id) or self._store.current(id)

    def handed_out(self) -> Sequence[Handout]:
        return self._store.handed_out()

    def classifier(self) -> Classifier | None:
        return self._store.classifier()

    def cited_turns(self, locator: TurnLocator) -> Sequence[Turn]:
        return self._store.cited_turns(locator)

    def world(self) -> World:
        return self._store.world()

    def alone(self) -> AbstractContextManager[None]:
        return nullcontext()

    def write(self, draft: Draft) -> Record:
        record = as_record(draft)
        self._tried[record.id] = record
        return record

    def event(self, kind: str, target: str, cause: str) -> None:
        pass

    def take_in(self, record: Record) -> None:
        pass
