"""What is kept at a scope: the newest has it, what it replaced is history, and nothing comes back when it goes."""

from __future__ import annotations

from typing import Callable

import pytest
from support.doors import AGENT, PERSON, WEB

from memoranda import Memory
from memoranda.memory.second import free_second
from memoranda.model.errors import Invalid
from memoranda.model.outcome import Held, Known, Refused, Stored
from memoranda.model.record import Durability


def test_the_newest_has_the_place_and_names_what_it_replaced(memory: Memory) -> None:
    first = memory.keep_at("desk/lamp", "The lamp is green")
    second = memory.keep_at("desk/lamp", "The lamp is blue")
    assert isinstance(first, Stored)
    assert isinstance(second, Stored)
    assert memory.at("desk/lamp") == (second.record,)
    assert second.record.supersedes == (first.record.id,)
    assert memory.since(second.record) == first.record.created
    assert memory.at("desk") == memory.at("desk/lam") == ()


def test_places_below_a_beginning_newest_first_without_those_that_went(memory: Memory) -> None:
    for scope in ("desk/lamp", "desk/chair", "hall/lamp"):
        memory.keep_at(scope, f"This stands in {scope}")
    memory.remember("This stands nowhere")
    memory.forget_whole(memory.at("desk/chair"), "sold")
    assert [record.scope for record in memory.within("desk")] == ["desk/lamp"]
    assert {record.scope for record in memory.within("")} == {"desk/lamp", "hall/lamp"}
    assert [one.record.scope for one in memory.recall_within("stands", "hall")] == ["hall/lamp"]
    assert {one.record.scope for one in memory.recall_within("stands", "")} == {"desk/lamp", "hall/lamp", None}


def test_a_filter_by_a_repositorys_name_takes_no_scope(memory: Memory) -> None:
    memory.keep_at("desk/lamp", "The lamp is green")
    for repo in ("lamp", "desk"):
        with pytest.raises(Invalid, match="no repository here"):
            memory.recall("lamp", repo=[repo])


def test_another_handle_and_a_new_index_know_the_places(open_as: Callable[..., Memory], memory: Memory) -> None:
    memory.keep_at("desk/lamp", "The lamp is green")
    other = open_as(AGENT)
    assert [record.body for record in other.at("desk/lamp")] == ["The lamp is green"]
    other.keep_at("desk/lamp", "The lamp is blue")
    assert [record.body for record in memory.at("desk/lamp")] == ["The lamp is blue"]
    memory.reindex()
    assert [record.body for record in memory.at("desk/lamp")] == ["The lamp is blue"]


def test_the_same_text_again_is_known_and_can_be_searched_from_then_on(memory: Memory) -> None:
    memory.keep_at("desk/lamp", "The lamp is green", durability=Durability.TRANSIENT)
    assert memory.recall("lamp").concluded == ()
    assert isinstance(memory.keep_at("desk/lamp", "The lamp is green", durability=Durability.DURABLE), Known)
    assert len(memory.recall("lamp").concluded) == 1
    with pytest.raises(Invalid, match="is searched"):
        memory.keep_at("desk/lamp", "The lamp is green", durability=Durability.TRANSIENT)


def test_what_the_door_refuses_or_holds_leaves_the_place_as_it_was(open_as: Callable[..., Memory]) -> None:
    memory, web = open_as(PERSON), open_as(WEB)
    memory.keep_at("desk/lamp", "The lamp is green")
    assert isinstance(memory.keep_at("desk/lamp", "x" * 2001), Refused)
    assert isinstance(web.keep_at("desk/lamp", "The lamp is stolen"), Held)
    assert [record.body for record in memory.at("desk/lamp")] == ["The lamp is green"]


def test_what_replaces_an_outside_word_rests_on_it(open_as: Callable[..., Memory]) -> None:
    web, agent = open_as(WEB), open_as(AGENT)
    web.keep_at("desk/lamp", "The lamp is green")
    agent.keep_at("desk/lamp", "The lamp is blue")
    [record] = agent.at("desk/lamp")
    assert (agent.weight(record), record.derived_from) == ("external", record.supersedes)


def test_a_whole_line_is_forgotten_or_nothing_of_it(open_as: Callable[..., Memory]) -> None:
    person, agent = open_as(PERSON), open_as(AGENT)
    person.keep_at("desk/lamp", "The lamp is green")
    agent.keep_at("desk/lamp", "The lamp is blue")
    with pytest.raises(Invalid, match="weighs more"):
        agent.forget_whole(agent.at("desk/lamp"), "sold")
    assert [record.body for record in agent.at("desk/lamp")] == ["The lamp is blue"]
    person.forget_whole(person.at("desk/lamp"), "sold")
    assert person.current_records() == ()


def test_said_retired_and_said_again_within_a_second_is_in_effect(memory: Memory) -> None:
    for _ in range(2):
        outcome = memory.remember("The lamp is green")
        assert isinstance(outcome, Stored)
        assert len(memory.recall("lamp").concluded) == 1
        memory.forget(outcome.record.id, "sold")
    assert memory.recall("lamp").concluded == ()


def test_a_clock_that_stands_still_is_not_waited_for(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoranda.memory.second._PAUSE_SECONDS", 0.0)
    outcome = memory.remember("The lamp is green")
    assert isinstance(outcome, Stored)
    memory.forget(outcome.record.id, "sold")
    at = outcome.record.created
    assert free_second(memory._store, "The lamp is green", None, lambda: at) == at
    later = iter([at, at, "2099-01-01T00:00:00Z"])
    assert free_second(memory._store, "The lamp is green", None, lambda: next(later)) == "2099-01-01T00:00:00Z"
