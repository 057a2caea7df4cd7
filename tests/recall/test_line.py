"""The read line over a memory of values: two sections, chains, budgets, silence, and one total order."""

from __future__ import annotations

import hashlib
from array import array
from dataclasses import replace

import pytest

from memoranda.model.errors import Conflict, Invalid
from memoranda.model.locator import Anchor, FileLocator
from memoranda.model.query import Filters, Query
from memoranda.model.record import Category, Channel
from memoranda.model.standing import Standing
from memoranda.recall import recall
from memoranda.recall.fuse import fuse, weights_for
from memoranda.recall.tokens import estimate
from memoranda.recall.weights import SAID

NOW = "2026-12-01T00:00:00Z"


def ask(*shelves, text="what is it", **more):
    return recall(Query(text, **more), shelves, NOW)


def ids(answer):
    return [hit.record.id for hit in answer.concluded]


def anchor(path: str, content: bytes) -> str:
    return str(Anchor(FileLocator(path), hashlib.sha256(content).hexdigest()))


def test_a17_said_stands_in_fused_order_and_nothing_else(shelf):
    turns = [shelf.say(f"turn number {n}") for n in range(6)]
    shelf.rank("words", turns[3], turns[1], turns[5], turns[0])
    shelf.rank("dense", turns[1], turns[4], turns[3], scores=(0.9, 0.8, 0.7))
    shelf.index.vector = memoryview(array("f", [1.0]))
    answer = ask(shelf, limit=10)
    weights = weights_for(shelf.index.signals, SAID)
    expected = fuse(shelf.index.signals, weights)
    assert [said.locator for said in answer.said] == [hit.row.doc for hit in expected]
    assert [said.score for said in answer.said] == [hit.score for hit in expected]
    assert ask(shelf, limit=10) == answer


def test_words_alone_when_asked_so_and_no_model_is_touched(shelf):
    shelf.index.vector = memoryview(array("f", [1.0]))
    ask(shelf, lexical=True)
    ask(shelf)
    assert [search.signals for search in shelf.index.asked] == [
        ("words", "covered", "entities"),
        ("words", "covered", "entities", "dense"),
    ]
    assert shelf.index.asked[0].vector is None


def test_another_models_index_is_searched_by_words_and_that_is_said(shelf):
    record = shelf.keep("it is here")
    shelf.rank("words", record)

    def refuse(text):
        raise Conflict("the index was made with another model", "memoranda reindex")

    shelf.index.query_vector = refuse
    answer = ask(shelf)
    assert ids(answer) == [record.id]
    assert "another model" in answer.notices[0]
    assert answer.index.signals == ("words",)


def test_filters_reach_the_index_as_they_are(shelf):
    filters = Filters(kinds=("turn",), roles=("user",), since="2026-01-01T00:00:00Z")
    ask(shelf, filters=filters)
    assert shelf.index.asked[0].filters == filters


def test_b8_a_superseded_hit_gives_way_to_the_live_end_of_its_chain(shelf):
    old = shelf.keep("no deploys on Friday")
    middle = shelf.keep("no deploys after Friday noon", supersedes=(old.id,))
    new = shelf.keep("deploys on any weekday", supersedes=(middle.id,))
    shelf.rank("words", old, middle)
    answer = ask(shelf)
    assert ids(answer) == [new.id]
    assert dict(answer.withheld)["superseded"] == 2
    assert any(old.id in notice for notice in answer.concluded[0].notices)


def test_with_history_the_replaced_ones_follow_and_name_their_successor(shelf):
    old = shelf.keep("no deploys on Friday")
    new = shelf.keep("deploys on any weekday", supersedes=(old.id,))
    other = shelf.keep("something else about deploys")
    shelf.rank("words", old, other)
    answer = ask(shelf, history=True)
    assert ids(answer) == [new.id, other.id, old.id]
    assert answer.concluded[-1].successors == (new.id,)
    assert "superseded" in answer.concluded[-1].states


def test_contested_ones_stand_side_by_side_though_only_one_was_found(shelf):
    old = shelf.keep("port 8080")
    left = shelf.keep("port 9090", supersedes=(old.id,))
    right = shelf.keep("port 7070", supersedes=(old.id,))
    between = shelf.keep("ports are numbers")
    shelf.rank("words", left, between)
    answer = ask(shelf)
    assert ids(answer) == [left.id, right.id, between.id]
    assert answer.concluded[0].contested_with == (right.id,)
    assert answer.concluded[1].contested_with == (left.id,)
    assert answer.concluded[0].score == answer.concluded[1].score


