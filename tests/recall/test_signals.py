"""Three signals over a real index: each finds what the others cannot, and no reranker is anywhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memoranda.builtin.hashing import HashingEmbedder
from memoranda.builtin.in_memory import InMemoryBackend
from memoranda.index.chunk import chunk_record
from memoranda.model.index import Changes
from memoranda.model.query import IndexState, Query
from memoranda.ports import protocols
from memoranda.recall import recall
from memoranda.recall import weights as table

NOW = "2026-12-01T00:00:00Z"
QUERIES = {
    "words": ("a quorum of five was agreed", "The quorum is five of nine"),
    "dense": ("kubernetesclusterkubernetes", "kubernetes cluster"),
    "entities": ("anything decided about Will", "Prefers tea at noon"),  # a name that is a stop word
}


class Asked:
    """An index of a backend and an embedder, asked as the real one is."""

    def __init__(self, backend: InMemoryBackend, embedder: HashingEmbedder) -> None:
        self.rankings, self.query_vector = backend.search, embedder.query

    def state(self) -> IndexState:
        return IndexState(current=True)


@pytest.fixture
def stocked(shelf):
    """A shelf whose records are found by words, by hashed meaning and by entity."""
    embedder, backend = HashingEmbedder(), InMemoryBackend()
    for body in (QUERIES["words"][1], QUERIES["dense"][1], *(f"filler sentence {n} of nothing" for n in range(20))):
        shelf.keep(body)
    shelf.keep(QUERIES["entities"][1], entities=("Will",))
    chunks = [chunk for record in shelf.records.values() for chunk in chunk_record(record)]
    backend.apply(Changes(add=chunks, vectors={chunk.key: embedder.query(chunk.text) for chunk in chunks}))
    shelf.index = Asked(backend, embedder)
    return shelf


@pytest.mark.parametrize("signal", sorted(QUERIES))
def test_b48_each_signal_finds_what_the_others_cannot(stocked, signal, monkeypatch):
    text, wanted = QUERIES[signal]

    def found() -> bool:
        answer = recall(Query(text, limit=1), [stocked], NOW)
        return [hit.record.body for hit in answer.concluded] == [wanted]

    assert found()
    monkeypatch.setattr("memoranda.recall.line.CONCLUDED", {**table.CONCLUDED, signal: 0.0})
    assert not found()


def test_a16_no_reranker_is_called_since_none_can_be_plugged_in(stocked):
    assert not hasattr(protocols, "Reranker")
    answer = recall(Query("filler sentence", limit=20), [stocked], NOW)
    signals = {signal for hit in answer.concluded for signal, _ in hit.ranks}
    assert signals <= {"words", "dense", "entities"}


def test_the_same_question_twice_is_the_same_answer(stocked):
    query = Query("filler sentence of nothing", limit=10)
    assert recall(query, [stocked], NOW) == recall(replace(query), [stocked], NOW)
