"""Items of a conversation as turns and back, without the SDK: whatever JSON can say comes back as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.items import ANSWER, ITEMS, MESSAGE

from memoranda.index.chunk import chunk_turn
from memoranda.model.turn import Turn
from memoranda.model.values import replace
from memoranda.remember.capture import flaw_of
from memoranda.truth.lines import parse_turn, print_turn
from memoranda.views.frameworks.openai_agents.items import CLEARED, POPPED, item_of, living, mark_of, turn_of
from memoranda_agents.turns.form import parse

LEAF = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
NAMES = st.sampled_from(["content", "text", "output", "type", "id", "role", "summary", "x"])
JSON = st.recursive(
    LEAF, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=8
)


def made(item: dict[str, Any], tool: str | None = None) -> Turn:
    return turn_of(item, "s1", "t1", "2026-07-02T16:40:00Z", tool)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(NAMES, JSON, max_size=4))
@example({})
@example({"role": "user", "content": ""})
@example({"content": "x", "role": "user"})
@example({"role": "a b", "content": "x"})
@example({"role": "user", "content": "\ud800 \x00 \u2028"})
def test_an_item_comes_back_as_it_was_from_the_line_that_is_stored(item: dict[str, Any]) -> None:
    turn = replace(made(item), seq=0, captured="2026-07-02T16:40:00Z", screened="3")
    assert flaw_of(turn) == ""
    back = item_of(parse_turn(print_turn(turn)))
    assert back == item
    assert list(back) == list(item)


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.get("type", "plain"))
def test_the_line_is_right_by_the_contract_of_turns_files(item: dict[str, Any]) -> None:
    turn = replace(made(item, "deploy"), seq=0, captured="2026-07-02T16:40:00Z", screened="3")
    taken = parse(print_turn(turn).removesuffix(b"\n"), funes=False)
    assert taken is not None
    assert (taken.blocks, taken.role, item_of(taken)) == (turn.blocks, turn.role, item)


def test_what_was_said_stands_in_blocks_and_the_rest_is_not_searched() -> None:
    kinds = [
        [(b.type, b.text, b.tool, b.tool_use_id) for b in made(item, "deploy").blocks if b.searched] for item in ITEMS
    ]
    assert kinds == [
        [("text", "May we deploy?", None, None)],
        [("text", "On Fridays.", None, None), ("text", "Not on Sundays.", None, None)],
        [("tool_use", '{"day":"Friday"}', "deploy", "call_1")],
        [("tool_result", "deployed to kingfisher", "deploy", "call_1")],
        [("thinking", "Fridays are fine", None, None)],
        [("tool_use", "deploy hours", "deploy", None)],
    ]
    assert [made(item).role for item in ITEMS] == ["user", "assistant", "assistant", "tool", "assistant", "assistant"]
    assert len(made(MESSAGE).blocks) == 1
    assert [chunk.text for chunk in chunk_turn(made(ANSWER))] == ["On Fridays.", "Not on Sundays."]
    assert chunk_turn(mark_of("s1", "t2", "", POPPED, "t1")) == []
    assert made(ANSWER).words == "On Fridays.\nNot on Sundays."
    assert mark_of("s1", "t2", "", POPPED, "t1").words.startswith("the turn before")


def test_a_picture_that_is_not_kept_is_given_back_as_words() -> None:
    parts = [{"type": "input_text", "text": "look"}, {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}]
    turn = made({"role": "user", "content": parts})
    cut = turn.blocks[-1].text.replace("data:image/png;base64,AAAA", "[elided:image/png:3:sha256:00]")
    turn = replace(turn, blocks=(*turn.blocks[:-1], replace(turn.blocks[-1], text=cut)))
    words = {"type": "input_text", "text": "[elided:image/png:3:sha256:00]"}
    assert item_of(turn) == {"role": "user", "content": [parts[0], words]}


@pytest.mark.parametrize("form", ["", "{", "[]", '{"at":[["a",0]],"item":{}}', '{"at":[],"item":{}}'])
def test_a_form_that_cannot_be_read_leaves_what_was_said(form: str) -> None:
    turn = made(ANSWER)
    turn = replace(turn, blocks=(*turn.blocks[:-1], replace(turn.blocks[-1], text=form)))
    assert item_of(turn) == {"role": "assistant", "content": "On Fridays.\nNot on Sundays."}


def test_what_is_no_json_is_refused() -> None:
    for value in (object(), {1, 2}, b"x"):
        with pytest.raises(TypeError):
            made({"role": "user", "content": value})
    assert json.dumps(item_of(made({"role": "user", "content": ("a",)})))


def test_marks_take_turns_out_and_say_which() -> None:
    one, two, three = (replace(made(MESSAGE), turn=name) for name in ("one", "two", "three"))
    popped, cleared = mark_of("s1", "p", "", POPPED, "two"), mark_of("s1", "c", "", CLEARED)
    assert [turn.turn for turn in living([one, two, popped, three])] == ["one", "three"]
    assert [turn.turn for turn in living([one, two, popped, popped, cleared, three])] == ["three"]
    assert living([one, cleared]) == []