def test_a_limit_never_parts_two_that_are_contested(shelf):
    old = shelf.keep("port 8080")
    left = shelf.keep("port 9090", supersedes=(old.id,))
    right = shelf.keep("port 7070", supersedes=(old.id,))
    shelf.rank("words", left, shelf.keep("ports are numbers"))
    answer = ask(shelf, limit=1)
    assert ids(answer) == [left.id, right.id]
    assert dict(answer.withheld)["more"] == 1


def test_b43_a_stale_record_follows_every_other_whatever_its_score(shelf):
    stale = shelf.keep("it", anchors=(anchor("app.py", b"a"),))
    weakest = shelf.keep("that", channel=Channel.WEB, category=Category.NOTE, created="2020-01-01T00:00:00Z")
    shelf.files = {"app.py": b"b"}
    for signal in ("words", "entities"):
        shelf.rank(signal, stale)
    shelf.rank("words", weakest)
    answer = ask(shelf)
    assert ids(answer) == [weakest.id, stale.id]
    assert answer.concluded[1].score > answer.concluded[0].score
    assert any("verify" in notice for notice in answer.concluded[1].notices)


def test_b40_each_recall_looks_at_the_ground_again(shelf):
    record = shelf.keep("it", anchors=(anchor("app.py", b"a"),))
    shelf.rank("words", record)
    scores = []
    for content in (b"a", b"b", b"a"):
        shelf.files = {"app.py": content}
        scores.append(ask(shelf).concluded[0].score)
    assert scores[1] == pytest.approx(scores[0] * 0.5, rel=1e-9)
    assert scores[2] == scores[0]


def test_held_retired_and_vanished_records_are_counted_and_not_shown(shelf):
    held, retired, gone, good = (shelf.keep(name) for name in ("held", "retired", "gone", "good"))
    shelf.waiting.add(held.id)
    shelf.standings[retired.digest] = Standing(retired=True)
    shelf.rank("words", held, retired, gone, good)
    del shelf.records[gone.id]
    answer = ask(shelf)
    assert ids(answer) == [good.id]
    assert dict(answer.withheld) == {"held": 1, "retired": 1, "unreadable": 1}


def test_b47_a_contradicted_record_is_shown_as_not_settled(shelf):
    record = shelf.keep("it")
    shelf.standings[record.digest] = Standing(contradicted=1)
    shelf.rank("words", record)
    hit = ask(shelf).concluded[0]
    assert "not settled" in hit.states
    assert any("not settled" in notice for notice in hit.notices)


def test_c34_a_strangers_record_is_labelled_and_counts_less(shelf):
    ours, theirs = shelf.keep("ours"), shelf.keep("theirs")
    shelf.strange.add(theirs.id)
    shelf.rank("words", theirs, ours)
    answer = ask(shelf)
    assert ids(answer) == [ours.id, theirs.id]
    assert "foreign" in answer.concluded[1].states
    assert any(factor.multiplier == 0.8 for factor in answer.concluded[1].because)


def test_c20_meaning_alone_without_likeness_is_silence_and_counted(shelf):
    shelf.index.vector = memoryview(array("f", [1.0]))
    turns = [shelf.say(f"about something else entirely {n}") for n in range(3)]
    shelf.rank("dense", *turns, scores=(0.12, 0.1, 0.05))
    answer = ask(shelf)
    assert answer.empty
    assert dict(answer.withheld) == {"weak": 3}
    assert len(ask(shelf, weak=True).said) == 3


def test_c20_a_word_in_common_or_a_close_meaning_is_enough(shelf):
    shelf.index.vector = memoryview(array("f", [1.0]))
    close, word = shelf.say("close in meaning"), shelf.say("shares a word")
    shelf.rank("dense", close, word, scores=(0.6, 0.02))
    shelf.rank("words", word)
    assert {said.turn for said in ask(shelf).said} == {close.turn, word.turn}


def test_neighbours_and_exact_words_are_read_from_the_turns(shelf):
    before, turn, after = shelf.say("before  it\nnow"), shelf.say("exact  words\n kept"), shelf.say("x" * 500)
    shelf.rank("words", turn)
    said = ask(shelf).said[0]
    assert said.text == "exact  words\n kept"
    assert (said.before[0].text, said.before[0].seq) == ("before it now", before.seq)
    assert (len(said.after[0].text), said.after[0].locator) == (160, f"turn:claude/s/{after.turn}")
    assert not ask(shelf, neighbours=0).said[0].before


