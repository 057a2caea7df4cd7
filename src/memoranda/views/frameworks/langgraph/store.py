"""LangGraph's `BaseStore` over records.

A put goes through the door and replaces what lay at its place, a delete forgets it, and a search with words is a
recall. What a record cannot do is said by an exception: nothing is dropped silently, and nothing half kept.
"""

from __future__ import annotations

from datetime import datetime
from threading import RLock
from typing import TYPE_CHECKING, Any, Awaitable, Callable, Iterable, Iterator, NamedTuple, Sequence

from memoranda.model.outcome import Held, Known, Outcome, Refused
from memoranda.model.record import Durability, Record
from memoranda.views.frameworks.langgraph.filters import matches, namespace_matches
from memoranda.views.frameworks.langgraph.places import RECORDS, ROOT, below, place_of, scope_of
from memoranda.views.frameworks.langgraph.values import read, written
from memoranda.views.frameworks.voice import agents_only

if TYPE_CHECKING:
    from memoranda.memory.memory import Memory

Away = Callable[..., Awaitable[Any]]
Namespace = tuple[str, ...]


class NotStored(Exception):
    """The door did not let a value in, or keeps it for a person to look at. `outcome` is what it said."""

    def __init__(self, message: str, outcome: Outcome) -> None:
        super().__init__(message)
        self.outcome = outcome


def langgraph_store(memory: Memory, base: Any, away: Away | None = None) -> Any:
    """A store over a memory, for `graph.compile(store=...)`.

    `base` is the module `langgraph.store.base`. `away` runs a call where it does not keep the event loop waiting:
    `asyncio.to_thread`; without it the asynchronous methods work where they are called. The memory stays its caller's
    to close, and is used by nobody else meanwhile. Raises `Invalid` for one that is open as a person's.
    """
    shelf = Shelf(agents_only(memory), base)

    def batch(self: Any, ops: Iterable[Any]) -> list[Any]:
        return shelf.batch(ops)

    async def abatch(self: Any, ops: Iterable[Any]) -> list[Any]:
        found: list[Any] = shelf.batch(ops) if away is None else await away(shelf.batch, tuple(ops))
        return found

    members = {"batch": batch, "abatch": abatch, "supports_ttl": False, "__doc__": "Items kept as records."}
    return type("MemorandaStore", (base.BaseStore,), members)()


class _Placed(NamedTuple):
    """A record where it lies, with its score when words were looked for."""

    namespace: Namespace
    key: str
    value: dict[str, Any]
    record: Record
    score: float | None = None


