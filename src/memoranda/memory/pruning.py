"""Forgetting by filter: what is past its window, or was replaced. Shown first, done only when it is said again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.memory.times import now
from memoranda.model.errors import Invalid
from memoranda.model.record import Channel, Record
from memoranda.model.values import dataclass

if TYPE_CHECKING:
    from memoranda.memory.store import Store

_HINT = "memoranda forget --expired, or memoranda forget --superseded"


@dataclass(frozen=True, slots=True)
class Prunable:
    """One record that fits, and why: "replaced by mem_…", or which window is over and since when."""

    record: Record
    why: str


@dataclass(frozen=True, slots=True)
class Pruned:
    """What fits, oldest first; `done` says that it was retired. `kept` weigh more than this door, and stay."""

    found: tuple[Prunable, ...]
    kept: tuple[Prunable, ...]
    done: bool


class Pruning:
    """Part of `Memory`."""

    _store: Store

    def prune(self, *, expired: bool = False, superseded: bool = False, apply: bool = False) -> Pruned:
        """The records in effect that are past their category's window (and not confirmed since), or that something in
        effect replaced; with `apply` each is retired by an event, as by `forget`. What stands in core stays.

        Raises `Invalid` without a filter.
        """
        from memoranda.recall.facts import expiry, live_ends

        if not (expired or superseded):
            raise Invalid("say what to forget: an id, or a filter", _HINT)
        store = self._store.fresh()
        person = store.door.channel is Channel.DIRECT_SESSION
        moment = max(now(), store.newest)
        found: list[Prunable] = []
        kept: list[Prunable] = []
        for entry in sorted(store.catalog.entries.values(), key=lambda entry: (entry.created, entry.id)):
            record = store.read(entry.id)
            if record is None or record.core or not store.in_effect(record):
                continue
            ends = live_ends(record.id, store) if superseded else ()
            why = f"replaced by {' '.join(ends)}" if ends else ""
            if not why and expired and not (store.newest > now()):
                why = expiry(record, store.standing(record), moment)
            if why:
                weighs = not person and store.authority(record) > store.door_authority
                (kept if weighs else found).append(Prunable(record, why))
        if apply:
            for one in found:
                store.event("retired", one.record.digest, f"pruned: {one.why}")
            if found:
                store.catch_up()
        return Pruned(tuple(found), tuple(kept), apply and bool(found))
