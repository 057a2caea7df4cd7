"""The index backend that keeps everything in dictionaries: for tests, and `IndexBackend` at its plainest.

BM25 over folded words (no stemming), neighbours lending their share as in the embedded backend, and every vector looked
at. Nothing is written; a folder is taken and ignored.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from pathlib import Path
from typing import Iterable, Mapping, Sequence

from memoranda.builtin import words
from memoranda.builtin.moments import bounds, in_repo, millis
from memoranda.builtin.weights import Spot, Weights, cover, lend, settle
from memoranda.model.errors import Conflict
from memoranda.model.index import Census, Changes, Chunk, Pending, Search
from memoranda.model.query import Filters, Ranked
from memoranda.model.values import dataclass, replace

_K1, _B = 1.2, 0.75
_KINDS = ("record", "turn", "evidence")


@dataclass(frozen=True, slots=True)
class _Row:
    chunk: Chunk
    words: Counter[str]
    title: frozenset[str]
    names: frozenset[str]
    vector: tuple[float, ...] | None = None

    @property
    def pending(self) -> Pending:
        one = self.chunk
        return Pending(one.key, one.doc, one.content, one.block, one.start, one.end, one.tier)

    @property
    def ranked(self) -> Ranked:
        one = self.chunk
        return Ranked(
            key=one.key,
            doc=one.doc,
            kind=one.kind,
            score=0.0,
            harness=one.harness,
            session=one.session,
            seq=one.seq,
            block=one.block,
            start=one.start,
            end=one.end,
            role=one.role,
            type=one.type,
            ts=one.ts,
        )


class InMemoryBackend:
    """`IndexBackend` for one process and as long as it lives."""

    def __init__(self, weights: Weights = Weights()) -> None:  # noqa: B008 - frozen
        self._weights = weights
        self._rows: dict[str, _Row] = {}
        self._notes: dict[str, str] = {}
        self._dims = 0

    def apply(self, changes: Changes) -> None:
        """One step. Raises `Conflict` for vectors of another width, before anything is changed."""
        widths = {vector.nbytes // 4 for vector in changes.vectors.values()}
        if len(widths) > 1 or (self._dims and widths - {self._dims}):
            raise Conflict(f"vectors of width {sorted(widths)} do not fit an index of width {self._dims}")
        for name, value in changes.notes.items():
            self._notes.pop(name, None)
            if value is not None:
                self._notes[name] = value
        gone = {*changes.remove, *(chunk.doc for chunk in changes.add)}
        kept = {key: row for key, row in self._rows.items() if row.chunk.doc not in gone}
        for chunk in changes.add:
            old = self._rows.get(chunk.key)
            same = old is not None and old.chunk.content == chunk.content
            kept[chunk.key] = _row(chunk, old.vector if old and same and chunk.doc not in changes.remove else None)
        self._rows = kept
        for key, vector in changes.vectors.items():
            self._dims = vector.nbytes // 4
            if key in self._rows:
                self._rows[key] = replace(self._rows[key], vector=_floats(vector))

    def search(self, search: Search) -> Mapping[str, Sequence[Ranked]]:
        """Rankings of the wanted signals, `depth` of each kind."""
        found: dict[str, Sequence[Ranked]] = {}
        kinds = [kind for kind in _KINDS if not search.filters.kinds or kind in search.filters.kinds]
        parts = [[row for row in self._rows.values() if _holds(row.chunk, kind, search.filters)] for kind in kinds]
        if "words" in search.signals:
            found["words"] = _merge([(rows, self._by_words(search.text, rows)) for rows in parts], search.depth)
        if "covered" in search.signals:
            found["covered"] = _merge([(rows, self._by_cover(search.text, rows)) for rows in parts], search.depth)
        if "dense" in search.signals and search.vector is not None:
            found["dense"] = _merge([(rows, self._by_vector(search.vector, rows)) for rows in parts], search.depth)
        if "entities" in search.signals:
            found["entities"] = _merge([(rows, self._by_name(search, rows)) for rows in parts], search.depth)
        return found

    def notes(self, prefix: str) -> Mapping[str, str]:
        return {name: value for name, value in sorted(self._notes.items()) if name.startswith(prefix)}

    def pending(self, limit: int) -> tuple[Census, Sequence[Pending]]:
        rows = self._rows.values()
        waiting = [row for row in rows if row.vector is None]
        waiting.sort(key=lambda row: (row.chunk.tier, -(millis(row.chunk.ts) or 0), row.chunk.session, -row.chunk.seq))
        census = Census(len(rows), len({row.chunk.doc for row in rows}), len(waiting))
        return census, [row.pending for row in waiting[:limit]]

    def _by_words(self, text: str, rows: Sequence[_Row]) -> dict[int, float]:
        body, names = (tuple(dict.fromkeys(words.plain(part))) for part in words.question(text))
        every = self._beside(rows)
        mean = sum(row.words.total() for row in every) / len(every) if every else 1.0
        idf = _idf(every, {*body, *names})
        scores: dict[int, float] = {}
        for at, row in enumerate(rows):
            stretch = _K1 * (1 - _B + _B * row.words.total() / max(mean, 1.0))
            score = sum(idf[w] * row.words[w] * (_K1 + 1) / (row.words[w] + stretch) for w in body if w in row.words)
            score += self._weights.title * sum(idf[w] for w in body if w in row.title)
            score += self._weights.names * sum(
                idf[w] for w in names if w in row.names or (w in row.words and w not in body)
            )
            if score > 0:
                scores[at] = score
        return lend(scores, _spots(rows, scores), self._weights)

    def _by_cover(self, text: str, rows: Sequence[_Row]) -> dict[int, float]:
        asked = tuple(dict.fromkeys(words.plain(words.question(text)[0])))
        bits = {at: sum(1 << bit for bit, word in enumerate(asked) if _says(row, word)) for at, row in enumerate(rows)}
        held = {at: one for at, one in bits.items() if one}
        idf = _idf(self._beside(rows), set(asked))
        return cover(held, [idf[word] for word in asked], {}, _spots(rows, held), self._weights)

    def _beside(self, rows: Sequence[_Row]) -> list[_Row]:
        """Every row of the kind of these."""
        return [row for row in self._rows.values() if rows and row.chunk.kind == rows[0].chunk.kind]

    def _by_vector(self, vector: memoryview, rows: Sequence[_Row]) -> dict[int, float]:
        asked = _floats(vector)
        if self._dims and len(asked) != self._dims:
            raise Conflict(f"a question of width {len(asked)} cannot be put to an index of width {self._dims}")
        scores = {
            at: sum(a * b for a, b in zip(asked, row.vector, strict=True))
            for at, row in enumerate(rows)
            if row.vector is not None
        }
        return lend(scores, _spots(rows, scores), self._weights.dense)

    def _by_name(self, search: Search, rows: Sequence[_Row]) -> dict[int, float]:
        asked = {*words.grams(search.text), *map(words.named, search.entities)}
        of_name: dict[str, set[str]] = defaultdict(set)
        for row in self._rows.values():
            for entity in row.chunk.entities:
                of_name[words.named(entity)].add(row.chunk.doc)
        documents = len(set().union(*of_name.values())) if of_name else 0
        scores: dict[int, float] = {}
        seen: set[str] = set()
        for at, row in enumerate(rows):
            matched = sorted(asked & {words.named(entity) for entity in row.chunk.entities})
            if matched and row.chunk.doc not in seen:
                seen.add(row.chunk.doc)
                scores[at] = sum(math.log(1 + documents / len(of_name[name])) for name in matched)
        return scores


def make(folder: Path | None = None) -> InMemoryBackend:
    """The plug-in `in_memory` of group memoranda.index_backends."""
    return InMemoryBackend()


def _row(chunk: Chunk, vector: tuple[float, ...] | None) -> _Row:
    return _Row(
        chunk,
        Counter(words.plain(chunk.text)),
        frozenset(words.plain(chunk.title)),
        frozenset(words.plain(words.identifiers(chunk.text))),
        vector,
    )


def _idf(rows: Sequence[_Row], asked: set[str]) -> dict[str, float]:
    """What finding each word is worth among these rows."""
    idf = {}
    for word in asked:
        many = sum(word in row.words or word in row.title or word in row.names for row in rows)
        idf[word] = math.log(1 + (len(rows) - many + 0.5) / (many + 0.5))
    return idf


def _says(row: _Row, word: str) -> bool:
    """A record also says what it is titled with and names."""
    return word in row.words or (row.chunk.kind != "turn" and (word in row.title or word in row.names))


def _floats(vector: memoryview) -> tuple[float, ...]:
    return tuple(vector.cast("B").cast("f"))


def _holds(chunk: Chunk, kind: str, filters: Filters) -> bool:
    span = bounds(filters)
    moment = millis(chunk.ts)
    return (
        chunk.kind == kind
        and (not filters.roles or chunk.role in filters.roles)
        and (not filters.types or chunk.type in filters.types)
        and (not filters.harnesses or chunk.harness in filters.harnesses)
        and (not filters.sessions or chunk.session in filters.sessions)
        and (not filters.repos or in_repo(chunk.repo, filters.repos))
        and (span is None or (moment is not None and span[0] <= moment <= span[1]))
    )


def _spots(rows: Sequence[_Row], scores: Iterable[int]) -> dict[int, Spot]:
    """Where the rows of turns stand in their conversations and in their turns."""
    of_turn: dict[str, list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        of_turn[row.chunk.doc].append(at)
    return {
        at: Spot(one.session, one.seq, one.tier == 1, of_turn[one.doc][0], len(of_turn[one.doc]))
        for at in scores
        if (one := rows[at].chunk).kind == "turn"
    }


def _merge(parts: Iterable[tuple[Sequence[_Row], Mapping[int, float]]], depth: int) -> list[Ranked]:
    merged: list[Ranked] = []
    for rows, scores in parts:
        settled = settle(scores, {at: rows[at].chunk.key for at in scores})[:depth]
        merged += (replace(rows[at].ranked, score=round(score, 6)) for at, score in settled)
    return sorted(merged, key=lambda row: (-row.score, row.kind, row.key))
