"""Qwen Code's chats, as version 0.24.4 wrote one."""

from __future__ import annotations

import json
from pathlib import Path

from support.readers import FIXTURES, plain, read

from memoranda.ports.contracts.readers import ReaderContract
from memoranda.ports.protocols import TranscriptReader
from memoranda_agents.qwen import make

WRITTEN = next((FIXTURES / "qwen").glob("*.jsonl"))


class TestContract(ReaderContract):
    """The suite every reader passes."""

    def reader(self) -> TranscriptReader:
        return make()

    def samples(self) -> dict[str, bytes]:
        return {WRITTEN.name: WRITTEN.read_bytes()}

    def at_home(self) -> str:
        return f".qwen/projects/-w-app/chats/{WRITTEN.name}"


def test_what_the_program_wrote_turn_by_turn() -> None:
    turns, skipped, _ = read(make(), WRITTEN)
    assert [plain(turn) for turn in turns] == [
        "user text when may we deploy to staging?",
        'assistant tool_use:read_file {"file_path":"/w/app/notes.txt"}',
        "tool tool_result:read_file Staging deploys are fine on any weekday.\n",
        "assistant text The note says that staging deploys are fine on any weekday.",
    ]
    assert turns[0].turn == "9e60b077-032b-45cb-851f-2153d63de257"
    assert {(turn.session, turn.cwd, turn.branch) for turn in turns} == {(WRITTEN.stem, "/w/app", "master")}
    assert skipped == {"attribution_snapshot": 1, "ui_telemetry": 3}


def test_thoughts_errors_and_injected_words(tmp_path: Path) -> None:
    def record(n: int, kind: str, parts: list[object], **more: object) -> dict[str, object]:
        envelope = {"uuid": f"u{n}", "parentUuid": None, "sessionId": "s", "type": kind, "message": {"parts": parts}}
        return envelope | more

    path = tmp_path / "s.jsonl"
    records = [
        record(1, "user", [{"text": "context"}], provenance="system"),
        record(2, "assistant", [{"text": "hm", "thought": True}, {"text": "so"}, {"executableCode": {}}]),
        record(3, "tool_result", [{"functionResponse": {"id": "c", "name": "ls", "response": {"error": "no"}}}]),
        record(4, "user", []),
    ]
    path.write_text("".join(json.dumps(r) + "\n" for r in records))
    turns, skipped, _ = read(make(), path)
    assert [plain(turn) for turn in turns] == [
        "user (meta) text context", "assistant thinking hm | text so", "tool tool_result:ls no"
    ]  # fmt: skip
    assert skipped == {"part of another kind": 1, "message without text": 1}
