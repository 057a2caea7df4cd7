"""Copilot CLI's event logs, as version 1.0.102 wrote one."""

from __future__ import annotations

import json
from pathlib import Path

from support.readers import FIXTURES, plain, read

from memoranda.ports.contracts.readers import ReaderContract
from memoranda.ports.protocols import TranscriptReader
from memoranda_agents.copilot import make

WRITTEN = next((FIXTURES / "copilot").rglob("events.jsonl"))
SESSION = WRITTEN.parent.name


class TestContract(ReaderContract):
    """The suite every reader passes."""

    def reader(self) -> TranscriptReader:
        return make()

    def samples(self) -> dict[str, bytes]:
        return {"events.jsonl": WRITTEN.read_bytes()}

    def at_home(self) -> str:
        return f".copilot/session-state/{SESSION}/events.jsonl"


def test_what_the_program_wrote_turn_by_turn() -> None:
    turns, skipped, _ = read(make(), WRITTEN)
    assert [plain(turn) for turn in turns] == [
        "user text when may we deploy to staging?",
        'assistant tool_use:view {"path":"/w/app/notes.txt"}',
        "tool tool_result:view Staging deploys are fine on any weekday.\n",
        "assistant text The note says that staging deploys are fine on any weekday.",
    ]
    assert turns[0].turn == "554f5f3a-3a12-485b-b17a-c0f4de8344e7"
    assert {(turn.session, turn.cwd, turn.branch) for turn in turns} == {(SESSION, "/w/app", "master")}
    assert skipped["system.message"] == 1
    assert not any("current_datetime" in turn.text for turn in turns)


def test_thoughts_failures_and_a_recap(tmp_path: Path) -> None:
    def event(n: int, kind: str, **data: object) -> dict[str, object]:
        return {"type": kind, "data": data, "id": f"e{n}", "timestamp": "2026-01-01T00:00:00Z", "parentId": None}

    path = tmp_path / "s7" / "events.jsonl"
    path.parent.mkdir()
    events = [
        event(1, "assistant.message", content="", reasoningText="hm",
              toolRequests=[{"toolCallId": "c", "name": "bash", "arguments": "{\"command\":\"ls\"}"}]),
        event(2, "tool.execution_complete", toolCallId="c", success=False, error={"message": "no such file"}),
        event(3, "session.compaction_complete", summaryContent="so far"),
        event(4, "assistant.message", content=" ", toolRequests=[]),
        event(5, "session.error", message="x"),
    ]  # fmt: skip
    path.write_text("".join(json.dumps(e) + "\n" for e in events))
    turns, skipped, _ = read(make(), path)
    assert [plain(turn) for turn in turns] == [
        'assistant thinking hm | tool_use:bash {"command":"ls"}', "tool tool_result:bash no such file",
        "user (summary) text so far",
    ]  # fmt: skip
    assert {turn.session for turn in turns} == {"s7"}
    assert skipped == {"event without text": 1, "session.error": 1}
