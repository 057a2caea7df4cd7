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
    from memoranda.model.record import Record

_HOLDS = ("fresh", "moved")


def doubt(store: Store, record: Record, now: str) -> str:
    """Why a record is due to be verified, "" when it is not."""
    standing = store.standing(record)
    times = standing.contradicted
    said = f"contradicted {times} time{'s' if times > 1 else ''} since it was verified" if times else ""
    return said or expiry(record, standing, now)


def settle(store: Store, looked: RecordVerdicts, named: bool) -> bool:
    """Note that a record was verified, if it was in doubt and the look answers that. A memory that cannot be written
    now is looked at all the same, and nothing is settled. `named`: it was asked for by its id."""
    record, door = looked.record, store.door
    if not looked.due or not store.own or not store.in_effect(record) or CHANNEL_TABLE[door.channel][0].outside:
        return False
    holds = all(verdict.state in _HOLDS for verdict in looked.verdicts)
    if not holds or not (looked.verdicts or (named and door.channel is Channel.DIRECT_SESSION)):
        return False
    try:
        store.event("verified", record.digest, "anchors hold" if looked.verdicts else "confirmed by a person")
    except (Busy, Unavailable):
        return False
    return True
