"""The index of one memory: a disposable view of its files, all of it in one folder.

What it promises:

1. Everything in it can be made again from the truth; deleting the folder is always allowed.
2. Only the holder of `<folder>/lock` writes; readers never lock and see one whole step or none of it.
3. Vectors of two models never meet here (`stamp.json`).
4. Damage is never answered from: what is damaged is dropped and made anew, and `state()` says so. It is damage only if
   it is still there when looked at under the lock; what others noted here (cursors of captures) is carried over.
5. A note says a turns file is taken in up to a byte only if all before it is in this index.

Nothing is opened before it is needed: a search by words loads neither numpy nor a model.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Callable, Iterable, Iterator, Mapping, Sequence, TypeVar

from memoranda.index import stamp as stamps
from memoranda.index import sync as gap
from memoranda.index.stamp import Stamp, lock
from memoranda.index.vectors import VectorCache
from memoranda.model.errors import Corrupt, Unavailable
from memoranda.model.index import Changes, Pending, Reached, Search
from memoranda.model.problem import Problem
from memoranda.model.query import IndexState, Ranked
from memoranda.model.values import replace

if TYPE_CHECKING:  # named only: a search by words should not pay for loading them
    from memoranda.model.record import Record
    from memoranda.model.turn import Turn
    from memoranda.model.world import TruthView, TurnFile
    from memoranda.ports.protocols import Embedder, IndexBackend

    Wanted = Callable[[Record], bool]
Progress = Callable[[str, int, int], None]
T = TypeVar("T")

#: Files of the folder that are no part of the index proper.
_OURS = stamps.NOTES | {"stamp.json", stamps.EXTRACTS}
#: Passages embedded between two commits: some seconds of work, so that little is lost when interrupted.
_EMBED_COMMIT = 64
_EMBED_BATCH = 8
_EMBED_LOOK = 2048


class Index:
    """The handle on one index folder. `open_embedder` is None when vectors are turned off."""

    def __init__(
        self,
        folder: Path,
        open_backend: Callable[[Path], IndexBackend],
        open_embedder: Callable[[], Embedder] | None,
        cache: Path,
        lock_seconds: float = 10.0,
    ) -> None:
        self.folder = folder
        self._open_backend = open_backend
        self._open_embedder = open_embedder
        self._cache = cache
        self._lock_seconds = lock_seconds
        self._backend: IndexBackend | None = None
        self._embedder: Embedder | None = None
        self._source: tuple[TruthView, Wanted] | None = None
        self._looked, self._left = False, 0
        self._equal: tuple[object, ...] | None = None  # the truth and the folder when they were last seen to be equal
        self._note = ""
        self._depth = 0

    # --- keeping equal to the truth

    def sync(
        self,
        truth: TruthView,
        wanted: Wanted,
        seconds: float | None = None,
        progress: Progress | None = None,
        again: Iterable[str] | None = (),
    ) -> IndexState:
        """Take in what is new, take out what is gone; words only. Costs a look at names and sizes when nothing is.

        `wanted` decides which records are searched. It is asked for new and changed files and for those named in
        `again` (None: for all). After `seconds` the rest is left for later, unless the index had to be made anew.
        Raises `Busy` when another process writes for too long, `Unavailable` when the folder cannot be written.
        """
        self._source = (truth, wanted)
        again = again if again is None else tuple(again)
        return self._mended(
            lambda: self._sync(truth, wanted, seconds, progress, again),
            lambda: self._sync(truth, wanted, None, progress, again),
        )

    @property
    def behind(self) -> bool:
        """True when something is known to be missing, or nobody has looked yet: `sync` sees to it."""
        return self._left > 0 or not self._looked

    @property
    def settled(self) -> bool:
        """True when the last `sync` found it equal to the truth and nobody wrote in its folder since."""
        seen = self._equal
        return seen is not None and self._left == 0 and stamps.trace(self.folder) == seen[-1]

    def add_turns(self, turns: Sequence[Turn], files: Sequence[Reached], notes: Mapping[str, str | None]) -> None:
        """Take in turns that were just made durable, and notes, as one step.

        The caller hands over every turn of each file between the two bytes that `files` tell. Where the index has less
        than the first of them (it was made anew meanwhile), the file's note stays as it is and `behind` is true.
        """
        step = gap.Step()
        for turn in turns:
            step.take(gap.turn_chunks(turn))
        self._apply(replace(step.changes(), notes=notes), files)

    def add_records(self, records: Iterable[tuple[Record, str, bool]]) -> bool:
        """Take in records that were just made durable, each with its stamp and whether it is wanted, as one step.

        False when all has to be looked at instead: then `sync`. Raises `Busy`, `Unavailable`.
        """
        here = stamps.read(self.folder)
        if here is None or not here.current or not self._present():
            return False
        step = gap.Step()
        for record, stamp, wanted in records:
            gap.take_record(step, record.path, stamp, record, wanted)
        with self._writing():
            try:
                self._change(step.changes())
            except Corrupt:
                self.close()
                return False
        return True

    # --- asking

    def rankings(self, search: Search) -> Mapping[str, Sequence[Ranked]]:
        """One ranking a signal, best first. Empty without an index. A damaged index is made anew first, if this
        handle has synced before; else raises `Corrupt`."""
        if not self._present():
            return {}
        return self._mended(lambda: self._opened().search(search))

    def query_vector(self, text: str) -> memoryview | None:
        """The unit vector of a question; None when vectors are off or none are kept yet.

        Raises `Conflict` when the index was made with another model, `Unavailable` when the model is not here.
        """
        if self._open_embedder is None or not self._present():
            return None
        stamp = stamps.read(self.folder)
        if stamp is not None and not stamp.embedder:
            return None
        embedder = self._model()
        if stamp is not None:
            stamp.check(embedder.stamp, embedder.dims)
        return embedder.query(text)

    def state(self) -> IndexState:
        """What is held and what is pending, as of the last sync of this handle; never `current` before one."""
        if not self._present():
            return IndexState(current=not self.behind, pending=self._left, note=self._note)
        census, _ = self._mended(lambda: self._opened().pending(0))
        stamp = stamps.read(self.folder) or Stamp()
        signals = ("words", "entities") + (("dense",) if census.passages > census.unembedded else ())
        return IndexState(
            current=not self.behind,
            passages=census.passages,
            pending=self._left,
            unembedded=census.unembedded,
            model=stamp.embedder,
            signals=signals,
            note=self._note,
        )

    def verify(self) -> None:
        """Read every byte of it. Raises `Corrupt` when one is not as it was written."""
        if self._present():
            getattr(self._opened(), "verify", lambda: None)()

    def notes(self, prefix: str) -> Mapping[str, str]:
        """Notes whose names start with `prefix`. None without an index, or while it cannot be read (sync will see to
        it): whoever needs what they say reads the truth then."""
        if self._backend is None and not self._present():
            return {}
        try:
            return self._opened().notes(prefix)
        except (Corrupt, Unavailable):
            return {}

    def put_notes(self, notes: Mapping[str, str | None]) -> None:
        """Set notes; None deletes one."""
        self._apply(Changes(notes=notes), ())

    # --- vectors

    def embed(
        self, text_of: Callable[[Pending], str | None], seconds: float | None, progress: Progress | None = None
    ) -> int:
        """Give vectors to passages that have none: lowest tier first, then newest. How many were given.

        `text_of` reads a passage back from the truth (None: it is gone). What any memory of this user embedded before
        comes from the cache. Commits as it goes, so stopping at any moment loses little and leaves the index whole.
        Raises `Unavailable` without a model, `Conflict` when the index holds another model's vectors.
        """
        if self._open_embedder is None or not self._present():
            return 0
        census, _ = self._opened().pending(0)
        if not census.unembedded:
            return 0
        until = None if seconds is None else time.monotonic() + seconds
        embedder = self._model()
        self._check_stamp(embedder)
        cache = VectorCache(self._cache, embedder.stamp, embedder.dims)
        done, passed = 0, set[str]()
        while until is None or time.monotonic() < until:
            _, found = self._opened().pending(_EMBED_LOOK + len(passed))
            waiting = [pending for pending in found if pending.key not in passed]
            if not waiting:
                break
            known = cache.get(pending.content for pending in waiting)
            vectors = {pending.key: known[pending.content] for pending in waiting if pending.content in known}
            if not vectors:
                vectors = self._embedded(waiting, text_of, embedder, cache, until, passed)
            if vectors:
                self._keep(vectors, embedder)
                done += len(vectors)
            if progress is not None:
                progress("embed", done, census.unembedded)
        return done

    def forget_vectors(self, contents: Iterable[str]) -> int:
        """Scrub the cached vectors of erased texts, of every model; how many there were."""
        return VectorCache.scrub_all(self._cache, contents)

    # --- letting go

    def close(self) -> None:
        """Let every file go; the next call opens them again."""
        close = getattr(self._backend, "close", None)
        if close is not None:
            close()
        self._backend = None

    def drop(self) -> None:
        """Delete the index. Nothing of the truth is touched, and cached vectors stay."""
        if not self.folder.exists():
            return
        with self._writing():
            self._delete()

    # --- steps

    def _sync(
        self,
        truth: TruthView,
        wanted: Wanted,
        seconds: float | None,
        progress: Progress | None,
        again: tuple[str, ...] | None,
    ) -> IndexState:
        stamp = stamps.read(self.folder)
        if self._present() and stamp is not None and not stamp.current:
            self._anew("the index was laid out by another version and was made anew", keep=True)
            seconds = None
        until = None if seconds is None else time.monotonic() + seconds
        found, files, extracts = truth.record_stamps(), tuple(truth.turn_files()), truth.extract_stamps()
        # Taken before the notes are read, so that nothing slips in between.
        seen = (found, files, extracts, stamps.trace(self.folder))
        if again == () and self._left == 0 and seen == self._equal:
            return self.state()
        records, turns, lost = self._gap(files, found, again)
        if lost:
            self._anew("a turns file lost bytes, so the index was made anew", keep=False)
            records, turns, lost = self._gap(files, found, again)
            until = None
        exhibits, gone = gap.exhibit_gap(extracts, self._noted("exhibit/"))
        self._looked, self._left = True, len(records.changed) + len(turns) + len(exhibits)
        self._equal = None if self._left or records.gone or gone else seen
        if records.changed or records.gone or turns or exhibits or gone:
            with self._writing(seconds):
                self._close_exhibits(truth, extracts)
                self._close_gap(truth, wanted, found, until, progress, again)
        return self.state()

    def _close_exhibits(self, truth: TruthView, stamps: Mapping[str, str]) -> None:
        """Under the lock: take in extracts that are new, take out those that are gone."""
        for changes in gap.exhibit_steps(truth, stamps, self._noted("exhibit/")):
            self._change(changes)

    def _noted(self, prefix: str) -> Mapping[str, str]:
        return self._opened().notes(prefix) if self._present() else {}

    def _gap(
        self, files: Iterable[TurnFile], found: Mapping[str, str], again: tuple[str, ...] | None
    ) -> tuple[gap.RecordGap, list[tuple[TurnFile, int, int]], bool]:
        records = gap.record_gap(found, self._noted("record/"), self._noted("flaw/"), again)
        turns, lost = gap.turn_gap(files, self._noted("turnfile/"))
        return records, turns, lost

    def _close_gap(
        self,
        truth: TruthView,
        wanted: Wanted,
        found: Mapping[str, str],
        until: float | None,
        progress: Progress | None,
        again: tuple[str, ...] | None,
    ) -> None:
        """Under the lock: look again, since another process may have been at it, then step by step."""
        records, turns, _ = self._gap(truth.turn_files(), found, again)
        total = self._left = len(records.changed) + len(turns)
        step = gap.Step()

        def apply() -> None:
            if step.remove or step.add or step.notes:
                self._change(step.changes())
            step.clear()
            if progress is not None:
                progress("index", total - self._left, total)

        def stop() -> bool:
            return until is not None and time.monotonic() > until

        gap.take_out(step, records.gone, self._opened().notes)
        for path in records.changed:
            record = truth.record(path)
            gap.take_record(step, path, found[path], record, not isinstance(record, Problem) and wanted(record))
            self._left -= 1
            if step.full:
                apply()
            if stop():
                break
        apply()
        for grown in turns if self._left <= len(turns) else ():
            if not gap.take_turns(step, truth, grown, apply, stop):
                break
            self._left -= 1
            if stop():
                break
        apply()

    def _embedded(
        self,
        waiting: Sequence[Pending],
        text_of: Callable[[Pending], str | None],
        embedder: Embedder,
        cache: VectorCache,
        until: float | None,
        passed: set[str],
    ) -> dict[str, memoryview]:
        """Run the model over the first passages; texts that are gone or changed are passed over."""
        texts: dict[str, str] = {}
        keys: dict[str, list[str]] = {}
        for pending in waiting[:_EMBED_COMMIT]:
            text = text_of(pending)
            if text is None or sha256(text.encode("utf-8", "surrogatepass")).hexdigest() != pending.content:
                passed.add(pending.key)
                continue
            texts[pending.content] = text
            keys.setdefault(pending.content, []).append(pending.key)
        vectors: dict[str, memoryview] = {}
        ordered = sorted(texts, key=lambda content: len(texts[content]))
        for at in range(0, len(ordered), _EMBED_BATCH):
            if vectors and until is not None and time.monotonic() > until:
                break
            batch = ordered[at : at + _EMBED_BATCH]
            block = embedder.passages([texts[content] for content in batch]).cast("B")
            width = embedder.dims * 4
            for n, content in enumerate(batch):
                vectors[content] = block[n * width : (n + 1) * width].cast("f")  # type: ignore[assignment]
        cache.put(vectors)
        return {key: vector for content, vector in vectors.items() for key in keys[content]}

    def _check_stamp(self, embedder: Embedder) -> None:
        """Raises `Conflict` unless this model's vectors may be added."""
        stamp = stamps.read(self.folder)
        if stamp is not None:
            stamp.check(embedder.stamp, embedder.dims)

    def _keep(self, vectors: Mapping[str, memoryview], embedder: Embedder) -> None:
        with self._writing():
            self._check_stamp(embedder)
            self._change(Changes(vectors=vectors))
            stamp = stamps.read(self.folder) or Stamp()
            if not stamp.embedder:
                stamps.write(self.folder, replace(stamp, embedder=embedder.stamp, dims=embedder.dims))

    def _apply(self, changes: Changes, files: Sequence[Reached]) -> None:
        def step() -> None:
            reached = {file.path: self._reached(file) for file in files}
            notes = {f"turnfile/{path}": note for path, note in reached.items() if note is not None}
            self._change(replace(changes, notes={**changes.notes, **notes}))
            if None in reached.values():
                self._left += 1

        with self._writing():
            try:
                step()
            except Corrupt as error:
                self._start_over(f"the index was damaged and is being made anew ({error.message})", keep=True)
                step()

    def _reached(self, file: Reached) -> str | None:
        """The note of a file after a step from `start` to `end`; None when the index has not got to `start`."""
        name = f"turnfile/{file.path}"
        known = self._opened().notes(name).get(name) if self._backend is not None or self._present() else None
        if gap.note_size(known) < file.start:
            return None
        return gap.turnfile_note(max(file.end, gap.note_size(known)), max(file.seq, gap.note_seq(known)))

    def _change(self, changes: Changes) -> None:
        if stamps.read(self.folder) is None and not self._present():
            stamps.write(self.folder, Stamp())
        self._opened().apply(changes)

    def _mended(self, act: Callable[[], T], anew: Callable[[], T] | None = None) -> T:
        """What `act` gives. When it meets damage: once more under the lock, since another process may have been half
        way; then on an index that is made anew (`anew` instead of `act`, if that is not the same)."""
        try:
            return act()
        except Corrupt:
            self.close()
        with self._writing():
            try:
                return act()
            except Corrupt as error:
                if self._source is None:
                    raise Corrupt(error.message, "make it anew: memoranda reindex") from error
                self._start_over(f"the index was damaged and was made anew ({error.message})", keep=True)
                if anew is not None:
                    return anew()
                self._sync(*self._source, None, None, ())
                return act()

    def _anew(self, note: str, keep: bool) -> None:
        with self._writing():
            self._start_over(note, keep)

    def _start_over(self, note: str, keep: bool) -> None:
        """Under the lock: delete the index, but for what others noted here, if that is to be kept and can be read."""
        kept: dict[str, str | None] = {}
        if keep and self._present():
            with suppress(Corrupt, Unavailable):
                self.close()
                notes = self._opened().notes("")
                kept = {name: value for name, value in notes.items() if not name.startswith(gap.DERIVED)}
        self._note, self._left = note, self._left + 1
        self._delete()
        if kept:
            self._change(Changes(notes=kept))

    def _present(self) -> bool:
        try:
            return any(entry.name not in _OURS for entry in os.scandir(self.folder))
        except (FileNotFoundError, NotADirectoryError):
            return False

    def _opened(self) -> IndexBackend:
        if self._backend is None:
            self._backend = self._open_backend(self.folder)
        return self._backend

    def _model(self) -> Embedder:
        if self._embedder is None:
            if self._open_embedder is None:
                raise Unavailable("vectors are turned off", "choose an embedder in the settings")
            self._embedder = self._open_embedder()
        return self._embedder

    def _delete(self) -> None:
        self.close()
        stamps.clear(self.folder)

    @contextmanager
    def _writing(self, seconds: float | None = None) -> Iterator[None]:
        """Hold the folder's lock, waiting for it no longer than `seconds`; may nest."""
        if self._depth:
            yield
            return
        try:
            wait = self._lock_seconds
            with lock(self.folder, wait if seconds is None else min(wait, seconds)):
                self._depth = 1
                try:
                    yield
                finally:
                    self._depth = 0
        except OSError as error:
            raise Unavailable(
                f"the index cannot be written: {error.strerror}", "everything else works; free space or allow writing"
            ) from error
