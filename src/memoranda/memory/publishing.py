"""What a memory offers to a push: its turns, and its records with why one must stay."""

from __future__ import annotations

from functools import cached_property
from typing import Iterable, Iterator, Mapping

from memoranda.index import stamp as index_stamps
from memoranda.index.vectors import VectorCache
from memoranda.memory.store import Store
from memoranda.model.problem import Problem
from memoranda.model.record import Record
from memoranda.model.share import Stamp
from memoranda.model.turn import Turn

_GONE = ("erased", "dropped")


class Published:
    """See `share.push.Publishable`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._made = index_stamps.read(store.folder.root / ".index")

    def stamp(self) -> Stamp:
        """What this memory would be published under."""
        project = self._store.folder.root.parent.name if self._store.project else ""
        made = self._made
        return Stamp(embedder=made.embedder, dims=made.dims, project=project) if made else Stamp(project=project)

    def turns(self) -> Iterator[tuple[Turn, str]]:
        store = self._store
        seen: set[tuple[str, str, str]] = set()
        for file in () if store.project else store.turn_files():
            for item in store.turns(file.path):
                if isinstance(item, Problem):
                    continue
                turn = item[0]
                key = (turn.harness, turn.session, turn.turn)
                if key not in seen:
                    seen.add(key)
                    yield turn, file.path

    def records(self) -> Iterator[tuple[Record, str]]:
        store = self._store
        for id in sorted(store.catalog.entries):
            record = store.read(id)
            standing = store.standing(record) if record else None
            if record is None or standing is None or standing.retired or standing.rejected:
                continue
            if store.held(record):
                yield record, "waits for a person"
            elif not record.intact:
                yield record, "edited by hand"
            elif not store.trusted(record.digest):
                yield record, "not trusted here"
            else:
                yield record, ""

    def gone(self) -> Iterable[str]:
        return self._gone

    @cached_property
    def _gone(self) -> frozenset[str]:
        store = self._store
        ids = {f"mem_{d[:12]}" for d, s in store.standings.items() if s.retired or s.rejected}
        for event in store.all_events():
            if event.kind in _GONE and store.trusted(event.digest):
                ids.add(event.target if event.target.startswith("mem_") else f"mem_{event.target[:12]}")
        return frozenset(ids)

    def reviewed(self, record: Record) -> bool:
        standing = self._store.standing(record)
        return standing.released or standing.endorsed

    def vectors(self, contents: Iterable[str]) -> Mapping[str, memoryview]:
        return self._cache.get(contents) if self._cache else {}

    @cached_property
    def _cache(self) -> VectorCache | None:
        made = self._made
        return VectorCache(self._store.settings.cache, made.embedder, made.dims) if made and made.embedder else None
