"""The part of the SDK for views that show records as things that are edited: what is current, and a new text for it."""

from __future__ import annotations

from typing import Iterable

from memoranda.memory.second import free_second
from memoranda.memory.store import Store
from memoranda.memory.times import now
from memoranda.model.errors import Invalid
from memoranda.model.outcome import Outcome
from memoranda.model.record import Candidate, Channel, Record

_CURRENT = ("current", "contested")


class Revising:
    """Part of `Memory`."""

    _store: Store

    def current_records(self) -> tuple[Record, ...]:
        """Every record that is in effect and that nothing replaces, newest first, transient ones too."""
        store = self._store.fresh()
        entries = sorted(store.catalog.entries.values(), key=lambda e: (e.created, e.id), reverse=True)
        found = (store.read(entry.id) for entry in entries)
        return tuple(record for record in found if record is not None and store.state(record) in _CURRENT)

    def latest(self, id: str) -> Record | None:
        """What a record has become: itself, or the last of those that replace it. None when there is none in effect,
        or when two contest the place."""
        store, seen = self._store.fresh(), set[str]()
        while id not in seen:
            seen.add(id)
            after = store.superseders(id)
            if not after:
                record = store.read(id)
                return record if record is not None and store.in_effect(record) else None
            if len(after) > 1:
                return None
            id = after[0]
        return None

    def revise(self, id: str, text: str, *, scope: str | None) -> Outcome:
        """Replace a record by one of another text or scope, through the door.

        It keeps names, tags and grounds; what comes from outside stays a ground, so that editing raises no authority.
        Its anchors are not kept: they vouch for the old words. Raises as `remember` does.
        """
        from memoranda.remember.line import remember

        store = self._store
        store.recover()
        old = store.renewed().find(id)
        grounds = (*old.derived_from, *((old.id,) if store.authority(old).outside else ()))
        candidate = Candidate(
            body=text,
            source="agent_inference" if old.source == "agent_inference" else "",
            entities=old.entities,
            tags=old.tags,
            supersedes=(old.id,),
            derived_from=grounds,
            scope=scope,
            inferred=old.source == "agent_inference",
        )
        return remember(candidate, store.door, store, free_second(store, text, scope, now))

    def forget_whole(self, records: Iterable[Record], reason: str) -> None:
        """Retire records with all that they replace: else the old text would be current again in the place of what was
        deleted. All or none: raises `Invalid` when this door weighs too little for one of them."""
        store = self._store.fresh()
        doomed: dict[str, Record] = {}
        todo = list(records)
        while todo:
            record = todo.pop()
            if record.id not in doomed:
                doomed[record.id] = record
                todo += [old for old in map(store.read, record.supersedes) if old is not None]
        living = [record for record in doomed.values() if store.in_effect(record)]
        self._may_forget(living)
        for record in sorted(living, key=lambda record: (record.created, record.id)):  # a stop leaves the newest
            store.event("retired", record.digest, reason)
        store.catch_up()

    def _may_forget(self, records: Iterable[Record]) -> None:
        """Raises `Invalid` when this door weighs too little to forget one of them: nothing is half forgotten."""
        store = self._store
        for record in records:
            if store.door.channel is not Channel.DIRECT_SESSION and store.authority(record) > store.door_authority:
                raise Invalid(f"{record.id} weighs more than this door", "a person can forget it at a terminal")
