"""The half of the SDK that deals with files others put into a memory, and with long jobs that several share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Iterable

from memoranda.memory.store import Store
from memoranda.memory.times import now

if TYPE_CHECKING:
    from memoranda.memory.adopt import Adopted
    from memoranda.memory.strays import Stray
    from memoranda.truth.lease import Leases


class Intake:
    """What `Memory` takes in from files."""

    _store: Store

    def adoptable(self, paths: Iterable[Path | str] = ()) -> tuple[Stray, ...]:
        """What `adopt` would take: files dropped in, edited or deleted, or those named. Changes nothing."""
        from memoranda.memory.strays import strays

        return tuple(found.stray for found in strays(self._store.fresh(), [Path(path) for path in paths]))

    def adopt(
        self, paths: Iterable[Path | str] = (), *, shown: Iterable[str] = (), only: Iterable[str] | None = None
    ) -> tuple[Adopted, ...]:
        """Make records of files that are none: all strays of the memory, or the files and folders named.

        A statement is the person's own only at a person's door and when the file's `key` (from `adoptable`) is in
        `shown`: they have read it. All else is *import*; a record that carries a channel never gains by this. An edit
        becomes a superseding record and the original comes back from git; a deletion is noted only when shown. What
        is moved away lies in lost+found/. `only` names the keys to adopt, all when left out. Raises `NotFound`,
        `Busy`, `Unavailable`.
        """
        from memoranda.memory.adopt import adopt_all
        from memoranda.memory.strays import strays

        store = self._store.fresh()
        store.recover()
        found, wanted = strays(store, [Path(path) for path in paths]), None if only is None else frozenset(only)
        return adopt_all(store, [f for f in found if wanted is None or f.stray.key in wanted], shown, now())

    def leases(self) -> Leases:
        """Leases for long jobs on this memory, checked under its own write lock: `take`, `renew`, `fenced`."""
        from memoranda.truth.lease import Leases

        return Leases(self._store.folder, self._store.lock)
