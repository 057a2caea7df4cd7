"""The plug that puts the product under a recall benchmark: real chunking, index, model and read line, no special path.

A scorer calls `make_index(docs)` and gets `search(query, k)`, which returns ids, best first. A document is a dict with
`id` and `text`, and, where the set has them, `session` and `iso` or `date`. Each becomes one turn of one session; a
question goes through `recall` as an agent's would, with room for k hits, so that what is scored is what is shown.

    make_index       words and vectors
    make_words       words alone
    make_dense       vectors alone: a document stands where its nearest passage does
    make_even        reciprocal rank fusion of FTS5 and those vectors, k = 60, both alike

Vectors are cached by content below MEMORANDA_BENCH_CACHE (default: a folder of this user's in the temporary folder).
"""

from __future__ import annotations

import importlib
import os
import re
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Mapping, Sequence

from memoranda.index import Index
from memoranda.model.index import Pending
from memoranda.model.index import Search as Looked
from memoranda.model.locator import TurnLocator, parse_locator
from memoranda.model.query import Query
from memoranda.model.record import Authority, Record
from memoranda.model.standing import NOTHING, Standing
from memoranda.model.turn import Block, Turn
from memoranda.model.world import World
from memoranda.ports import Screener, discover
from memoranda.recall import recall

NOW = "2026-12-01T00:00:00Z"
_CACHE = Path(os.environ.get("MEMORANDA_BENCH_CACHE", Path(tempfile.gettempdir()) / f"memoranda-bench-{os.getuid()}"))
_DAY = re.compile(r"(\d{4})[-/](\d\d)[-/](\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?)?")

Search = Callable[..., list[str]]


def make_index(docs: Sequence[Mapping[str, str]]) -> Search:
    return _make(docs, lexical=False)


def make_words(docs: Sequence[Mapping[str, str]]) -> Search:
    return _make(docs, lexical=True)


def make_dense(docs: Sequence[Mapping[str, str]]) -> Search:
    return _make(docs, lexical=False, dense=True)


def make_even(docs: Sequence[Mapping[str, str]]) -> Search:
    """What most do: two rankings, fused alike."""
    fts5 = importlib.import_module("locomo_recall").fts5(docs)
    dense = make_dense(docs)

    def search(text: str, k: int, meta: object = None) -> list[str]:
        scores: Counter[str] = Counter()
        for ranking in (fts5(text, 100), dense(text, 100)):
            scores.update({id: 1 / (60 + rank) for rank, id in enumerate(ranking, 1)})
        return sorted(scores, key=lambda id: (-scores[id], id))[:k]

    def close() -> None:
        fts5.close()
        dense.close()  # type: ignore[attr-defined]

    search.close = close  # type: ignore[attr-defined]
    return search


@dataclass(frozen=True)
class _Links:
    """No records, so nothing cites a turn."""

    entries: Mapping[str, object] = field(default_factory=dict)
    cites: Mapping[str, Sequence[str]] = field(default_factory=dict)


class _Chats:
    """A memory that holds only turns, all of them at hand."""

    name, newest = "benchmark", ""

    def __init__(self, turns: Sequence[Turn], index: Index) -> None:
        self.index, self.catalog = index, _Links()
        self.rankings = index.rankings
        self._turns = {(turn.session, turn.turn): turn for turn in turns}

    def turns_at(self, locator: TurnLocator) -> Sequence[Turn] | None:
        found = self._turns.get((locator.session, locator.turn or ""))
        return [found] if found else []

    def text_of(self, pending: Pending) -> str | None:
        locator = parse_locator(pending.doc)
        assert isinstance(locator, TurnLocator)
        return self._turns[locator.session, locator.turn or ""].blocks[0].text[pending.start : pending.end]

    def read(self, id: str) -> Record | None:
        return None

    def standing(self, record: Record) -> Standing:
        return NOTHING

    def authority(self, record: Record) -> Authority:
        return Authority.OBSERVED

    def held(self, record: Record) -> bool:
        return False

    def in_effect(self, record: Record) -> bool:
        return True

    def superseders(self, id: str) -> Sequence[str]:
        return ()

    def same_names(self) -> Sequence[Sequence[str]]:
        return ()

    def world(self) -> World:
        raise NotImplementedError("there are no anchors here")

    def screeners(self) -> Sequence[Screener]:
        return ()


def _make(docs: Sequence[Mapping[str, str]], lexical: bool, dense: bool = False) -> Search:
    folder = tempfile.TemporaryDirectory(prefix="memoranda-bench-")
    index = Index(
        Path(folder.name) / ".index",
        discover.load("index_backends", "embedded"),
        None if lexical else discover.load("embedders", "minilm"),
        _CACHE,
    )
    turns = _turns(docs)
    chats = _Chats(turns, index)
    index.add_turns(turns, (), {})
    index.embed(chats.text_of, None)

    def search(text: str, k: int, meta: object = None) -> list[str]:
        if dense:
            asked = Looked(text, ("dense",), depth=2 * k, vector=index.query_vector(text))
            return [_turn_of(doc) for doc in dict.fromkeys(row.doc for row in index.rankings(asked)["dense"])][:k]
        question = Query(text, limit=k, lexical=lexical, budget_tokens=10**9, neighbours=0)
        return [said.turn for said in recall(question, [chats], NOW).said]

    def close() -> None:
        index.close()
        folder.cleanup()

    search.close = close  # type: ignore[attr-defined]
    return search


def _turn_of(doc: str) -> str:
    locator = parse_locator(doc)
    assert isinstance(locator, TurnLocator)
    return locator.turn or ""


def _turns(docs: Sequence[Mapping[str, str]]) -> list[Turn]:
    """One turn a document; those without a session stand alone."""
    seen: Counter[str] = Counter()
    turns = []
    for doc in docs:
        session = (
            f"{doc.get('sample') or ''}-{doc.get('session')}" if doc.get("session") != "" else f"alone-{doc['id']}"
        )
        turns.append(
            Turn(
                session=session,
                turn=doc["id"],
                role="user",
                harness="bench",
                blocks=(Block("text", doc["text"]),),
                ts=_time(doc.get("iso") or doc.get("date") or ""),
                seq=seen[session],
            )
        )
        seen[session] += 1
    return turns


def _time(text: str) -> str:
    found = _DAY.match(text)
    if not found:
        return ""
    year, month, day, minute, seconds = found.groups()
    return f"{year}-{month}-{day}T{minute or '00:00'}{seconds or ':00'}Z"
