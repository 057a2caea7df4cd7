"""pi's sessions: by pi itself, and the odd shapes of older versions."""

from __future__ import annotations

import json
from pathlib import Path

from support.readers import FIXTURES, plain, read

from memoranda.ports.contracts.readers import ReaderContract
from memoranda.ports.protocols import TranscriptReader
from memoranda_agents.pi import make

WRITTEN = next((FIXTURES / "pi").glob("2026*.jsonl"))
REAL = FIXTURES / "pi" / "pi_session.jsonl"
HEAD = {"type": "session", "version": 3, "id": "hdr", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/w/app"}


class TestContract(ReaderContract):
    """The suite every reader passes."""

    def reader(self) -> TranscriptReader:
        return make()

    def samples(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (WRITTEN, REAL)}

    def at_home(self) -> str:
        return f".pi/agent/sessions/--w-app--/{WRITTEN.name}"


def session(tmp_path: Path, *entries: dict[str, object]) -> Path:
    path = tmp_path / "p1.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in (HEAD, *entries)), encoding="utf-8")
    return path


def message(id: str | None, **what: object) -> dict[str, object]:
    return {"type": "message", "id": id, "parentId": "x", "timestamp": 1767225600000, "message": what}


def test_what_pi_wrote_turn_by_turn() -> None:
    turns, skipped, problems = read(make(), WRITTEN)
    assert [f"{turn.turn} {plain(turn)}" for turn in turns] == [
        "1bf6a546 user text when may we deploy to staging?",
        'ccda0043 assistant tool_use:read {"path":"notes.txt"}',
        "44209db4 tool tool_result:read Staging deploys are fine on any weekday.\n",
        "e1d938a5 assistant text The note says that staging deploys are fine on any weekday.",
    ]
    assert {(turn.session, turn.cwd) for turn in turns} == {(WRITTEN.stem, "/w/app")}
    assert turns[0].ts == "2026-11-30T23:25:50.569Z"
    assert skipped == {"session": 1, "model_change": 1, "thinking_level_change": 1, "system prompt": 1}
    assert not problems


def test_a_real_session_with_thoughts_and_blank_text() -> None:
    turns, _, _ = read(make(), REAL)
    assert [[block.type for block in turn.blocks] for turn in turns] == [
        ["text"], ["thinking", "tool_use"], ["tool_result"]
    ]  # fmt: skip
    assert turns[0].text == "how does this project work"
    assert (turns[2].blocks[0].tool, turns[2].blocks[0].tool_use_id) == ("bash", "call_e07fd859865444c59e5e771f")


def test_old_and_odd_entries(tmp_path: Path) -> None:
    path = session(
        tmp_path,
        {"type": "session_info", "id": "i", "parentId": None, "name": "The staging\nquestion"},
        message("m1", role="user", content="plain string"),
        message(None, role="user", content=[{"type": "text", "text": "no id"}]),
        message("m3", role="assistant", content=[{"type": "toolCall", "id": "c", "name": "ls"}]),
        message("m4", role="bashExecution", command="ls", output="a\nb"),
        {"type": "compaction", "id": "m5", "parentId": "m4", "summary": "so far"},
        {"type": "custom_message", "id": "m6", "parentId": "m5", "content": "injected"},
        {"type": "label", "id": "m7"},
    )
    turns, skipped, _ = read(make(), path)
    assert [f"{turn.turn} {plain(turn)}" for turn in turns] == [
        "m1 user text plain string",
        "p1-L4 user text no id",
        "m3 assistant tool_use:ls {}",
        'm4 user tool_use:bash {"command":"ls"} | tool_result:bash a\nb',
        "m5 user (summary) text so far",
        "m6 user (meta) text injected",
    ]
    assert turns[0].ts == "2026-01-01T00:00:00.000Z"
    assert turns[0].extra == (("title", "The staging question"),)
    assert not turns[1].extra
    assert skipped == {"session": 1, "session_info": 1, "label": 1}


def test_a_copied_session_names_where_it_came_from(tmp_path: Path) -> None:
    path = tmp_path / "child.jsonl"
    head = HEAD | {"parentSession": "/home/x/.pi/agent/sessions/--w-app--/parent.jsonl"}
    path.write_text(json.dumps(head) + "\n" + json.dumps(message("m1", role="user", content="again")) + "\n")
    (turn,), _, _ = read(make(), path)
    assert (turn.session, turn.parent_session) == ("child", "parent")
