"""Ask every memory for its rankings: records and turns apart, so that a flood of one never hides the other."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Mapping, Sequence

from memoranda.model.errors import Conflict, Unavailable
from memoranda.model.index import Search
from memoranda.model.query import IndexState, Query, Ranked
from memoranda.recall.fuse import merge
from memoranda.recall.readable import Readable
from memoranda.recall.weights import DEPTH

Rankings = Mapping[str, Sequence[Ranked]]

#: Names of entities are at most this many words long.
_NAME_WORDS = 3
_WORD = re.compile(r"[\w./@+-]*\w")


@dataclass(frozen=True, slots=True)
class Found:
    """What the signals say. `owners` maps each document to the memory it was found in, the first that has it."""

    records: Rankings
    turns: Rankings
    owners: Mapping[str, Readable]
    index: IndexState
    notices: tuple[str, ...]


def ask(query: Query, memories: Sequence[Readable]) -> Found:
    """Rankings of all memories, merged within each signal. Without a model, or asked so, by words alone."""
    vector, notices = _vector(query, memories)
    search = Search(
        text=query.text,
        signals=("words", "entities") if vector is None else ("words", "dense", "entities"),
        depth=DEPTH,
        vector=vector,
        entities=names(query.text),
        filters=query.filters,
    )
    found: dict[str, Rankings] = {}
    owners: dict[str, Readable] = {}
    for kind in ("record", "turn"):
        if query.filters.kinds and kind not in query.filters.kinds:
            found[kind] = {}
            continue
        one = replace(search, filters=replace(query.filters, kinds=(kind,)))
        searched = [memory.index.rankings(one) for memory in memories]
        for memory, rankings in zip(memories, searched, strict=True):
            for row in (row for ranking in rankings.values() for row in ranking):
                owners.setdefault(row.doc, memory)
        found[kind] = merge(searched)
    states = [memory.index.state() for memory in memories]
    used = tuple(sorted({signal for rankings in found.values() for signal in rankings}))
    return Found(found["record"], found["turn"], owners, _together(states, used), notices)


def names(text: str) -> tuple[str, ...]:
    """Every run of one to three words of a question, folded: what an entity could be called in it."""
    words = [match.casefold() for match in _WORD.findall(text)]
    runs = (" ".join(words[i : i + n]) for n in range(1, _NAME_WORDS + 1) for i in range(len(words) - n + 1))
    return tuple(dict.fromkeys(runs))


def _vector(query: Query, memories: Sequence[Readable]) -> tuple[memoryview | None, tuple[str, ...]]:
    if query.lexical:
        return None, ()
    try:
        for memory in memories:
            vector = memory.index.query_vector(query.text)
            if vector is not None:
                return vector, ()
    except (Unavailable, Conflict) as error:
        return None, (f"searched by words alone: {error.message}" + (f" ({error.hint})" if error.hint else ""),)
    return None, ()


def _together(states: Sequence[IndexState], used: tuple[str, ...]) -> IndexState:
    """One state for all memories: current only if each is."""
    return IndexState(
        current=all(state.current for state in states),
        passages=sum(state.passages for state in states),
        pending=sum(state.pending for state in states),
        unembedded=sum(state.unembedded for state in states),
        model=next((state.model for state in states if state.model), ""),
        signals=used,
        note="; ".join(dict.fromkeys(state.note for state in states if state.note)),
    )
