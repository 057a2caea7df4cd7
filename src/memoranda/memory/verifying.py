"""`Memory.verify`: every anchor looked at now, the old source beside the new one where they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.anchor import sides, states
from memoranda.anchor.sides import LINES
from memoranda.memory.times import now
from memoranda.model.values import replace

if TYPE_CHECKING:
    from memoranda.memory.results import RecordVerdicts
    from memoranda.memory.store import Store
    from memoranda.model.record import Record

#: Lines of the old and the new source that are shown where many records are looked at.
_FEW = 6


class Verifying:
    """Part of `Memory`."""

    _store: Store

    def verify(self, id_or_prefix: str | None = None) -> tuple[RecordVerdicts, ...]:
        """Look at every anchor of one record, or walk all that is due: records in effect that were contradicted, then
        those that rest on something or are past their window, each time the oldest ground first.

        What git knows is asked anew, and of files that changed or are gone the old source is shown beside the new one.
        A record that was contradicted or is past its window is settled by it, with an event: when all its anchors
        hold, or, where it has none, when a person names it. Raises `NotFound`, `Invalid` for an id that names none.
        """
        from memoranda.memory.results import RecordVerdicts
        from memoranda.memory.settling import doubt, settle

        store, when = self._store.fresh(), now()
        if id_or_prefix is not None:
            records = [store.find(id_or_prefix)]
        else:
            found = (store.read(id) for id in store.catalog.entries)
            due = [r for r in found if r is not None and store.in_effect(r) and (r.anchors or doubt(store, r, when))]
            records = sorted(due, key=self._turn)
        world = store.world(anew=True)
        anchors = list(dict.fromkeys(anchor for record in records for anchor in record.anchors))
        verdicts = dict(zip(anchors, states(anchors, world), strict=True))
        lines = LINES if id_or_prefix is not None else _FEW
        beside = {side.anchor: side for side in sides(list(verdicts.values()), world, lines)}
        looked = (
            RecordVerdicts(
                record,
                tuple(verdicts[anchor] for anchor in record.anchors),
                sides=tuple(beside[anchor] for anchor in record.anchors if anchor in beside),
                due=doubt(store, record, when),
            )
            for record in records
        )
        return tuple(replace(one, settled=settle(store, one, id_or_prefix is not None)) for one in looked)

    def _turn(self, record: Record) -> tuple[bool, str, str]:
        """Contradicted ones first, then by when its ground was last looked at and held."""
        standing = self._store.standing(record)
        return not standing.contradicted, max(record.created, standing.verified), record.id
