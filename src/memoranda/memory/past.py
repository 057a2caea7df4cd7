"""One memory as it stood: a `Store` in which nothing that came later exists, for the read line like any other.

Records count by `created`, turns by `captured`, events by their chains: an event belongs to the past when its time
does, or when a later event of its chain, or one whose writer had seen it, does. So a past is always a whole beginning
of each chain, whatever the clocks said. For a commit of the memory's repository, what counts is what stood in it.

Anchors into code are held against what stands there now; words are ranked by what is known now, with what has left the
index since put beside it.
"""

from __future__ import annotations

from functools import cached_property
from typing import Iterable, Mapping, Sequence

from memoranda.index.chunk import chunk_record
from memoranda.memory.catalog import Catalog
from memoranda.memory.reading import captured_at
from memoranda.memory.store import Store
from memoranda.model.errors import Invalid
from memoranda.model.event import Event
from memoranda.model.index import Changes, Search
from memoranda.model.locator import TurnLocator, parse_locator
from memoranda.model.problem import Problem
from memoranda.model.query import Ranked
from memoranda.model.turn import Turn
from memoranda.model.values import dataclass, field, replace
from memoranda.ports import IndexBackend, discover
from memoranda.recall.fuse import merge
from memoranda.truth import past as git
from memoranda.truth.files import read_capped

