"""Turns files: taken whole or refused at their first bad line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.readers import batches, plain, read

from memoranda.ports.contracts.readers import ReaderContract
from memoranda.ports.protocols import TranscriptReader
from memoranda_agents.turns import make

GOOD: dict[str, Any] = {
    "format": 1, "session": "s", "turn": "t1", "ts": "2026-07-02T16:40:00Z", "role": "user", "harness": "mine",
    "blocks": [{"type": "text", "text": "May we deploy?"}],
}  # fmt: skip
FULL = GOOD | {
    "turn": "t2", "seq": 1, "role": "assistant", "cwd": "/w/app", "branch": "main", "parent": "t1",
    "parent_session": "r", "flags": ["sidechain"], "title": "Deploys", "captured": "", "screened": "3",
    "blocks": [{"type": "tool_use", "text": "{}", "tool": "ls", "tool_use_id": "c", "marks": ["seen:x@0,1"]}],
}  # fmt: skip
FUNES = {
    "format": 1, "session_id": "s", "turn_uuid": "t1", "seq": 0, "ts": "2026-07-02T16:40:00Z", "role": "user",
    "harness": "pi", "cwd": "/w", "parent_uuid": "t0",
    "blocks": [{"block_type": "tool_result", "text": "x", "tool_name": "ls", "tool_use_id": "c"}],
}  # fmt: skip


def lines(*rows: object) -> str:
    return "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in GOOD.items() if name != key}


def block(**more: object) -> dict[str, Any]:
    return GOOD | {"blocks": [{"type": "text", "text": "x"} | more]}


# Twenty and some ways to be wrong, each the second line of a file whose first is right.
MALFORMED: dict[str, object] = {
    "no JSON": "{",
    "two objects": json.dumps(GOOD) * 2,
    "a list": "[]",
    "an empty line": "",
    "a key twice": json.dumps(GOOD)[:-1] + ',"turn":"t9"}',
    "NaN": json.dumps(GOOD)[:-1] + ',"seq":NaN}',
    "no format": without("format"),
    "a later format": GOOD | {"format": 2},
    "format as true": GOOD | {"format": True},
    "no session": without("session"),
    "no turn": without("turn"),
    "an empty turn": GOOD | {"turn": ""},
    "a control character in a name": GOOD | {"turn": "a\x00b"},
    "a number for a name": GOOD | {"session": 7},
    "a time without Z": GOOD | {"ts": "2026-07-02T16:40:00+02:00"},
    "no time": without("ts"),
    "an impossible day": GOOD | {"ts": "2026-02-31T00:00:00Z"},
    "a role with spaces": GOOD | {"role": "the user"},
    "a harness in capitals": GOOD | {"harness": "Mine"},
    "blocks as text": GOOD | {"blocks": "x"},
    "an unknown block type": block(type="image"),
    "text as a number": block(text=7),
    "an unknown key": GOOD | {"source_path": "/x"},
    "an unknown key of a block": block(colour="red"),
    "null": GOOD | {"cwd": None},
    "a negative seq": GOOD | {"seq": -1},
    "flags that are no words": GOOD | {"flags": ["No!"]},
}


class TestContract(ReaderContract):
    """The suite every reader passes; its turns may be of any harness."""

    appends = False
    carries = True

    def reader(self) -> TranscriptReader:
        return make()

    def samples(self) -> dict[str, bytes]:
        return {"a.turns.jsonl": lines(GOOD, FULL).encode(), "b.funes.jsonl": lines(FUNES).encode()}

    def at_home(self) -> str:
        return ".memoranda-spool/a.turns.jsonl"

    def test_the_stamp_changes_with_the_file(self, tmp_path: Path) -> None:
        super().test_the_stamp_changes_with_the_file(tmp_path)


def test_every_key_is_carried_over(tmp_path: Path) -> None:
    path = tmp_path / "a.turns.jsonl"
    path.write_text(lines(GOOD, FULL))
    turns, _, problems = read(make(), path)
    assert [plain(turn) for turn in turns] == ["user text May we deploy?", "assistant (sidechain) tool_use:ls {}"]
    assert (turns[1].cwd, turns[1].branch, turns[1].parent, turns[1].parent_session) == ("/w/app", "main", "t1", "r")
    assert turns[1].extra == (("title", "Deploys"),)
    assert turns[1].blocks[0].marks == ("seen:x@0,1",)
    assert not problems


def test_the_turns_of_funes(tmp_path: Path) -> None:
    path = tmp_path / "a.funes.jsonl"
    path.write_text(lines(FUNES, FUNES | {"turn_uuid": "t2", "blocks": []}))
    (turn,), skipped, _ = read(make(), path)
    assert (turn.harness, turn.turn, turn.parent, plain(turn)) == ("pi", "t1", "t0", "user tool_result:ls x")
    assert skipped == {"turn without text": 1}


@pytest.mark.parametrize("row", MALFORMED.values(), ids=MALFORMED.keys())
def test_a33_a_malformed_line_refuses_the_file_and_is_named(tmp_path: Path, row: object) -> None:
    path = tmp_path / "a.turns.jsonl"
    path.write_text(lines(GOOD, row, GOOD))
    (batch,) = batches(make(), path)
    assert batch.refused
    assert not batch.turns
    (problem,) = batch.problems
    assert problem.line == 2
    assert problem.message.startswith("refused: ")


@pytest.mark.parametrize("change", [{"turn_uuid": "a:b"}, {"ts": ""}, {"seq": None}, {"title": "x"}])
def test_a33_funes_own_rules_hold_for_its_files(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "a.funes.jsonl"
    path.write_text(lines(FUNES | change))
    (batch,) = batches(make(), path)
    assert batch.refused


def test_a33_bytes_that_are_no_text_refuse_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.turns.jsonl"
    path.write_bytes(lines(GOOD).encode() + b'{"turn":"\xff"}\n')
    (batch,) = batches(make(), path)
    assert (batch.refused, batch.problems[0].line) == (True, 2)
