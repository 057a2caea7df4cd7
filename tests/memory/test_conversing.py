"""Turns that are handed over as they are said: kept once, in order, screened, and found."""

from __future__ import annotations

from typing import Callable

import pytest
from support.doors import AGENT
from support.invented import tokens

from memoranda import Memory
from memoranda.model.errors import Busy, Invalid
from memoranda.model.turn import Block, Turn
from memoranda.model.values import replace


def turn(name: str, text: str = "The lamp is green", session: str = "s1") -> Turn:
    return Turn(session, name, "user", "mine", (Block("text", text),), ts="2026-07-02T16:40:00Z")


def test_each_turn_is_kept_once_and_numbered_in_order(memory: Memory) -> None:
    assert [kept.seq for kept in memory.say([turn("a"), turn("b")])] == [0, 1]
    assert [kept.turn for kept in memory.say([turn("b"), turn("c"), turn("c")])] == ["c"]
    assert [(kept.turn, kept.seq) for kept in memory.conversation("mine", "s1")] == [("a", 0), ("b", 1), ("c", 2)]
    assert memory.say([]) == ()
    assert memory.conversation("mine", "s2") == []


def test_two_handles_say_in_one_session(open_as: Callable[..., Memory], memory: Memory) -> None:
    other = open_as(AGENT)
    for name, handle in (("a", memory), ("b", other), ("c", memory)):
        handle.say([turn(name)])
    assert [(kept.turn, kept.seq) for kept in other.conversation("mine", "s1")] == [("a", 0), ("b", 1), ("c", 2)]


def test_a_credential_never_reaches_the_disk(memory: Memory) -> None:
    secret = tokens()["stripe-live"]
    [kept] = memory.say([turn("a", f"the key is {secret}")])
    assert kept.blocks[0].text.startswith("the key is [REDACTED:")
    assert kept.screened
    assert not [p for p in memory.root.rglob("*") if p.is_file() and secret.encode() in p.read_bytes()]


def test_what_was_said_is_found_at_once_and_after_the_index_is_made_anew(memory: Memory) -> None:
    memory.say([turn("a")])
    assert [said.turn for said in memory.recall("lamp").said] == ["a"]
    memory.reindex()
    memory.say([turn("b", "The lamp is on the desk")])
    assert {said.turn for said in memory.recall("lamp").said} == {"a", "b"}


def test_an_index_that_is_busy_costs_no_turn(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_: object) -> None:
        raise Busy("another process writes the index")

    with monkeypatch.context() as patched:
        patched.setattr(memory._store.index, "add_turns", busy)
        assert len(memory.say([turn(f"a{n}") for n in range(60)])) == 60
    assert [kept.turn for kept in memory.say([turn("a1"), turn("b", "The lamp is on the desk")])] == ["b"]
    assert [kept.seq for kept in memory.conversation("mine", "s1")] == [*range(61)]
    assert "b" in {said.turn for said in memory.recall("lamp on the desk").said}


def test_a_handle_that_has_asked_often_finds_what_it_says_next(memory: Memory) -> None:
    memory.remember("There is a desk in the hall")
    for _ in range(4):
        assert memory.recall("green lamp").said == ()
    for name in ("a", "b"):
        memory.say([turn(name, f"The lamp {name} is green", session=f"session {name}")])
        assert name in {said.turn for said in memory.recall("green lamp").said}


def test_a_long_conversation_said_turn_by_turn_is_whole_and_found(
    open_as: Callable[..., Memory], memory: Memory
) -> None:
    for n in range(120):
        assert [kept.seq for kept in memory.say([turn(f"t{n}", f"The lamp number {n} is green")])] == [n]
    assert len(memory.conversation("mine", "s1")) == 120
    for wanted in (3, 60, 119):
        assert f"t{wanted}" in {said.turn for said in open_as(AGENT).recall(f"lamp number {wanted}").said}
    assert memory.check() == ()


def test_our_own_words_coming_back_are_kept_and_not_found_again(memory: Memory) -> None:
    words = "The lamp in the long hall is green because the blue one broke last winter"
    memory.remember(words)
    memory.recall("lamp in the hall")
    [kept] = memory.say([replace(turn("a", words), ts="2099-01-01T00:00:00Z")])
    assert kept.blocks[0].marks == ("echo",)
    assert memory.recall("lamp in the hall").said == ()


def test_what_is_no_turn_is_refused_with_all_that_came_with_it(memory: Memory) -> None:
    for bad in (
        replace(turn("x"), harness="No Name"),
        replace(turn("x"), session="a\nb"),
        replace(turn("x"), blocks=()),
    ):
        with pytest.raises(Invalid, match="cannot be kept"):
            memory.say([turn("a"), bad])
    with pytest.raises(Invalid, match="several sessions"):
        memory.say([turn("a"), turn("a", session="s2")])
    assert memory.conversation("mine", "s1") == []


def test_what_only_a_program_reads_is_kept_and_shown_to_nobody_who_did_not_ask(memory: Memory) -> None:
    form = Block("text", '{"at":[],"item":{"id":"msg_1"}}', marks=("item:mine",))
    one = turn("a")
    memory.say([replace(one, blocks=(form, *one.blocks)), turn("b", "Then turn the lamp off")])
    [kept, after] = memory.conversation("mine", "s1")
    assert (kept.blocks[0], kept.words) == (form, "The lamp is green")
    assert memory.recall("msg_1").said == ()
    said = memory.recall("turn the lamp off", limit=1).said[0]
    assert (said.turn, [near.text for near in said.before]) == (after.turn, ["The lamp is green"])
    assert memory.sessions().sessions[0].opening == "The lamp is green"
    assert all("msg_1" not in unit.text for unit in memory.sketch("s1").units)
    assert [found.turn for found in memory.scan("s1", "msg_1").hits] == ["a"]
