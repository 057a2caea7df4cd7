"""The part of the SDK for views that keep things under names: a record's scope is the name, and the newest has it.

What is put at a scope replaces all that is current there, so two who wrote at once are settled by the next who does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable

from memoranda.index.chunk import folder_of
from memoranda.memory import handing
from memoranda.memory.second import free_second
from memoranda.memory.times import now
from memoranda.model.errors import Invalid
from memoranda.model.outcome import Known, Outcome
from memoranda.model.query import Concluded, Filters, Query
from memoranda.model.record import Candidate, Durability, Record

if TYPE_CHECKING:
    from memoranda.memory.store import Store

_CURRENT = ("current", "contested")
#: What an answer may hold when it is cut by scope and not by size.
_UNBOUNDED_TOKENS = 1 << 30
#: More scopes are not named to the index one by one.
_MOST_SCOPES = 2000


class Scoped:
    """Part of `Memory`."""

    _store: Store

    def at(self, scope: str) -> tuple[Record, ...]:
        """The current records of exactly this scope, newest first; more than one only when two wrote at once. What
        is returned here does not count as given to a reader before `shown` says so."""
        store = self._store.renewed()
        return _current(store, store.catalog.scopes.get(scope, ()))

    def within(self, place: str) -> tuple[Record, ...]:
        """The newest current record of every scope at or below a place ("a/b" is below "a", every scope below ""),
        newest first."""
        store = self._store.renewed()
        scopes = [scope for scope in store.catalog.scopes if _lies(scope, place)]
        found = (_current(store, store.catalog.scopes[scope])[:1] for scope in scopes)
        return _newest_first(record for newest in found for record in newest)

    def shown(self, records: Iterable[Record]) -> None:
        """These were given to a reader: their words are known again when they come back."""
        self._store.hand_out(handing.of_records(self._store, records))

    def since(self, record: Record) -> str:
        """When something was first put at the place that a record has: the earliest of those it replaces in its
        scope."""
        store, first, seen, todo = self._store, record.created, {record.id}, [*record.supersedes]
        while todo:
            id = todo.pop()
            old = None if id in seen else store.read(id)
            seen.add(id)
            if old is not None and old.scope == record.scope:
                first = min(first, old.created)
                todo += old.supersedes
        return first

    def weight(self, record: Record) -> str:
        """What a record may do, as one of the words of `Authority`: it is what its ground makes of it when read."""
        return self._store.authority(record).word

    def keep_at(self, scope: str, text: str, *, durability: Durability | None = None) -> Outcome:
        """Let this text be what is kept at a scope, in place of what is there, through the door. Raises as `remember`
        does, and `Invalid` for a text that is searched already and no longer shall be."""
        from memoranda.remember.line import remember

        store = self._store
        store.recover()
        there = _current(store.renewed(), store.catalog.scopes.get(scope, ()))
        if len(there) == 1 and there[0].body == text:
            return self._again(there[0], durability)
        candidate = Candidate(
            body=text,
            scope=scope,
            durability=durability,
            supersedes=tuple(old.id for old in there),
            derived_from=tuple(old.id for old in there if store.authority(old).outside),
        )
        return remember(candidate, store.door, store, free_second(store, text, scope, now))

    def _again(self, record: Record, durability: Durability | None) -> Outcome:
        """The same text at the same place: only whether it is searched can be new."""
        store = self._store
        if durability is Durability.TRANSIENT and store.wanted(record):
            raise Invalid(f"{record.id} is searched and stays so while its text stays", "delete it first")
        if durability is Durability.DURABLE and not store.wanted(record) and not store.authority(record).outside:
            store.event("promoted", record.digest, "")
            store.catch_up()
        return Known(record, ("same-statement",))

    def recall_within(self, text: str, place: str, *, limit: int = 100) -> tuple[Concluded, ...]:
        """The records that answer `text` and whose scope lies at or below a place, best first; with "" those without a
        scope, too. None of them counts as given to a reader before `shown` says so.

        Only what lies there is searched, unless more than 2,000 scopes do: then out of the best of all. Raises
        `Invalid` for a question without words.
        """
        from memoranda.recall import recall

        store = self._store.ready()
        few = place and sum(1 for scope in store.catalog.scopes if _lies(scope, place)) <= _MOST_SCOPES
        filters = Filters(kinds=("record",), repos=(folder_of(place),) if few else ())
        answer = recall(Query(text, limit, filters, budget_tokens=_UNBOUNDED_TOKENS), [store], now())
        return tuple(one for one in answer.concluded if not place or _lies(one.record.scope or "", place))


def _lies(scope: str, place: str) -> bool:
    return not place or scope == place or scope.startswith(f"{place}/")


def _current(store: Store, ids: Iterable[str]) -> tuple[Record, ...]:
    found = (store.read(id) for id in ids)
    return _newest_first(r for r in found if r is not None and store.state(r) in _CURRENT)


def _newest_first(records: Iterable[Record]) -> tuple[Record, ...]:
    return tuple(sorted(records, key=lambda record: (record.created, record.id), reverse=True))
