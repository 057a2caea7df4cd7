"""A look that answers a doubt: a record that was contradicted, or is past its window, is verified by an event.

What rests on something is verified when all of it still holds, whoever looks. What rests on nothing can only be
confirmed by a person who names it. A voice from outside verifies nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.memory.store import Store
from memoranda.model.errors import Busy, Unavailable
from memoranda.model.record import CHANNEL_TABLE, Channel
from memoranda.recall.facts import expiry

if TYPE_CHECKING:
    from memoranda.memory.results import RecordVerdicts

_HOLDS = ("fresh", "moved")


def settle(store: Store, looked: RecordVerdicts, now: str) -> bool:
    """Note that a record was verified, if it was in doubt and the look answers that. A memory that cannot be written
    now is looked at all the same, and nothing is settled."""
    record, door = looked.record, store.door
    standing = store.standing(record)
    doubted = standing.contradicted > 0 or bool(expiry(record, standing, now))
    if not doubted or not store.own or not store.in_effect(record) or CHANNEL_TABLE[door.channel][0].outside:
        return False
    holds = all(verdict.state in _HOLDS for verdict in looked.verdicts)
    if not holds or not (looked.verdicts or door.channel is Channel.DIRECT_SESSION):
        return False
    try:
        store.event("verified", record.digest, "anchors hold" if looked.verdicts else "confirmed by a person")
    except (Busy, Unavailable):
        return False
    return True
