"""Puts the three parts together: one atomic step in, one ranking a signal out."""

from __future__ import annotations

import heapq
import math
import os
import sqlite3
import weakref
from collections import defaultdict
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from threading import RLock
from typing import Any, Iterator, Mapping, Sequence

from memoranda.builtin import words
from memoranda.builtin.embedded import store as rows
from memoranda.builtin.embedded.dense import Dense, best
from memoranda.builtin.embedded.lexical import Lexical, analyzer, terms
from memoranda.builtin.embedded.whole import Checked, Seal
from memoranda.builtin.moments import bounds, millis
from memoranda.builtin.weights import Spot, Weights, cover, lend, settle
from memoranda.model.errors import Busy, Conflict, Corrupt, Unavailable
from memoranda.model.index import Census, Changes, Chunk, Pending, Search
from memoranda.model.query import Filters, Ranked
from memoranda.model.values import dataclass, field, replace

_KINDS = ("record", "turn", "evidence")
#: Records that are looked at for the share of a question they hold: the best by words, since one of them has most.
_LIKELY = 16
#: Kinds whose words lie in the map, a table each; those of turns lie in the word index.
_TABLES = {"record": "recordwords", "evidence": "exhibitwords"}


@dataclass(frozen=True, slots=True)
class Pool:
    """Rows of turns by how well their words match, and where they stand."""

    scores: Mapping[int, float] = field(default_factory=dict)
    spots: Mapping[int, Spot] = field(default_factory=dict)


