"""The part of the SDK that is about what is always in mind: the core block, and what enters and leaves it.

Core goes before agents unasked, so only a person puts a record there, or the user's settings let agents do it
(`agents_promote`). What comes from outside never gets there, nor what is not text alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memoranda.memory import handing
from memoranda.memory.counting import fitted
from memoranda.memory.store import Store
from memoranda.memory.times import now
from memoranda.model.errors import Invalid
from memoranda.model.record import Channel, Record

if TYPE_CHECKING:
    from memoranda.recall import CoreBlock


class Always:
    """What `Memory` keeps always in mind."""

    _store: Store

    def core(self, budget_tokens: int | None = None) -> CoreBlock:
        """The records that are always in mind, rendered under their budget; what was left out is named."""
        from memoranda.recall import core

        store = self._store.fresh()
        store.hand_out(handing.of_core(store))
        budget, at = budget_tokens or store.settings.core_tokens, now()
        return fitted(lambda count: core(store, budget, at, count), store.settings)

    def core_sheet(self, budget_tokens: int | None = None) -> dict[str, Any]:
        """Decide about core and leave the sheet by which a hook reads it (truth/sheet.py). Its budget includes what the
        hook says around the block."""
        from memoranda.memory.sheets import keep, make

        store = self._store.fresh()
        store.hand_out(handing.of_core(store))
        made = make(store, budget_tokens or store.settings.core_tokens)
        keep(store, made)
        return made

    def promote(self, id_or_prefix: str, *, core: bool = False) -> Record:
        """Index a transient record from now on, by an event; with `core` also keep it always in mind.

        Raises `Invalid` for what this door may not put there, for what is held, and for what is not text alone.
        """
        from memoranda.recall.core import beyond_text

        store = self._store.fresh()
        record = store.find(id_or_prefix)
        person = store.door.channel is Channel.DIRECT_SESSION
        outside = store.authority(record).outside
        if core and outside:
            raise Invalid(f"{record.id} comes from outside and cannot enter core", "a person may say it in own words")
        if outside and not person:
            raise Invalid(f"{record.id} comes from outside", "a person can promote it at a terminal")
        if store.held(record):
            raise Invalid(f"{record.id} is held", f"a person reads it first: memoranda release {record.id}")
        if core and not (person or store.settings.agents_promote):
            raise Invalid(
                "only a person puts a record in core",
                f"run it yourself at a terminal: memoranda promote {record.id} --core",
            )
        if core and (why := beyond_text(record)):
            raise Invalid(f"{record.id} {why}; core holds text alone", "say it in a sentence of its own")
        store.event("promoted", record.digest, "core" if core else "")
        if core:
            record = store.records.move(record, "core")
            store.moved()
        store.catch_up()
        return record

    def demote(self, id_or_prefix: str) -> Record:
        """Undo a promotion, by an event: the record leaves core, and a transient one is recalled no more.

        Raises `Invalid` when it was not promoted, and for an agent that weighs less than the record.
        """
        store = self._store.fresh()
        record = store.find(id_or_prefix)
        if not record.core and not store.standing(record).promoted:
            raise Invalid(f"{record.id} is not promoted", f"to retire it: memoranda forget {record.id}")
        if store.door.channel is not Channel.DIRECT_SESSION and store.authority(record) > store.door_authority:
            raise Invalid(f"{record.id} weighs more than this door", "a person can demote it at a terminal")
        store.event("demoted", record.digest, "core" if record.core else "")
        if record.core:
            record = store.records.move(record, "records")
            store.moved()
        store.catch_up(again=None)
        return record