def test_c7_a_turn_that_a_replaced_record_cites_keeps_its_place_and_names_the_successor(shelf):
    first, cited = shelf.say("first"), shelf.say("cited")
    old = shelf.keep("old")
    new = shelf.keep("new", supersedes=(old.id,))
    shelf.catalog.cites = {"turn:claude/s/0..1": [old.id]}
    shelf.rank("words", first, cited)
    answer = ask(shelf)
    assert [said.turn for said in answer.said] == [first.turn, cited.turn]
    assert answer.said[1].cited_by == (old.id,)
    assert answer.said[1].successors == (new.id,)


def test_a_turn_that_is_gone_is_counted(shelf):
    turn = shelf.say("it")
    shelf.rank("words", turn)
    shelf.turns.clear()
    answer = ask(shelf)
    assert answer.said == ()
    assert dict(answer.withheld) == {"unreadable": 1}


def test_the_limit_counts_each_section_and_the_rest_is_said(shelf):
    records = [shelf.keep(f"record {n}") for n in range(5)]
    turns = [shelf.say(f"turn {n}") for n in range(4)]
    shelf.rank("words", *records, *turns)
    answer = ask(shelf, limit=2)
    assert (len(answer.concluded), len(answer.said)) == (2, 2)
    assert dict(answer.withheld)["more"] == 5


@pytest.mark.parametrize("budget", [1, 150, 300, 700, 4000])
def test_an_answer_never_costs_more_than_its_budget(shelf, budget):
    records = [shelf.keep(f"record {n} " + "word " * 60) for n in range(5)]
    turns = [shelf.say(f"turn {n} " + "word " * 150) for n in range(5)]
    shelf.rank("words", *records, *turns)
    answer = ask(shelf, budget_tokens=budget)
    shown = [hit.record.body for hit in answer.concluded]
    shown += [said.text + "".join(n.text for n in (*said.before, *said.after)) for said in answer.said]
    assert sum(map(estimate, shown)) <= answer.tokens <= budget
    left = 10 - len(answer.concluded) - len(answer.said)
    assert dict(answer.withheld).get("over budget", 0) == left


def test_the_trace_takes_every_score_apart(shelf):
    record, turn = shelf.keep("it", channel=Channel.WEB), shelf.say("it")
    shelf.rank("words", record, turn)
    answer = ask(shelf)
    assert [doc for doc, _ in answer.trace] == [record.id, answer.said[0].locator]
    assert f"{answer.concluded[0].score:.6f}" in answer.trace[0][1]
    assert "x0.8 outside" in answer.trace[0][1]


def test_two_memories_answer_as_one_and_each_hit_names_its_own(shelf, another):
    other = another("other")
    mine, theirs = shelf.keep("mine"), replace(other.keep("theirs"), id="mem_bbbbbbbbbbbb", digest="b" * 64)
    other.records = {theirs.id: theirs}
    shelf.rank("words", mine, scores=(1.0,))
    other.rank("words", theirs, scores=(2.0,))
    answer = ask(shelf, other)
    assert [(hit.record.id, hit.memory) for hit in answer.concluded] == [(theirs.id, "other"), (mine.id, "shelf")]


@pytest.mark.parametrize("bad", [{"text": "  "}, {"limit": 0}, {"budget_tokens": 0}, {"neighbours": -1}])
def test_a_question_that_cannot_be_asked_is_invalid(shelf, bad):
    with pytest.raises(Invalid):
        ask(shelf, **{"text": "it", **bad})


def test_c21_why_says_at_which_step_what_was_expected_was_lost(shelf):
    first, weak, old, retired = (shelf.keep(word) for word in ("first", "weak", "old", "retired"))
    new = shelf.keep("new", supersedes=(old.id,))
    shelf.standings[retired.digest] = Standing(retired=True)
    unranked = shelf.keep("unranked")
    last = [shelf.keep(f"last {n}") for n in range(3)]
    said = shelf.say("said")
    shelf.rank("words", first, old, retired, *last, said)
    shelf.rank("dense", weak, scores=(0.1,))
    shelf.index.vector = memoryview(array("f", [1.0]))
    place = f"turn:claude/s/{said.turn}"
    why = (first.id, weak.id, old.id, retired.id, unranked.id, last[-1].id, place, "mem_ffffffffffff")
    answer = dict(ask(shelf, why=why, limit=2).absences)
    assert answer[first.id] == "it is there: concluded 1"
    assert answer[weak.id].startswith("weak: no word in common, and a likeness of 0.10")
    assert answer[old.id].startswith(f"replaced by {new.id}")
    assert answer[retired.id].startswith("retired")
    assert answer[unranked.id] == "no signal ranks it among its first 100"
    assert "the limit is 2" in answer[last[-1].id]
    assert answer[place] == "it is there: said 1"
    assert "memoranda check" in answer["mem_ffffffffffff"]
