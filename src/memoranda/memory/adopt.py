"""Adopting strays: each becomes records, and the file that was there is filed, restored or put aside.

Order, so that a stop after any step loses no word: what was edited is put aside before the original comes back, and a
dropped file leaves its place only when its words are durable as records. Doing it again finds them known.
"""

from __future__ import annotations

from typing import Iterable, Sequence

from memoranda.memory.store import Store
from memoranda.memory.strays import Found, Stray
from memoranda.model.errors import Conflict
from memoranda.model.outcome import Known, Outcome, Refused
from memoranda.model.record import Channel, Door, Record
from memoranda.model.values import dataclass, replace
from memoranda.remember.adopt import IMPORT, adopt, refusal
from memoranda.truth.aside import Aside
from memoranda.truth.foreign import Written


@dataclass(frozen=True, slots=True)
class Adopted:
    """What became of one stray. `aside` is where the file as it was found lies now, "" when nothing was moved or every
    word of it is in a record; `restored` says that the original stands in its place again, `noted` that a deletion was
    written down as meant."""

    stray: Stray
    outcomes: tuple[Outcome, ...]
    aside: str = ""
    restored: bool = False
    noted: bool = False

    @property
    def done(self) -> bool:
        return all(not isinstance(outcome, Refused) for outcome in self.outcomes)


def adopt_all(store: Store, found: Sequence[Found], shown: Iterable[str], now: str) -> tuple[Adopted, ...]:
    """Adopt each; `shown` holds the keys of those that a person has read. Raises `Busy`, `Unavailable`."""
    seen = frozenset(shown) if store.door.channel is Channel.DIRECT_SESSION else frozenset()
    done = tuple(_one(store, one, one.stray.key in seen, now) for one in _in_order(found))
    if done:
        store.moved()
        store.catch_up()
    return done


def _in_order(found: Sequence[Found]) -> list[Found]:
    """What is superseded before what supersedes it; circles as they come."""
    left, ordered = list(found), list[Found]()
    while left:
        names = [{name for one in f.written for name in one.aliases} for f in left]
        wanted = [{name for one in f.written for name in one.supersedes} for f in left]
        free = [
            f
            for n, f in enumerate(left)
            if not any(wanted[n] & names[other] for other in range(len(left)) if other != n)
        ]
        ordered += free or left
        left = [f for f in left if f not in free] if free else []
    return ordered


def _one(store: Store, found: Found, read: bool, now: str) -> Adopted:
    stray = found.stray
    store.fresh()  # what was adopted before it can be named by it
    door = store.door if read else Door(IMPORT, store.door.principal, store.door.name)
    if stray.kind == "deleted":
        return _farewell(store, found, read)
    if stray.why_not:
        return Adopted(stray, (Refused(stray.why_not, stray.hint),))
    try:
        return _edited(store, found, door, now) if stray.kind == "edited" else _dropped(store, found, door, now)
    except Conflict as error:
        return Adopted(stray, (Refused(error.message, error.hint),))


def _farewell(store: Store, found: Found, read: bool) -> Adopted:
    """A deletion that a person meant is kept as an event, so that nobody looks for the file again."""
    if not read:
        return Adopted(found.stray, (Refused(f"{found.stray.key} was deleted", found.stray.hint),))
    original = found.original[0] if found.original else None
    store.event("dropped", original.digest if original else found.stray.key, "its file was deleted by hand")
    return Adopted(found.stray, (), noted=True)


def _edited(store: Store, found: Found, door: Door, now: str) -> Adopted:
    """The edit becomes a record that supersedes what it edits, whose bytes come back where git has them."""
    (written,) = found.written
    path, aside = found.stray.path, Aside(store.folder, store.lock)
    no = refusal(written, store)
    if no is not None:
        return Adopted(found.stray, (no,))
    if found.original is None:
        place = aside.put(path, found.data)
        store.fresh()
        return Adopted(found.stray, (adopt(written, door, store, now),), place)
    record, original = found.original
    place = aside.restore(path, found.data, original)
    store.fresh()
    if _same(written, record):
        note = "only its header or white space was edited, which a record keeps as it was written"
        return Adopted(found.stray, (Known(record, ("same-statement",), (note,)),), place, True)
    claims = _as_edited(written, record)
    return Adopted(found.stray, (adopt(claims, door, store, now, replaces=record.id),), place, True)


def _as_edited(written: Written, record: Record) -> Written:
    """The edit's words with the original's channel, which no edit can raise; its own links stay with the original."""
    own = {record.id, *record.supersedes}
    kept = tuple(id for id in written.supersedes if id not in own)
    return replace(written, channel=record.channel, supersedes=kept, aliases=(), anchored=False)


def _same(written: Written, record: Record) -> bool:
    return " ".join(written.body.split()) == " ".join(record.body.split())


def _dropped(store: Store, found: Found, door: Door, now: str) -> Adopted:
    outcomes = tuple(adopt(one, door, store, now) for one in found.written)
    path = found.stray.path
    if path.startswith("/") or any(isinstance(outcome, Refused) for outcome in outcomes):
        return Adopted(found.stray, outcomes)
    aside = Aside(store.folder, store.lock)
    if len(found.written) == 1 and not found.written[0].headed:
        aside.discard(path, found.data)
        return Adopted(found.stray, outcomes)
    return Adopted(found.stray, outcomes, aside.put(path, found.data))
