"""The half of the SDK that looks back: how a record came to be, who wrote it, how things stood, what changed.

All of it is read from files, and from git where there is git; no index is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.memory.store import Store
from memoranda.memory.times import instant, now

if TYPE_CHECKING:
    from memoranda.memory.diff import Diff
    from memoranda.memory.past import Point
    from memoranda.memory.results import Blame, HistoryEntry


class Lookback:
    """What `Memory` knows of its past."""

    _store: Store

    def history(self, id_or_prefix: str, *, as_of: str | None = None) -> tuple[HistoryEntry, ...]:
        """The chain a record belongs to, newest first, from files alone, with what happened to each.

        With `as_of` (a time, or a commit of the memory's repository) as it stood then. Raises `NotFound`, `Invalid`.
        """
        from memoranda.memory.results import HistoryEntry

        store = self._store.fresh()
        if as_of is not None:
            from memoranda.memory.past import Past

            store = Past(store, self._point(as_of))
        entries = []
        for record in store.chain(store.find(id_or_prefix).id):
            successors = tuple(store.superseders(record.id))
            entries.append(
                HistoryEntry(
                    record=record,
                    state=store.state(record, successors),
                    authority=store.authority(record),
                    successors=successors,
                    events=store.standing(record).events,
                )
            )
        self._store.hand_out((e.record.id, e.record.body, e.authority) for e in entries)
        return tuple(entries)

    def diff(self, since: str, until: str | None = None) -> Diff:
        """What was learnt, changed and lost between two times or commits; `until` is now when left out.

        A day means its first second as `since` and its last as `until`. Raises `Invalid` for what names neither.
        """
        from memoranda.memory.diff import diff
        from memoranda.memory.past import Point, point

        store = self._store.fresh()
        end = Point(max(now(), store.newest)) if until is None else self._point(until)
        return diff(store, point(store, since, instant(since)), end, until is None)

    def blame(self, id_or_prefix: str) -> Blame:
        """Who wrote a record: by its own header, and by every commit that touched its file. Raises `NotFound`."""
        from memoranda.memory.results import Blame
        from memoranda.truth import past as git

        store = self._store.fresh()
        record = store.find(id_or_prefix)
        events = store.standing(record).events
        return Blame(record, store.authority(record), events, tuple(git.changes(store.folder.root, record.id)))

    def _point(self, text: str) -> Point:
        from memoranda.memory.past import point

        return point(self._store, text, instant(text, end=True))
