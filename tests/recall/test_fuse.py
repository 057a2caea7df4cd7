"""Rank fusion, recomputed by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoranda.model.query import Ranked
from memoranda.recall.fuse import fuse, merge, terms, weights_for
from memoranda.recall.weights import CONCLUDED, SAID, K


def row(doc: str, score: float = 1.0, piece: int = 0, length: int = 100) -> Ranked:
    return Ranked(f"{doc}#0.{piece}", doc, "turn", score, start=0, end=length)


WORDS = [row("a", 9.0), row("b", 5.0), row("c", 1.0)]
DENSE = [row("c", 0.9), row("a", 0.8), row("d", 0.7)]


def test_a17_b49_a_score_is_the_sum_of_weight_over_sixty_plus_rank():
    hits = fuse({"words": WORDS, "dense": DENSE}, {"words": 1.0, "dense": 0.5})
    expected = {
        "a": 1.0 / (60 + 1) + 0.5 / (60 + 2),
        "b": 1.0 / (60 + 2),
        "c": 1.0 / (60 + 3) + 0.5 / (60 + 1),
        "d": 0.5 / (60 + 3),
    }
    assert {hit.row.doc: hit.score for hit in hits} == pytest.approx(expected, rel=1e-12)
    assert [hit.row.doc for hit in hits] == sorted(expected, key=lambda doc: -expected[doc])
    assert dict(hits[0].ranks) == {"words": 1, "dense": 2}


def test_b49_a_signal_scaled_by_a_thousand_moves_nothing():
    loud = [replace(r, score=r.score * 1000) for r in DENSE]
    assert [(h.row.doc, h.score, h.ranks) for h in fuse({"words": WORDS, "dense": loud}, SAID)] == [
        (h.row.doc, h.score, h.ranks) for h in fuse({"words": WORDS, "dense": DENSE}, SAID)
    ]


def test_a_document_stands_where_its_best_passage_does_and_that_passage_is_shown():
    hits = fuse({"words": [row("a", piece=2), row("a", piece=0), row("b")]}, {"words": 1.0})
    assert [(hit.row.key, dict(hit.ranks)) for hit in hits] == [("a#0.2", {"words": 1}), ("b#0.0", {"words": 2})]


def test_the_passage_comes_from_the_signal_that_adds_most():
    hits = fuse({"words": [row("b"), row("a", piece=0)], "dense": [row("a", piece=7)]}, {"words": 1.0, "dense": 1.0})
    assert {hit.row.doc: hit.row.key for hit in hits}["a"] == "a#0.7"


def test_a_signal_without_a_weight_counts_nothing():
    hits = fuse({"words": WORDS, "astrology": [row("z")]}, SAID)
    assert "z" not in {hit.row.doc for hit in hits}


def test_a17_ties_fall_by_best_rank_then_by_name():
    hits = fuse({"words": [row("m"), row("k")], "dense": [row("k"), row("m")]}, {"words": 1.0, "dense": 1.0})
    assert [hit.row.doc for hit in hits] == ["k", "m"]
    even = fuse({"words": [row("z")], "dense": [row("y")]}, {"words": 1.0, "dense": 1.0})
    assert [hit.row.doc for hit in even] == ["y", "z"]


rankings = st.dictionaries(
    st.sampled_from(["words", "dense", "entities"]),
    st.lists(st.sampled_from("abcdefghij"), unique=True, max_size=8).map(lambda docs: [row(doc) for doc in docs]),
)


@given(rankings)
def test_a17_the_order_is_total_and_every_score_can_be_recomputed(found):
    hits = fuse(found, CONCLUDED)
    keys = [(-hit.score, min(rank for _, rank in hit.ranks), hit.row.doc) for hit in hits]
    assert keys == sorted(set(keys))
    for hit in hits:
        assert hit.score == pytest.approx(sum(CONCLUDED[s] / (K + r) for s, r in hit.ranks), rel=1e-12)
        assert hit.score == pytest.approx(sum(t.value for t in terms(hit.ranks, CONCLUDED)), rel=1e-12)
    assert fuse(dict(reversed(found.items())), CONCLUDED) == hits


def test_short_candidates_make_meaning_count_less_and_full_ones_fully():
    short = {"words": [row("a", length=90)], "dense": [row("b", length=90)]}
    full = {"words": [row("a", length=900)], "dense": [row("b", length=2000)]}
    assert weights_for(short, SAID)["dense"] == pytest.approx(SAID["dense"] * 0.3**3)
    assert weights_for(short, SAID)["covered"] == pytest.approx(SAID["covered"] * (1 - 0.3**3))
    assert weights_for(full, SAID)["covered"] == 0.0
    assert weights_for(full, SAID)["dense"] == SAID["dense"]
    assert weights_for({}, SAID) == SAID
    assert weights_for(short, SAID)["words"] == SAID["words"]


def test_several_memories_are_merged_within_a_signal_before_fusing():
    one = {"words": [row("a", 5.0), row("b", 1.0)]}
    two = {"words": [row("c", 3.0)], "dense": [row("c", 0.5)]}
    merged = merge([one, two])
    assert [r.doc for r in merged["words"]] == ["a", "c", "b"]
    assert [r.doc for r in merged["dense"]] == ["c"]
    assert [r.doc for r in merge([two, one])["words"]] == ["a", "c", "b"]
    assert [r.doc for r in merge([one, two], by_place=("words",))["words"]] == ["a", "c", "b"]
    assert [r.doc for r in merge([two, one], by_place=("words",))["words"]] == ["c", "a", "b"]
