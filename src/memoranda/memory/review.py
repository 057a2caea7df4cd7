"""The half of the SDK in which a person decides: what waits, what is let in, what is turned away, what is vouched for.

Nothing here can be done by an agent: each deed asks for a door that a person came through, and for the full digest of
the text that was read, so that a decision never reaches other bytes than those that were shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.memory.store import Store
from memoranda.model.errors import Conflict, Invalid
from memoranda.model.record import Channel, Record

if TYPE_CHECKING:
    from memoranda.memory.queue import HeldList
    from memoranda.memory.rescan import Rescan


class Review:
    """What `Memory` leaves to a person."""

    _store: Store

    def held(self, limit: int = 20) -> HeldList:
        """What waits for a person, the riskiest and oldest first, those that are alike shown as one. Any door may
        ask; recall never shows it."""
        from memoranda.memory.queue import queue

        return queue(self._store.fresh(), limit)

    def release(self, digest: str) -> Record:
        """Let a held record take effect. Its file moves to where records lie, its bytes stay.

        `digest` is the full one (64 hex). Raises `Invalid` for an agent, for a shorter name and for a record that
        does not wait, `Conflict` when its file is no longer what was read, `NotFound`.
        """
        record = self._decided(digest)
        store = self._store
        if store.state(record) != "held":
            raise Invalid(f"{record.id} does not wait for anyone", f"memoranda history {record.id}")
        store.event("released", record.digest, " ".join(record.hold))
        if record.path.startswith("held/"):
            record = store.records.move(record, "records")
            store.moved()
        store.catch_up(again=None)
        return record

    def reject(self, digest: str) -> Record:
        """Turn a held record away for good: it stays on disk and in history, without effect. Raises like `release`."""
        record = self._decided(digest)
        store = self._store
        if store.state(record) != "held":
            raise Invalid(f"{record.id} does not wait for anyone", f"memoranda forget {record.id}")
        store.event("rejected", record.digest, " ".join(record.hold))
        store.catch_up(again=None)
        return record

    def endorse(self, digest: str) -> Record:
        """Vouch for a record's exact text: its authority becomes *reviewed*. A held one is to be released first.

        The endorsement is bound to the digest: a copy or a correction does not inherit it. Raises like `release`.
        """
        record = self._decided(digest)
        store = self._store
        if store.held(record):
            raise Invalid(f"{record.id} is held", f"read it and release it first: memoranda release {record.id}")
        store.ledger.trust([record.digest])
        store.event("endorsed", record.digest, "")
        store.catch_up(again=None)
        return record

    def rescan(self, *, apply: bool = True, people: bool = False) -> Rescan:
        """Hold what older rules let in against the rules of today, and repair it; with `apply` False only look.

        A turn's line is redacted, a record is replaced by a redacted one or erased, each with an event. With `people`
        a small model (extra `pii`) also reads every record in effect and names those in which it sees a person's
        details: guesses, from which nothing follows. Raises `Busy`, and `Unavailable` without the model.
        """
        from memoranda.memory.rescan import guesses, rescan
        from memoranda.memory.times import now
        from memoranda.model.values import replace

        store = self._store.fresh()
        report = rescan(store, now(), apply)
        return replace(report, guesses=guesses(store)) if people else report

    def _decided(self, digest: str) -> Record:
        store = self._store.fresh()
        if store.door.channel is not Channel.DIRECT_SESSION:
            raise Invalid("only a person can decide this", "run the command yourself, at a terminal")
        if len(digest) != 64:
            raise Invalid("a decision names the full digest of what was read", "64 hex digits, not a name")
        record = store.find(digest)
        if record.digest != digest or not record.intact:
            raise Conflict(f"{record.id} is no longer what was read", "look at it again")
        return record