class EmbeddedBackend:
    """`IndexBackend` over one folder. One thread at a time inside; any number of processes read beside one writer."""

    def __init__(self, folder: Path, weights: Weights = Weights()) -> None:  # noqa: B008 - frozen
        self._folder = folder
        self._map = folder / "map.sqlite"
        self._weights = weights
        self._checked = Checked(folder)
        self._seal = Seal(folder, self._checked)
        self._lexical = Lexical(folder / "words", weights, self._checked)
        self._dense = Dense(folder)
        self._store: rows.Store | None = None
        self._let_go: weakref.finalize[..., Any] | None = None
        self._file = (0, 0)
        self._seen = -1
        self._of_kind: dict[str, list[int]] = {}
        self._census: Census | None = None
        self._common: dict[tuple[str, str], int] = {}
        self._turn = RLock()

    def apply(self, changes: Changes) -> None:
        """One step. Raises `Conflict` for vectors of another width, `Corrupt` when the parts disagree."""
        with self._turn, self._damage():
            store = self._opened()
            self._lexical.look(store.meta("words"), store.meta("sum"))
            if changes.add and store.meta("words") != self._lexical.stamp:
                raise Corrupt("the word index and the map are of different commits")
            store.link.execute("BEGIN IMMEDIATE")
            try:
                store.begin()
                self._write(store, changes)
                store.link.execute("COMMIT")
            except BaseException:
                store.forget()
                self._lexical.rollback()
                store.link.rollback()
                raise
            if self._seal.due(_LOG_BYTES):
                self._seal.settle(store.link)

    def search(self, search: Search) -> Mapping[str, Sequence[Ranked]]:
        """Rankings of the wanted signals; `depth` of each kind, so that many turns cannot crowd out a record."""
        with self._turn, self._damage():
            store = self._fresh()
            found: dict[str, Sequence[Ranked]] = {}
            if store is None:
                return found
            kinds = [kind for kind in _KINDS if not search.filters.kinds or kind in search.filters.kinds]
            known = _Known(store)
            pool = self._pool(store, search) if "turn" in kinds else Pool()
            kept = self._kept(store, search, kinds)
            if "words" in search.signals:
                parts = [kept[kind] if kind in kept else lend(pool.scores, pool.spots, self._weights) for kind in kinds]
                found["words"] = _merge(known, parts, search.depth)
            if "covered" in search.signals:
                parts = [self._covered(store, search, kind, kept, pool) for kind in kinds]
                found["covered"] = _merge(known, parts, search.depth)
            if "dense" in search.signals and search.vector is not None:
                found["dense"] = _merge(known, self._vectors(store, search, kinds), search.depth)
            if "entities" in search.signals:
                found["entities"] = _merge(known, self._entities(store, search, kinds), search.depth)
            return found

    def notes(self, prefix: str) -> Mapping[str, str]:
        with self._turn, self._damage():
            store = self._open()
            return store.notes(prefix) if store else {}

    def pending(self, limit: int) -> tuple[Census, Sequence[Pending]]:
        with self._turn, self._damage():
            store = self._fresh()
            if store is None:
                return Census(), ()
            if self._census is None:
                self._census = store.census()
            return self._census, store.pending(limit) if limit else ()

    def close(self) -> None:
        """Let every file go. The next call opens them again."""
        with self._turn:
            self._lexical.close()
            self._dense.close()
            self._checked.note()
            if self._let_go is not None:
                self._let_go()
            self._store = self._let_go = None
            self._seen = -1

    def verify(self) -> None:
        """Read every byte again, whatever was found before. Raises `Corrupt` for the first file that is damaged."""
        with self._turn:
            self.close()
            self._checked.distrust()
            with self._damage():
                store = self._fresh()
                if store is not None and store.meta("dims"):
                    self._dense.whole(store.meta("dims"), store.meta("given"))

    # --- writing

    def _write(self, store: rows.Store, changes: Changes) -> None:
        store.set_notes(changes.notes)
        left = sum(store.remove(name) for name in changes.remove)
        said = False
        for name, group in groupby(changes.add, key=lambda chunk: chunk.doc):
            chunks = list(group)
            if chunks[0].kind in _TABLES:
                store.flush()
                store.remove(name)
                self._add_kept(store, chunks, _TABLES[chunks[0].kind])
                continue
            same = store.same(chunks)
            if same is False:
                left += store.remove(name)
            if not same:
                self._add_turn(store, chunks)
                said = True
        store.flush()
        if said:
            self._lexical.commit()
            stamp, total = self._lexical.told()
            store.set_meta("words", stamp)
            store.set_meta("sum", total)
        if changes.vectors:
            self._add_vectors(store, changes.vectors)
        if left:
            store.set_meta("left", store.meta("left") + left)
        store.set_meta("generation", store.meta("generation") + 1)

    def _add_kept(self, store: rows.Store, chunks: Sequence[Chunk], table: str) -> None:
        analyze = analyzer().analyze
        first, _ = store.add(chunks)
        for row, chunk in enumerate(chunks, first):
            texts = (words.fold(chunk.text), words.fold(chunk.title), words.identifiers(chunk.text))
            store.link.execute(
                f"INSERT INTO {table}(rowid, body, title, names) VALUES (?, ?, ?, ?)",
                (row, *(" ".join(analyze(text)) for text in texts)),
            )

    def _add_turn(self, store: rows.Store, chunks: Sequence[Chunk]) -> None:
        first, place = store.add(chunks)
        one = chunks[0]
        word, add = store.word, self._lexical.add
        about = f"place{place} role{word(one.role)} harness{word(one.harness)} repo{word(one.repo)} type"
        ts = millis(one.ts)
        for row, chunk in enumerate(chunks, first):
            add(row, chunk.text, chunk.title, f"{about}{word(chunk.type)}", ts)

    def _add_vectors(self, store: rows.Store, vectors: Mapping[str, memoryview]) -> None:
        dims = store.meta("dims")
        widths = {vector.nbytes // 4 for vector in vectors.values()}
        if len(widths) != 1 or (dims and widths != {dims}):
            raise Conflict(
                f"vectors of width {', '.join(map(str, sorted(widths)))} do not fit an index of width {dims}",
                "make the index anew: memoranda reindex",
            )
        known = store.rows_of(vectors)
        if not known:
            return
        width = widths.pop()
        self._dense.write({row: vectors[key] for key, row in known.items()}, width)
        given = store.link.executemany(
            "UPDATE chunk SET embedded = 1 WHERE row = ? AND embedded = 0", ((row,) for row in known.values())
        ).rowcount
        store.set_meta("dims", width)
        store.set_meta("given", store.meta("given") + given)
        store.set_meta("vectors", max(store.meta("vectors"), 1 + max(known.values())))

    # --- reading

    def _pool(self, store: rows.Store, search: Search) -> Pool:
        """The rows of turns that hold a word of the question, the best of them."""
        groups = [[f"{column}{n}" for n in numbers] for column, numbers in store.numbers(search.filters)]
        if not {"words", "covered"}.intersection(search.signals) or any(not group for group in groups):
            return Pool()
        scores = self._lexical.search(search.text, search.depth, groups, bounds(search.filters))
        spots = store.spots(scores)  # what left the map since is in the word index still
        return Pool({row: scores[row] for row in spots}, spots)

    def _kept(self, store: rows.Store, search: Search, kinds: Sequence[str]) -> dict[str, dict[int, float]]:
        """What is found by words of each kind whose words lie in the map."""
        if not {"words", "covered"}.intersection(search.signals):
            return {}
        return {kind: self._kept_words(store, search, kind) for kind in kinds if kind in _TABLES}

    def _kept_words(self, store: rows.Store, search: Search, kind: str) -> dict[int, float]:
        body, names = terms(search.text)
        asked = [(term, "{body title}") for term in body]
        asked += [(term, "{names}" if term in body else "{body names}") for term in names]
        if not asked:
            return {}
        match = " OR ".join(f'{columns} : "{term}"' for term, columns in asked)
        table = _TABLES[kind]
        found = store.link.execute(
            f"SELECT rowid, -bm25({table}, 1.0, ?, ?) FROM {table} WHERE {table} MATCH ?",
            (self._weights.title, self._weights.names, match),
        ).fetchall()
        allowed = self._allowed_set(store, search.filters, kind)
        return {row: score for row, score in found if allowed is None or row in allowed}

    def _covered(
        self, store: rows.Store, search: Search, kind: str, kept: Mapping[str, Mapping[int, float]], pool: Pool
    ) -> dict[int, float]:
        if kind not in kept:
            held, worth = self._lexical.held(search.text, pool.spots)
            return cover(held, worth, pool.scores, pool.spots, self._weights)
        found = kept[kind]
        likely = heapq.nlargest(_LIKELY, found, key=found.__getitem__)
        held, worth = store.held(_TABLES[kind], terms(search.text)[0], likely, self._common)
        return cover(held, worth, found, {}, self._weights)

    def _vectors(self, store: rows.Store, search: Search, kinds: Sequence[str]) -> list[dict[int, float]]:
        vector = search.vector
        if vector is None:
            return []
        dims = store.meta("dims")
        if not dims:
            return []
        if vector.nbytes // 4 != dims:
            raise Conflict(
                f"a question of width {vector.nbytes // 4} cannot be put to an index of width {dims}",
                "make the index anew: memoranda reindex",
            )
        scores = self._dense.scan(vector, store.meta("given"))
        found = []
        for kind in kinds:
            pool = dict(best(scores, search.depth * self._weights.pool, self._rows(store, search.filters, kind)))
            found.append(lend(pool, store.spots(pool), self._weights.dense) if kind == "turn" else pool)
        return found

    def _entities(self, store: rows.Store, search: Search, kinds: Sequence[str]) -> list[dict[int, float]]:
        """What names count for, a part for each kind."""
        asked = tuple(dict.fromkeys([*words.grams(search.text), *map(words.named, search.entities)]))
        if not asked:
            return []
        of_name: dict[str, list[int]] = defaultdict(list)
        marks = ", ".join("?" * len(asked))
        for name, row in store.link.execute(
            "SELECT e.name, min(c.row) FROM entity e JOIN chunk c ON c.doc = e.doc "
            f"WHERE e.name IN ({marks}) GROUP BY e.name, e.doc",
            asked,
        ):
            of_name[name].append(row)
        if not of_name:
            return []
        documents = store.link.execute("SELECT count(DISTINCT doc) FROM entity").fetchone()[0]
        scores: dict[int, float] = defaultdict(float)
        for name in sorted(of_name):
            for row in of_name[name]:
                scores[row] += math.log(1 + documents / len(of_name[name]))
        parts = []
        for kind in kinds:
            allowed = set(store.allowed(search.filters, kind, scores))
            parts.append({row: score for row, score in scores.items() if row in allowed})
        return parts

    def _rows(self, store: rows.Store, filters: Filters, kind: str) -> list[int]:
        """Rows of one kind under the filters; those without a filter are kept until the index changes."""
        if replace(filters, kinds=()) != Filters():
            return store.allowed(filters, kind)
        if kind not in self._of_kind:
            self._of_kind[kind] = store.allowed(Filters(), kind)
        return self._of_kind[kind]

    def _allowed_set(self, store: rows.Store, filters: Filters, kind: str) -> set[int] | None:
        if replace(filters, kinds=()) == Filters():
            return None
        return set(store.allowed(filters, kind))

    # --- opening

    def _open(self, create: bool = False) -> rows.Store | None:
        """The store; None when there is none. What was opened is let go when another process made it anew."""
        path = self._map
        try:
            facts = os.stat(path)
            here = (facts.st_dev, facts.st_ino)
        except FileNotFoundError:
            here = (0, 0)
        if self._store is not None and here != self._file:
            self.close()
        if here != (0, 0):
            self._seal.see()
        if self._store is None:
            if create:
                self._folder.mkdir(parents=True, exist_ok=True)
            link = rows.connect(path, create)
            if link is not None:
                self._store = rows.Store(link)
                # SQLite settles its log by itself when the last link goes, which nobody would have summed up
                self._let_go = weakref.finalize(self, _let_go, self._seal, link, os.getpid())
                facts = path.stat()
                self._file = (facts.st_dev, facts.st_ino)
        return self._store

    def _opened(self) -> rows.Store:
        store = self._open(create=True)
        assert store is not None
        return store

    def _fresh(self) -> rows.Store | None:
        """The store, with everything derived from an older state of it forgotten."""
        store = self._open()
        if store is None:
            return None
        self._lexical.look(store.meta("words"), store.meta("sum"))
        generation = store.meta("generation")
        if generation != self._seen:
            self._lexical.refresh()
            self._dense.refresh()
            self._of_kind.clear()
            self._census = None
            self._common.clear()
            if self._lexical.stamp < store.meta("words") or self._dense.rows(store.meta("dims")) < store.meta(
                "vectors"
            ):
                raise Corrupt("a part of the index is missing")
            self._seen = generation
        return store

    @contextmanager
    def _damage(self) -> Iterator[None]:
        """What SQLite says, in our words: `Corrupt` only for what bytes on disk can cause, never for a lock, a full
        disk or a missing permission, since an index that is called damaged is thrown away."""
        try:
            yield
        except (IsADirectoryError, NotADirectoryError, FileNotFoundError) as error:
            raise Corrupt(f"the index is damaged: no file where one should be ({error.filename})") from error
        except OSError as error:
            raise Unavailable(f"the index cannot be used now: {error.strerror}", "check the disk") from error
        except sqlite3.DatabaseError as error:
            if (self._folder / "map.sqlite").is_dir():
                raise Corrupt("the index is damaged: a folder where its map should be") from error
            name = getattr(error, "sqlite_errorname", "")
            if not name and not isinstance(error, sqlite3.OperationalError):
                raise  # Python's own word: a fault of this program, not of the file
            if name.startswith(_HELD):
                raise Busy("another process holds the index's map", "try again when it is done") from error
            if name.startswith(_REFUSED) and name not in _TORN:
                raise Unavailable(
                    f"the index cannot be used now: {error}", "free space, allow writing, try again"
                ) from error
            raise Corrupt(f"the index is damaged: {error}") from error


#: A log of this size is settled: SQLite's own measure of 1,000 pages.
_LOG_BYTES = 4_096_000


def _let_go(seal: Seal, link: sqlite3.Connection, pid: int) -> None:
    """Also at the end of a process that forgot to close; not in a child, whose link is its parent's."""
    if os.getpid() == pid:
        seal.settle(link, close=True)


#: SQLite's names of results (sqlite.org/rescode.html): another process is at it; the system would not.
_HELD = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")
_REFUSED = (
    "SQLITE_IOERR",
    "SQLITE_FULL",
    "SQLITE_CANTOPEN",
    "SQLITE_READONLY",
    "SQLITE_PERM",
    "SQLITE_NOMEM",
    "SQLITE_INTERRUPT",
    "SQLITE_TOOBIG",
)
#: Of these, what a file cut short says.
_TORN = ("SQLITE_IOERR_SHORT_READ", "SQLITE_IOERR_CORRUPTFS")


class _Known:
    """What rows are, read once a search: signals find much the same ones."""

    def __init__(self, store: rows.Store) -> None:
        self._store = store
        self._facts: dict[int, rows.Facts] = {}

    def facts(self, wanted: Sequence[int]) -> dict[int, rows.Facts]:
        """As `Store.facts`."""
        self._facts.update(self._store.facts(row for row in wanted if row not in self._facts))
        return {row: self._facts[row] for row in wanted if row in self._facts}


def _merge(store: _Known, parts: Sequence[Mapping[int, float]], depth: int) -> list[Ranked]:
    """One ranking of the best `depth` rows of each part, ties by key; scores of two parts compare only roughly."""
    merged: list[Ranked] = []
    for scores in parts:
        known = store.facts(_top(scores, depth))
        keys = {row: facts[0] for row, facts in known.items()}
        settled = settle({row: scores[row] for row in known}, keys)[:depth]
        merged += (rows.ranked(known[row], round(score, 6)) for row, score in settled)
    return sorted(merged, key=lambda row: (-row.score, row.kind, row.key)) if len(parts) > 1 else merged


def _top(scores: Mapping[int, float], depth: int) -> list[int]:
    """The best `depth` rows and all that could tie with the last, so that keys and not chance decide."""
    if len(scores) <= depth:
        return list(scores)
    floor = sorted(scores.values(), reverse=True)[depth - 1]
    return [row for row, score in scores.items() if score >= floor - abs(floor) * 1e-4]
