"""Making the index anew from the files."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Callable, cast

from memoranda.model.errors import Conflict, Unavailable

if TYPE_CHECKING:
    from memoranda.memory.memory import Memory
    from memoranda.memory.store import Store
    from memoranda.model.query import IndexState

    Progress = Callable[[str, int, int], None]


class Anew:
    """Part of `Memory`."""

    _store: Store

    def reindex(self, progress: Progress | None = None) -> IndexState:
        """Delete the index and build it anew from the files. Vectors come back from the user's cache.

        Histories are read again by the next capture, but for those that are gone: of these their mark is kept.
        """
        from memoranda.remember.sources import outlived

        memory = cast("Memory", self)
        store = self._store.fresh()
        kept = outlived(store.index.notes)
        store.index.drop()
        if kept:
            store.index.put_notes(kept)
        if store.unread():
            memory.extract_evidence()
        store.index.sync(store, store.wanted, progress=progress)
        with suppress(Unavailable, Conflict):
            memory.embed(store.settings.embed_seconds)
        return store.fresh().index.state()
