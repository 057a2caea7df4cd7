"""What records are about: every name that stands in them, which names are one, and all that is known of one.

A name is declared in a record's header or told by its form in the text (`model.naming`). Two spellings that fold alike
are one name. Further names of a thing are joined by a record tagged `alias` whose entities they are, so an alias is
dated, can be superseded and has an author; what outside voices say joins nothing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Iterator, Mapping, Sequence

from memoranda.model.errors import Invalid, NotFound
from memoranda.model.naming import named
from memoranda.model.record import Authority, Record
from memoranda.model.values import dataclass

if TYPE_CHECKING:
    from memoranda.memory.store import Store


@dataclass(frozen=True, slots=True)
class Entity:
    """A name with its other names. `declared` says that a header names it; `records` counts those in effect."""

    name: str
    also: tuple[str, ...]
    records: int
    declared: bool
    newest: str


@dataclass(frozen=True, slots=True)
class EntitiesPage:
    """Entities, those of most records first. `next` is the offset to go on from, None at the end."""

    entities: tuple[Entity, ...]
    total: int
    offset: int
    next: int | None


@dataclass(frozen=True, slots=True)
class About:
    """One record about an entity. `state` is one word: current, superseded, contested."""

    record: Record
    authority: Authority
    state: str
    declared: bool


@dataclass(frozen=True, slots=True)
class EntityView:
    """Everything concluded about one entity, what stands before what was superseded, newest first in each.

    `joined` are the ids of the records that give it its other names, `apart` those whose word is not taken for it.
    """

    name: str
    also: tuple[str, ...]
    about: tuple[About, ...]
    total: int
    joined: tuple[str, ...]
    apart: tuple[str, ...]


class Entities:
    """Part of `Memory`."""

    _store: Store

    def entities(self, *, limit: int = 50, offset: int = 0) -> EntitiesPage:
        """The names in the records that are in effect, a page at a time. Reads no record but those shown for their
        spelling. Raises `Invalid` for a page of 0."""
        if not 1 <= limit <= 1000 or offset < 0:
            raise Invalid("a page has 1 to 1000 entities and begins at 0 or later", "memoranda entities --limit 50")
        store = self._store.ready()
        of_name, heads = _names(store)
        in_effect = {id for ids in of_name.values() for id in ids if _shown(store, id)}
        counted: list[Entity] = []
        for key, mentions in of_name.items():
            ids = [id for id in mentions if id in in_effect]
            if ids:
                spelled = [mentions[id][0] for id in ids]
                newest = max(store.catalog.entries[id].created for id in ids)
                declared = any(mentions[id][1] for id in ids)
                first = max(sorted(set(spelled)), key=spelled.count)
                counted.append(Entity(first, heads.get(key, ()), len(ids), declared, newest))
        counted.sort(key=lambda entity: (-entity.records, not entity.declared, entity.name))
        page = counted[offset : offset + limit]
        following = offset + limit if offset + limit < len(counted) else None
        return EntitiesPage(tuple(page), len(counted), offset, following)

    def entity(self, name: str, *, limit: int = 50) -> EntityView:
        """Every record about `name`, under any of its names. Raises `NotFound` with the names that are near it."""
        store = self._store.ready()
        of_name, heads = _names(store)
        groups = dict(_groups(store))
        key = _head(named(name), groups)
        mentions = of_name.get(key, {})
        if not mentions:
            raise NotFound(f"no record names {name!r}", _hint(name, of_name))
        found = [
            About(record, store.authority(record), store.state(record), mentions[id][1])
            for id in mentions
            if (record := store.read(id)) is not None and store.in_effect(record)
        ]
        found.sort(key=lambda one: (one.state != "superseded", one.record.created, one.record.id), reverse=True)
        also = heads.get(key, ())
        claims = [(id, names) for id, names in _claims(store) if {_head(named(n), groups) for n in names} & {key}]
        joined = tuple(id for id, _ in claims if _counts(store, id))
        apart = tuple(id for id, _ in claims if id not in joined and _shown(store, id))
        spelled = [mentions[one.record.id][0] for one in found] or [name]
        first = max(sorted(set(spelled)), key=spelled.count)
        rest = tuple(other for other in also if named(other) != named(first))
        return EntityView(first, rest, tuple(found[:limit]), len(found), joined, apart)


def joined(store: Store) -> Sequence[Sequence[str]]:
    """Groups of names that records say are one thing, of records whose word counts."""
    return [names for id, names in _claims(store) if _counts(store, id)]


def _claims(store: Store) -> Iterator[tuple[str, list[str]]]:
    for note, value in sorted(store.index.notes("same/").items()):
        yield note.removeprefix("same/"), json.loads(value)


def _counts(store: Store, id: str) -> bool:
    """Whether what this record joins is joined: it stands, nothing superseded it, and no outside voice said it."""
    record = store.read(id)
    return (
        record is not None
        and record.intact
        and store.in_effect(record)
        and not store.superseders(id)
        and not store.authority(record).outside
    )


def _shown(store: Store, id: str) -> bool:
    record = store.read(id)
    return record is not None and store.in_effect(record)


def _groups(store: Store) -> Iterator[tuple[str, str]]:
    """Each joined name, folded, with the folded name that stands for its group; groups that share a name are one."""
    head: dict[str, str] = {}
    for names in joined(store):
        keys = [named(name) for name in names]
        old = {_head(key, head) for key in keys}
        first = min(old)
        for key in old | set(keys):
            head[key] = first
    for key in sorted(head):
        yield key, _head(key, head)


def _head(key: str, head: Mapping[str, str]) -> str:
    while head.get(key, key) != key:
        key = head[key]
    return key


def _names(store: Store) -> tuple[dict[str, dict[str, tuple[str, bool]]], dict[str, tuple[str, ...]]]:
    """Folded name -> record id -> (as it is spelled there, whether its header says so); and each name's other names."""
    groups = dict(_groups(store))
    of_name: dict[str, dict[str, tuple[str, bool]]] = defaultdict(dict)
    for note, value in sorted(store.index.notes("names/").items()):
        id = note.removeprefix("names/")
        if id not in store.catalog.entries:
            continue
        declared, found = json.loads(value)
        for names, said in ((declared, True), (found, False)):
            for name in names:
                of_name[_head(named(name), groups)].setdefault(id, (name, said))
    also: dict[str, dict[str, str]] = defaultdict(dict)
    for names in joined(store):
        for name in names:
            also[_head(named(name), groups)].setdefault(named(name), name)
    return of_name, {key: tuple(names.values()) for key, names in also.items()}


def _hint(name: str, known: Mapping[str, object]) -> str:
    import difflib

    close = difflib.get_close_matches(named(name), list(known), 3, 0.6)
    return f"near it: {', '.join(close)}" if close else "memoranda entities lists the names there are"
