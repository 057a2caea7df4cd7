"""What a program needs that keeps a memory open for others: whose voice speaks, and what changed meanwhile."""

from __future__ import annotations

from contextlib import suppress
from typing import Mapping

from memoranda.memory.store import Store
from memoranda.model.errors import Busy
from memoranda.model.record import Door
from memoranda.model.values import dataclass
from memoranda.truth.lock import WriteLock


@dataclass(frozen=True, slots=True)
class Marks:
    """What stood where at a moment, to be compared with a later one: nothing but equality means anything.

    `records` has a mark for each id; `core` also changes with any event, since an event can retire or replace.
    """

    records: Mapping[str, str]
    core: str
    sessions: str
    events: str


class Serving:
    """Part of `Memory`."""

    _store: Store

    @property
    def door(self) -> Door:
        """Through which door it is used."""
        return self._store.door

    def come_through(self, door: Door) -> None:
        """Be used through this door from now on. For views that keep one memory open for several callers in turn;
        they know who calls, the caller does not get to say it."""
        self._store.door = door

    def ensure_lock(self) -> None:
        """Raises `Unavailable` with the reason where this memory has no working write lock: nothing may be written
        then; `Invalid` for one that is only read. A lock that another holds works; it is not waited for."""
        lock = self._store.lock
        with suppress(Busy), (lock if lock.shut else WriteLock(lock.path, 0.0)).hold():
            pass

    @property
    def only_read(self) -> bool:
        """Whether nothing can be written here at all, as into a memory that others published."""
        return self._store.lock.shut

    def ids(self) -> tuple[str, ...]:
        """The ids of all records, newest first."""
        entries = self._store.fresh().catalog.entries.values()
        return tuple(entry.id for entry in sorted(entries, key=lambda e: (e.created, e.id), reverse=True))

    def marks(self) -> Marks:
        """Marks of everything, from names, sizes and times alone: no file is opened. Raises `Unavailable`."""
        store = self._store
        stamps = store.records.stamps()
        events = repr(store.events.stamp())
        core = sorted(f"{path}={stamp}" for path, stamp in stamps.items() if path.startswith("core/"))
        turns = sorted(f"{file.path}={file.size}.{file.mtime_ns}" for file in store.turn_files())
        return Marks(
            records={path.rsplit("/", 1)[-1][:16]: f"{path}={stamp}" for path, stamp in stamps.items()},
            core="\n".join([*core, events]),
            sessions="\n".join(turns),
            events=events,
        )
