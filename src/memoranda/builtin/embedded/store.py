"""map.sqlite: what every row is, the notes, the entities, the words of records and exhibits. The index's commit point.

Row numbers are counted in `meta` and never used twice, since `words/` and the vectors are aligned with them. Inserts
are gathered and made by `flush`: nine tenths of the cost of a row are the call, not the row.
Names that repeat (roles, types, folders, harnesses, sessions) are kept once and referred to by number.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any, Iterable, Iterator, Mapping, Sequence

from memoranda.builtin import words
from memoranda.builtin.moments import bounds, in_repo, iso, millis
from memoranda.builtin.weights import Spot, rarest, worth
from memoranda.model.index import Census, Chunk, Pending
from memoranda.model.query import Filters, Ranked

_SCHEMA = """
CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE notes(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE word(no INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE place(no INTEGER PRIMARY KEY, prefix TEXT NOT NULL, kind TEXT NOT NULL, harness INTEGER NOT NULL,
    session TEXT NOT NULL, UNIQUE(prefix, kind, harness, session));
CREATE TABLE doc(no INTEGER PRIMARY KEY, place INTEGER NOT NULL, tail TEXT NOT NULL, seq INTEGER NOT NULL, ts INTEGER,
    role INTEGER NOT NULL, repo INTEGER NOT NULL, UNIQUE(place, tail));
CREATE TABLE chunk(row INTEGER PRIMARY KEY, doc INTEGER NOT NULL, block INTEGER NOT NULL,
    tag TEXT, start INTEGER NOT NULL, stop INTEGER NOT NULL, type INTEGER NOT NULL,
    tier INTEGER NOT NULL, embedded INTEGER NOT NULL DEFAULT 0, content BLOB NOT NULL);
CREATE INDEX chunk_doc ON chunk(doc);
CREATE INDEX chunk_pending ON chunk(tier, row) WHERE embedded = 0;
CREATE TABLE entity(name TEXT NOT NULL, doc INTEGER NOT NULL, PRIMARY KEY(name, doc)) WITHOUT ROWID;
CREATE INDEX entity_doc ON entity(doc);
CREATE VIRTUAL TABLE recordwords USING fts5(body, title, names, tokenize='ascii');
CREATE VIRTUAL TABLE exhibitwords USING fts5(body, title, names, tokenize='ascii');
PRAGMA user_version = 1;
"""
_ROWS = """SELECT c.row, p.prefix || d.tail, p.kind, h.name, p.session, d.seq, c.block, c.start, c.stop, r.name, t.name,
    d.ts, c.tag FROM chunk c JOIN doc d ON d.no = c.doc JOIN place p ON p.no = d.place JOIN word h ON h.no = p.harness
    JOIN word r ON r.no = d.role JOIN word t ON t.no = c.type"""
_SPOTS = """WITH asked AS (SELECT row, doc, tier FROM chunk WHERE row IN ({})),
    whole AS (SELECT doc, min(row) AS first, count(*) AS pieces FROM chunk WHERE doc IN (SELECT doc FROM asked)
        GROUP BY doc)
    SELECT a.row, d.place, d.seq, a.tier, w.first, w.pieces FROM asked a JOIN whole w ON w.doc = a.doc
    JOIN doc d ON d.no = a.doc"""
_BATCH = 500
#: Conversations whose numbers are kept at hand while one writes; the others are asked for again.
_REMEMBERED = 10_000

#: The key of a row and the columns of `_ROWS` after the first.
Facts = tuple[Any, ...]


def ranked(facts: Facts, score: float) -> Ranked:
    """A row of a ranking."""
    key, doc, kind, harness, session, seq, block, start, stop, role, type_, ts, _ = facts
    return Ranked(key, doc, kind, score, harness, session, seq, block, start, stop, role, type_, iso(ts))


def connect(path: Path, create: bool) -> sqlite3.Connection | None:
    """Open the map. Only a writer may make it (`create`), since two that make it at once would meet half of it; a
    reader gets None until it is whole. Raises sqlite3.DatabaseError for a damaged file."""
    if not create and not path.exists():
        return None
    # On a read-only disk SQLite cannot make the files beside a map in WAL mode. Whoever closed it last left none, and
    # then it is whole and nobody can be changing it.
    log = path.with_name(f"{path.name}-wal")
    frozen = not create and not os.access(path.parent, os.W_OK) and not log.exists()
    place = f"{path.absolute().as_uri()}?immutable=1" if frozen else str(path)
    link = sqlite3.connect(place, timeout=10.0, isolation_level=None, check_same_thread=False, uri=frozen)
    try:
        link.execute("PRAGMA synchronous = NORMAL")
        link.execute("PRAGMA wal_autocheckpoint = 0")  # whole.py does it, and sums the map up
        if link.execute("PRAGMA user_version").fetchone()[0]:
            return link
        if create:
            link.execute("PRAGMA journal_mode = WAL")
            link.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
            return link
    except BaseException:
        link.close()
        raise
    link.close()
    return None


class Store:
    """Statements over one connection. Whoever calls holds the transaction."""

    def __init__(self, link: sqlite3.Connection) -> None:
        self.link = link
        self._words: dict[str, int] = {}
        self._places: dict[tuple[str, str, str, str], int] = {}
        self._fresh: set[int] = set()
        self._queued: set[tuple[int, str]] = set()
        self._docs: list[tuple[object, ...]] = []
        self._chunks: list[tuple[object, ...]] = []
        self._next_doc = self._next_row = 0

    def begin(self) -> None:
        """Start a step; whoever calls opened the transaction."""
        self._next_doc, self._next_row = self.meta("docs"), self.meta("rows")
        self._fresh.clear()

    def flush(self) -> None:
        """Make the inserts that are queued."""
        self.link.executemany("INSERT INTO doc VALUES (?, ?, ?, ?, ?, ?, ?)", self._docs)
        self.link.executemany("INSERT INTO chunk VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?)", self._chunks)
        self.set_meta("docs", self._next_doc)
        self.set_meta("rows", self._next_row)
        self._docs, self._chunks = [], []
        self._queued.clear()

    def forget(self) -> None:
        """After a rollback: what was queued and the numbers given out are void."""
        self._words.clear()
        self._places.clear()
        self._queued.clear()
        self._docs, self._chunks = [], []

    def meta(self, name: str) -> int:
        row = self.link.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return int(row[0]) if row else 0

    def set_meta(self, name: str, value: int) -> None:
        self.link.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def notes(self, prefix: str) -> dict[str, str]:
        found = self.link.execute(
            "SELECT name, value FROM notes WHERE name >= ? AND name < ?", (prefix, prefix + "\U0010ffff")
        )
        return dict(found.fetchall())

    def set_notes(self, notes: Mapping[str, str | None]) -> None:
        self.link.executemany("DELETE FROM notes WHERE name = ?", ((n,) for n, v in notes.items() if v is None))
        self.link.executemany(
            "INSERT OR REPLACE INTO notes VALUES (?, ?)", ((n, v) for n, v in notes.items() if v is not None)
        )

    def word(self, name: str) -> int:
        """The number of a repeated name, given now if it is new."""
        number = self._words.get(name)
        if number is None:
            given = (words.whole(name),)
            self.link.execute("INSERT OR IGNORE INTO word(name) VALUES (?)", given)
            number = int(self.link.execute("SELECT no FROM word WHERE name = ?", given).fetchone()[0])
            self._words[name] = number
        return number

    def place(self, prefix: str, kind: str, harness: str, session: str) -> int:
        """The number of a conversation (or of the place all records share)."""
        key = (prefix, kind, harness, session)
        number = self._places.get(key)
        if number is None:
            row = (prefix, kind, self.word(harness), words.whole(session))
            new = self.link.execute(
                "INSERT OR IGNORE INTO place(prefix, kind, harness, session) VALUES (?, ?, ?, ?)", row
            ).rowcount
            number = int(
                self.link.execute(
                    "SELECT no FROM place WHERE prefix = ? AND kind = ? AND harness = ? AND session = ?", row
                ).fetchone()[0]
            )
            if len(self._places) >= _REMEMBERED:
                self._places.clear()
            self._places[key] = number
            if new > 0:
                self._fresh.add(number)
        return number

    def remove(self, name: str) -> int:
        """Take a document out; how many turn passages went with it."""
        prefix, tail = split(name)
        turns = 0
        for number, kind in self.link.execute(
            "SELECT d.no, p.kind FROM place p JOIN doc d ON d.place = p.no WHERE p.prefix = ? AND d.tail = ?",
            (prefix, tail),
        ).fetchall():
            if kind != "turn":
                table = "recordwords" if kind == "record" else "exhibitwords"
                self.link.execute(
                    f"DELETE FROM {table} WHERE rowid IN (SELECT row FROM chunk WHERE doc = ?)", (number,)
                )
            gone = self.link.execute("DELETE FROM chunk WHERE doc = ?", (number,)).rowcount
            turns += gone if kind == "turn" else 0
            self.link.execute("DELETE FROM entity WHERE doc = ?", (number,))
            self.link.execute("DELETE FROM doc WHERE no = ?", (number,))
        return turns

    def same(self, chunks: Sequence[Chunk]) -> bool | None:
        """None when the document of these pieces is not here; else whether exactly they are."""
        first = chunks[0]
        prefix, tail = split(first.doc)
        place = self.place(prefix, first.kind, first.harness, first.session)
        if (place, tail) in self._queued:
            self.flush()
        elif place in self._fresh:
            return None
        here = self.link.execute(
            "SELECT c.block, c.start, c.stop, c.content, d.seq, d.ts FROM doc d JOIN chunk c ON c.doc = d.no "
            "WHERE d.place = ? AND d.tail = ?",
            (place, tail),
        ).fetchall()
        if not here:
            return None
        given = [(c.block, c.start, c.end, bytes.fromhex(c.content), c.seq, millis(c.ts)) for c in chunks]
        return sorted(here, key=repr) == sorted(given, key=repr)

    def add(self, chunks: Sequence[Chunk]) -> tuple[int, int]:
        """Queue the pieces of one document that is not here; the row of the first (they follow each other), and the
        number of its place."""
        first = chunks[0]
        prefix, tail = split(first.doc)
        place = self.place(prefix, first.kind, first.harness, first.session)
        self._next_doc += 1
        doc, row = self._next_doc, self._next_row
        self._queued.add((place, tail))
        self._docs.append((doc, place, tail, first.seq, millis(first.ts), self.word(first.role), self.word(first.repo)))
        if first.entities:
            names = {words.named(entity) for entity in first.entities} - {""}
            self.link.executemany("INSERT INTO entity VALUES (?, ?)", ((name, doc) for name in names))
        block, number, word, queue = -1, 0, self.word, self._chunks.append
        for at, one in enumerate(chunks, row):
            number = number + 1 if one.block == block else 0
            block = one.block
            usual = one.key == f"{one.doc}#{block}.{number}"
            tag = (str(number) if number else None) if usual else one.key
            content = bytes.fromhex(one.content)
            queue((at, doc, block, tag, one.start, one.end, word(one.type), one.tier, content))
        self._next_row += len(chunks)
        return row, place

    def facts(self, rows: Iterable[int]) -> dict[int, Facts]:
        """What rows are; unknown ones are left out."""
        found: dict[int, Facts] = {}
        for batch in _batches(rows):
            for row in self.link.execute(f"{_ROWS} WHERE c.row IN ({_marks(batch)})", batch):
                found[row[0]] = (_key(row[1], row[6], row[12]), *row[1:])
        return found

    def spots(self, rows: Iterable[int]) -> dict[int, Spot]:
        """Where rows of turns stand in their conversations and in their turns."""
        found: dict[int, Spot] = {}
        for batch in _batches(rows):
            for row, place, seq, tier, first, pieces in self.link.execute(_SPOTS.format(_marks(batch)), batch):
                found[row] = Spot(session=place, seq=seq, prose=tier == 1, first=first, pieces=pieces)
        return found

    def held(
        self, table: str, asked: Sequence[str], among: Sequence[int], known: dict[tuple[str, str], int]
    ) -> tuple[dict[int, int], list[float]]:
        """As `Lexical.held`, of the rows `among` those of a table of records or exhibits: their titles and names count
        as theirs. `known` keeps how many rows hold a word, as long as the map is the same."""
        if not among or not asked:
            return {}, []
        every = self._many(table, "", known)
        chosen = rarest([(self._many(table, term, known), place, term) for place, term in enumerate(asked)])
        held: dict[int, int] = {}
        for bit, (_, _, term) in enumerate(chosen):
            query = f"SELECT rowid FROM {table} WHERE {table} MATCH ? AND rowid IN ({_marks(among)})"
            for (row,) in self.link.execute(query, (f'"{term}"', *among)):
                held[row] = held.get(row, 0) | 1 << bit
        return held, [worth(every, many) for many, _, _ in chosen]

    def _many(self, table: str, term: str, known: dict[tuple[str, str], int]) -> int:
        """How many rows of a table hold a term; with "" all."""
        if (table, term) not in known:
            query = (
                f"SELECT count(*) FROM {table} WHERE {table} MATCH ?"
                if term
                else f"SELECT count(*) FROM {table}_docsize"
            )
            known[table, term] = self.link.execute(query, (f'"{term}"',) if term else ()).fetchone()[0]
        return known[table, term]

    def rows_of(self, keys: Iterable[str]) -> dict[str, int]:
        """The rows of chunk keys; unknown ones are left out."""
        found: dict[str, int] = {}
        wanted: dict[str, list[str]] = {}
        for key in keys:
            wanted.setdefault(key.rpartition("#")[0], []).append(key)
        for name, members in wanted.items():
            prefix, tail = split(name)
            for row, block, tag in self.link.execute(
                "SELECT c.row, c.block, c.tag FROM place p JOIN doc d ON d.place = p.no JOIN chunk c ON c.doc = d.no "
                "WHERE p.prefix = ? AND d.tail = ?",
                (prefix, tail),
            ):
                key = _key(name, block, tag)
                if key in members:
                    found[key] = row
        return found

    def numbers(self, filters: Filters) -> list[tuple[str, list[int]]]:
        """The numbers that each group of a filter allows, as (column, numbers)."""
        groups: list[tuple[str, list[int]]] = []
        known: list[tuple[int, str]] = []
        if filters.roles or filters.types or filters.harnesses or filters.repos:
            known = self.link.execute("SELECT no, name FROM word").fetchall()
        for column, names in (("role", filters.roles), ("type", filters.types), ("harness", filters.harnesses)):
            if names:
                groups.append((column, [number for number, name in known if name in names]))
        if filters.repos:
            groups.append(("repo", [number for number, name in known if in_repo(name, filters.repos)]))
        if filters.sessions:
            found = self.link.execute(
                f"SELECT no FROM place WHERE session IN ({_marks(filters.sessions)})", filters.sessions
            )
            groups.append(("place", [number for (number,) in found]))
        return groups

    def allowed(self, filters: Filters, kind: str, among: Iterable[int] | None = None) -> list[int]:
        """Rows of one kind under the filters, in order: all of them, or those `among` some."""
        if among is not None:
            return [row for batch in _batches(among) for row in self._allowed(filters, kind, batch)]
        return self._allowed(filters, kind, ())

    def _allowed(self, filters: Filters, kind: str, among: Sequence[int]) -> list[int]:
        tables = {"role": "d.role", "type": "c.type", "harness": "p.harness", "repo": "d.repo", "place": "d.place"}
        clauses, values = ["p.kind = ?"], list[str | int]([kind])
        for column, numbers in self.numbers(filters):
            clauses.append(f"{tables[column]} IN ({', '.join(map(str, numbers))})")
        if among:
            clauses.append(f"c.row IN ({_marks(among)})")
            values += among
        span = bounds(filters)
        if span is not None:
            clauses.append(f"d.ts BETWEEN {span[0]} AND {span[1]}")
        found = self.link.execute(
            "SELECT c.row FROM chunk c JOIN doc d ON d.no = c.doc JOIN place p ON p.no = d.place "
            f"WHERE {' AND '.join(clauses)} ORDER BY c.row",
            values,
        )
        return [row for (row,) in found]

    def census(self) -> Census:
        passages, documents = self.link.execute(
            "SELECT (SELECT count(*) FROM chunk), (SELECT count(*) FROM doc)"
        ).fetchone()
        wanting = self.link.execute("SELECT count(*) FROM chunk WHERE embedded = 0").fetchone()[0]
        return Census(passages, documents, wanting)

    def pending(self, limit: int) -> list[Pending]:
        """Chunks without a vector: lowest tier first, then newest."""
        rows = self.link.execute(
            "SELECT p.prefix || d.tail, c.content, c.block, c.start, c.stop, c.tier, c.tag FROM chunk c "
            "JOIN doc d ON d.no = c.doc JOIN place p ON p.no = d.place WHERE c.embedded = 0 "
            "ORDER BY c.tier, d.ts DESC, p.prefix, d.seq DESC, c.row LIMIT ?",
            (limit,),
        )
        return [
            Pending(_key(doc, block, tag), doc, content.hex(), block, start, stop, tier)
            for doc, content, block, start, stop, tier, tag in rows
        ]


def split(name: str) -> tuple[str, str]:
    """A document's name as what it shares with its neighbours, and the rest."""
    head, slash, tail = name.rpartition("/")
    return head + slash, tail


def _key(doc: str, block: int, tag: str | None) -> str:
    if tag is None or tag.isdigit():
        return f"{doc}#{block}.{tag or 0}"
    return tag


def _batches(rows: Iterable[int]) -> Iterator[list[int]]:
    listed = list(rows)
    for at in range(0, len(listed), _BATCH):
        yield listed[at : at + _BATCH]


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