Rankings = Mapping[str, Sequence[Ranked]]
_DEEPER = 4
_EVENT_BYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a memory's past. `at` is UTC ISO with seconds.

    For a commit, `files` are what stood in it by path and `commit` is its name; else both are empty.
    """

    at: str
    commit: str = ""
    files: Mapping[str, git.Blob] = field(default_factory=dict)

    @property
    def moment(self) -> Point:
        """The same time for another memory, which has no such commit."""
        return Point(self.at)

    @property
    def ids(self) -> frozenset[str]:
        """The records that stood in the commit."""
        return frozenset(filter(None, map(git.id_of, self.files)))


def point(store: Store, text: str, at: str | None) -> Point:
    """The point that `text` names: `at` where it was read as a time, else a commit. Raises `Invalid`."""
    if at is not None:
        return Point(at)
    found = git.commit_of(store.folder.root, text)
    if found is None:
        raise Invalid(f"{text[:80]!r} is neither a time nor a commit of this memory", "write 2026-07-02, 2w or HEAD~3")
    return Point(found[1], found[0], git.tree(store.folder.root, found[0]))


class Past(Store):
    """`now` as it stood at a point. Shares its rooms and is never written through."""

    def __init__(self, now: Store, point: Point) -> None:
        vars(self).update(vars(now))
        self.fresh()
        self.now, self.point = now, point

    @cached_property
    def catalog(self) -> Catalog:
        found, here = Catalog(), super().catalog
        ids, at = self.point.ids, self.point.at
        found.entries = {
            id: e for id, e in here.entries.items() if (id in ids if self.point.commit else e.created <= at)
        }
        for name in ("successors", "statements", "cites", "aliases", "scopes"):
            for key, linked in getattr(here, name).items():
                if kept := linked & found.entries.keys():
                    getattr(found, name)[key] = kept
        found.doubled = here.doubled
        return found

    @cached_property
    def _log(self) -> tuple[list[Event], list[Problem]]:
        events, problems = super()._log
        counts = self._counts(events)
        return [e for e in events if e.n < counts.get(e.writer, 0)], problems

    def _counts(self, events: Sequence[Event]) -> Mapping[str, int]:
        """How many events of each chain had happened."""
        if self.point.commit:
            return self._committed()
        counts: dict[str, int] = {}
        for event in reversed(events):  # what an event had seen stands before it
            if event.ts <= self.point.at or event.n < counts.get(event.writer, 0):
                counts[event.writer] = max(counts.get(event.writer, 0), event.n + 1)
                for writer, n in (event.seen or {}).items() if self.trusted(event.digest) else ():
                    counts[writer] = max(counts.get(writer, 0), n + 1)
        return counts

    def _committed(self) -> Mapping[str, int]:
        """Lines of each chain in the commit: its files are beginnings of those that lie here, or one was altered."""
        counts: dict[str, int] = {}
        for path, blob in self.point.files.items():
            if path.startswith("events/") and path.count("/") == 2:
                here = read_capped(self.folder.root / path, _EVENT_BYTES) if (self.folder.root / path).exists() else b""
                data = here[: blob.size] if here and blob.begins(here) else self._content(path)
                writer = path.split("/")[1]
                counts[writer] = counts.get(writer, 0) + data.count(b"\n")
        return counts

    def _content(self, path: str) -> bytes:
        return git.content(self.folder.root, self.point.commit, path) or b""

    def turns_at(self, locator: TurnLocator) -> Sequence[Turn] | None:
        found = super().turns_at(locator)
        kept = [turn for turn in found or () if self._captured(turn.harness, turn.session, turn.turn, turn.seq)]
        if found and not kept:
            first = super().turns_at(TurnLocator(locator.harness, locator.session, seq=0)) or ()
            return None if not any(self._captured(t.harness, t.session, t.turn, t.seq) for t in first) else []
        return None if found is None else kept

    def _captured(self, harness: str, session: str, turn: str, seq: int) -> bool:
        key = (harness, session, turn)
        if key not in self._known:
            captured = captured_at(self.turn_store, harness, session, turn, seq)
            self._known[key] = bool(captured) and captured <= self.point.at
        return self._known[key]

    @cached_property
    def _known(self) -> dict[tuple[str, str, str], bool]:
        return {}

    def rankings(self, search: Search) -> Rankings:
        """As from an index of that time: asked deeper until enough that was there is found, or nothing is left."""
        depth = search.depth
        while True:
            found = super().rankings(replace(search, depth=depth))
            kept = {signal: [row for row in ranking if self._was(row)] for signal, ranking in found.items()}
            if all(_enough(found[signal], kept[signal], depth, search.depth) for signal in found):
                break
            depth *= _DEEPER
        return merge([{s: _best(ranking, search.depth) for s, ranking in kept.items()}, self._left(search)])

    def _was(self, row: Ranked) -> bool:
        if row.kind == "record":
            return row.doc in self.catalog.entries
        if row.kind == "evidence":
            return row.ts[:19] <= self.point.at[:19]
        locator = parse_locator(row.doc)
        assert isinstance(locator, TurnLocator)
        return self._captured(locator.harness, locator.session, locator.turn or "", row.seq)

    def _left(self, search: Search) -> Rankings:
        """Rankings of the records that were searched then and are no longer."""
        if self._gone is None or (search.filters.kinds and "record" not in search.filters.kinds):
            return {}
        signals = tuple(signal for signal in search.signals if signal != "dense")
        return self._gone.search(replace(search, signals=signals, vector=None))

    @cached_property
    def _gone(self) -> IndexBackend | None:
        found = [record for record in map(self.read, sorted(self.catalog.entries)) if record is not None]
        left = [r for r in found if self.wanted(r) and not self.now.wanted(r)]
        if not left:
            return None
        backend: IndexBackend = discover.load("index_backends", "in_memory")(self.folder.root / ".index")
        backend.apply(Changes(add=[piece for record in left for piece in chunk_record(record)]))
        return backend


def _enough(found: Sequence[Ranked], kept: Sequence[Ranked], depth: int, wanted: int) -> bool:
    """Whether each kind has `wanted` rows, or had no more than were asked for."""
    for kind in ("record", "turn", "evidence"):
        if sum(row.kind == kind for row in found) >= depth and sum(row.kind == kind for row in kept) < wanted:
            return False
    return True


def _best(ranking: Iterable[Ranked], depth: int) -> list[Ranked]:
    left = {"record": depth, "turn": depth, "evidence": depth}
    best = []
    for row in ranking:
        if left[row.kind] > 0:
            left[row.kind] -= 1
            best.append(row)
    return best