class Shelf:
    """The operations of a batch, one after the other, for one thread at a time. The first that fails ends it: those
    before it are done."""

    def __init__(self, memory: Memory, base: Any) -> None:
        self._memory, self._base, self._lock = memory, base, RLock()

    def batch(self, ops: Iterable[Any]) -> list[Any]:
        """Do each operation; their results in order."""
        with self._lock:
            return [self._do(op) for op in ops]

    def _do(self, op: Any) -> Any:
        base = self._base
        if isinstance(op, base.GetOp):
            return self._get(op)
        if isinstance(op, base.SearchOp):
            return self._search(op)
        if isinstance(op, base.ListNamespacesOp):
            return self._list(op)
        if isinstance(op, base.PutOp):
            return self._put(op)
        raise NotImplementedError(f"{type(op).__name__} is no operation that is known here")

    def _get(self, op: Any) -> Any:
        found = self._there(tuple(op.namespace), op.key)
        self._memory.shown(found[:1])
        return self._item(self._placed(found[0])) if found else None

    def _there(self, namespace: Namespace, key: str) -> tuple[Record, ...]:
        """What lies at a place, newest first: more than one record only after two who put at once."""
        if namespace != RECORDS:
            return self._memory.at(scope_of(namespace, key))
        record = self._memory.latest(key)
        return (record,) if record is not None and record.id == key and place_of(record.scope) is None else ()

    def _put(self, op: Any) -> None:
        namespace = tuple(op.namespace)
        if op.value is None:
            return self._delete(namespace, op.key)
        if op.ttl is not None:
            raise NotImplementedError("items do not expire: forget one when its time has come, or keep it elsewhere")
        if op.index not in (None, False):
            raise NotImplementedError("an item is searched as a whole or, with index=False, not at all")
        if not namespace or namespace == RECORDS:
            raise self._base.InvalidNamespaceError(f"nothing can be put at {namespace}: choose another namespace")
        scope = scope_of(namespace, op.key)
        there = self._memory.at(scope)
        text = written(op.value, there[0].body if there else "")
        durability = Durability.TRANSIENT if op.index is False else Durability.DURABLE
        self._kept(scope, self._memory.keep_at(scope, text, durability=durability))
        return None

    def _kept(self, scope: str, outcome: Outcome) -> None:
        if isinstance(outcome, Refused):
            raise NotStored(f"{outcome.message}; {outcome.hint}" if outcome.hint else outcome.message, outcome)
        there = {record.id for record in self._memory.at(scope)}
        if isinstance(outcome, Held) or (isinstance(outcome, Known) and outcome.record.id not in there):
            why = ", ".join(outcome.record.hold) or "it waits"
            raise NotStored(f"{outcome.record.id} has no effect until a person releases it ({why})", outcome)

    def _delete(self, namespace: Namespace, key: str) -> None:
        if doomed := self._there(namespace, key):
            self._memory.forget_whole(doomed, f"deleted from {below(namespace)}")

    def _search(self, op: Any) -> list[Any]:
        prefix = tuple(op.namespace_prefix)
        if op.limit < 0 or op.offset < 0:
            raise ValueError("limit and offset count from 0")
        found = self._asked(op.query, prefix) if (op.query or "").strip() else self._listed(prefix)
        wanted = [one for one in found if one.namespace[: len(prefix)] == prefix and matches(one.value, op.filter)]
        page = wanted[op.offset : op.offset + op.limit]
        self._memory.shown(one.record for one in page)
        return [self._item(one, score=one.score) for one in page]

    def _asked(self, text: str, prefix: Namespace) -> Iterator[_Placed]:
        """Best first."""
        for one in self._memory.recall_within(text, "" if _covers_records(prefix) else below(prefix)):
            placed = self._placed(one.record)
            if not one.contested_with or self._there(placed.namespace, placed.key)[:1] == (one.record,):
                yield placed._replace(score=one.score)

    def _listed(self, prefix: Namespace) -> Sequence[_Placed]:
        """What was put last first."""
        records = [r for r in self._memory.within(below(prefix)) if place_of(r.scope) is not None]
        if _covers_records(prefix):
            records += [r for r in self._memory.current_records() if place_of(r.scope) is None]
            records.sort(key=lambda record: record.created, reverse=True)
        return [self._placed(record) for record in records]

    def _list(self, op: Any) -> list[Namespace]:
        found = {place[0] for r in self._memory.within(ROOT) if (place := place_of(r.scope))}
        if any(place_of(record.scope) is None for record in self._memory.current_records()):
            found.add(RECORDS)
        kept = {name for name in found if all(namespace_matches(one, name) for one in op.match_conditions or ())}
        cut = sorted(kept if op.max_depth is None else {name[: op.max_depth] for name in kept})
        return cut[op.offset : op.offset + op.limit]

    def _placed(self, record: Record) -> _Placed:
        place = place_of(record.scope)
        if place is not None:
            return _Placed(*place, read(record.body), record)
        value = {"text": record.body, "category": record.category.value, "authority": self._memory.weight(record)}
        return _Placed(RECORDS, record.id, value, record)

    def _item(self, one: _Placed, **more: Any) -> Any:
        made = self._base.SearchItem if more else self._base.Item
        return made(
            namespace=one.namespace,
            key=one.key,
            value=one.value,
            created_at=datetime.fromisoformat(self._memory.since(one.record)),
            updated_at=datetime.fromisoformat(one.record.created),
            **more,
        )


def _covers_records(prefix: Namespace) -> bool:
    return RECORDS[: len(prefix)] == prefix
