"""Ask every memory for its rankings, records, turns and exhibits apart: an index ranks each kind to the full depth."""

from __future__ import annotations

from typing import Mapping, Sequence

from memoranda.model.errors import Conflict, Unavailable
from memoranda.model.index import Search
from memoranda.model.naming import named
from memoranda.model.query import IndexState, Query, Ranked
from memoranda.model.values import dataclass
from memoranda.recall.fuse import merge
from memoranda.recall.readable import Readable
from memoranda.recall.weights import DEPTH

Rankings = Mapping[str, Sequence[Ranked]]


@dataclass(frozen=True, slots=True)
class Found:
    """What the signals say. `owners` maps each document to the memory it was found in, the first that has it."""

    records: Rankings
    turns: Rankings
    exhibits: Rankings
    owners: Mapping[str, Readable]
    index: IndexState
    notices: tuple[str, ...]


def ask(query: Query, memories: Sequence[Readable]) -> Found:
    """Rankings of all memories, merged within each signal. Without a model, or asked so, by words alone."""
    vectors, notices = _vectors(query, memories)
    also = _also(query.text, memories)
    searched: list[Rankings] = [
        memory.rankings(
            Search(
                text=query.text,
                signals=("words", "covered", "entities", *(() if vector is None else ("dense",))),
                depth=DEPTH,
                vector=vector,
                entities=also,
                filters=query.filters,
            )
        )
        for memory, (_, vector) in zip(memories, vectors, strict=True)
    ]
    owners: dict[str, Readable] = {}
    for memory, rankings in zip(memories, searched, strict=True):
        for row in (row for ranking in rankings.values() for row in ranking):
            owners.setdefault(row.doc, memory)
    models = {model for model, vector in vectors if vector is not None}
    merged = merge(searched, by_place=("dense",) if len(models) > 1 else ())
    states = [memory.index.state() for memory in memories]
    return Found(
        records=_of(merged, "record"),
        turns=_of(merged, "turn"),
        exhibits=_of(merged, "evidence"),
        owners=owners,
        index=_together(states, tuple(sorted(merged))),
        notices=notices,
    )


def _also(text: str, memories: Sequence[Readable]) -> tuple[str, ...]:
    """The other names of what the question names."""
    groups = [group for memory in memories for group in memory.same_names()]
    if not groups:
        return ()
    asked = f" {named(text)} "
    return tuple(name for group in groups if any(f" {named(one)} " in asked for one in group) for name in group)


def _of(merged: Rankings, kind: str) -> Rankings:
    return {signal: [row for row in ranking if row.kind == kind] for signal, ranking in merged.items()}


def _vectors(query: Query, memories: Sequence[Readable]) -> tuple[list[tuple[str, memoryview | None]], tuple[str, ...]]:
    """For each memory its model and the question as that model sees it; each model is asked once."""
    if query.lexical:
        return [("", None)] * len(memories), ()
    asked: dict[str, memoryview] = {}
    found: list[tuple[str, memoryview | None]] = []
    notices: list[str] = []
    for memory in memories:
        model = memory.index.state().model if len(memories) > 1 else ""
        try:
            vector = asked.get(model) if model else None
            vector = memory.index.query_vector(query.text) if vector is None else vector
        except (Unavailable, Conflict) as error:
            vector = None
            notices.append(f"searched by words alone: {error.message}" + (f" ({error.hint})" if error.hint else ""))
        if vector is not None:
            asked[model] = vector
        found.append((model, vector))
    return found, tuple(dict.fromkeys(notices))


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
