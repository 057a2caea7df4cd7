"""Gemini CLI's chats: real documents of January 2026, and lines as version 0.61.0 wrote them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.readers import FIXTURES, batches, plain, read

from memoranda.model.turn import Turn
from memoranda.ports.contracts.readers import ReaderContract
from memoranda.ports.protocols import TranscriptReader
from memoranda_agents.gemini import make

LINES = next((FIXTURES / "gemini").glob("*.jsonl"))
DOCUMENTS = sorted((FIXTURES / "gemini").glob("*.json"))
HEAD = {"sessionId": "s1", "projectHash": "h", "startTime": "2026-01-01T00:00:00Z", "kind": "main"}


class TestLines(ReaderContract):
    """The suite every reader passes, on chats of lines."""

    def reader(self) -> TranscriptReader:
        return make()

    def samples(self) -> dict[str, bytes]:
        return {LINES.name: LINES.read_bytes()}

    def at_home(self) -> str:
        return f".gemini/tmp/app/chats/{LINES.name}"


class TestDocuments(TestLines):
    """The suite every reader passes, on chats that are one document."""

    appends = False

    def samples(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in DOCUMENTS}

    def at_home(self) -> str:
        return f".gemini/tmp/app/chats/{DOCUMENTS[0].name}"


def chat(tmp_path: Path, *records: dict[str, Any]) -> Path:
    path = tmp_path / "session-x.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in (HEAD, *records)), encoding="utf-8")
    return path


def said(id: str, kind: str, content: object, **more: object) -> dict[str, Any]:
    return {"id": id, "timestamp": "2026-01-01T00:00:01.000Z", "type": kind, "content": content} | more


def test_what_the_program_wrote_turn_by_turn() -> None:
    turns, skipped, _ = read(make(), LINES)
    call = "df9bd27e-39e3-4059-9da7-172851387078.read_file__read_file_1796081022921_0"
    assert [(turn.turn, plain(turn)) for turn in turns[1:]] == [
        ("08cd5a86-20c8-431f-aa66-cffc8d0920ee", "user text when may we deploy to staging?"),
        (call, 'assistant tool_use:read_file {"file_path":"notes.txt"}'),
        (f"{call}.result", "tool tool_result:read_file Staging deploys are fine on any weekday.\n"),
        ("4e598e4d-7f99-4800-b3db-b2fca106f33b",
         "assistant text The note says that staging deploys are fine on any weekday."),
    ]  # fmt: skip
    assert turns[0].flags == ("meta",)
    assert turns[0].text.startswith("<session_context>")
    assert {turn.session for turn in turns} == {"8780a08d-174b-4628-8bff-3067b90e56ee"}
    assert skipped["tool result written twice"] == 1


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_a8_every_word_of_a_real_chat_is_there(path: Path) -> None:
    turns, _, problems = read(make(), path)
    assert not problems
    kept = [block for turn in turns for block in turn.blocks]
    messages = json.loads(path.read_text())["messages"]
    texts = [m["content"] for m in messages if m["content"].strip()]
    calls = [call for m in messages for call in m.get("toolCalls", [])]
    assert [block.text for block in kept if block.type == "text"] == texts
    assert [json.loads(block.text) for block in kept if block.type == "tool_use"] == [call["args"] for call in calls]
    outputs = [call["result"][0]["functionResponse"]["response"]["output"] for call in calls]
    assert [block.text for block in kept if block.type == "tool_result"] == outputs
    thoughts = [t["description"] for m in messages for t in m.get("thoughts", [])]
    assert all(any(thought in block.text for block in kept if block.type == "thinking") for thought in thoughts)


def test_a_message_written_again_gives_what_is_new_alone(tmp_path: Path) -> None:
    call: dict[str, Any] = {"id": "c1", "name": "ls", "args": {}}
    path = chat(
        tmp_path,
        said("g", "gemini", "looking"),
        said("g", "gemini", "looking", toolCalls=[call]),
        said("g", "gemini", "looking", toolCalls=[call | {"result": [{"functionResponse": {"response": {"x": 1}}}]}]),
        said("g", "gemini", "looking further"),
    )
    turns, skipped, _ = read(make(), path)
    assert [plain(turn) for turn in turns] == [
        "assistant text looking", "assistant tool_use:ls {}", 'tool tool_result:ls {"x":1}',
        "assistant text looking further",
    ]  # fmt: skip
    assert [turn.turn for turn in turns][:3] == ["g", "g.c1", "g.c1.result"]
    assert turns[3].turn.startswith("g@")
    assert not skipped["message without text"]


def test_notices_of_the_program_are_counted_and_a_summary_is_a_title(tmp_path: Path) -> None:
    path = chat(
        tmp_path,
        said("i", "info", "update available"),
        {"$set": {"summary": "Deploying on weekdays"}},
        said("u", "user", [{"text": "hi"}, {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]),
        {"$rewindTo": "u"},
    )
    (turn,), skipped, _ = read(make(), path)
    assert plain(turn) == "user text hi | text data:image/png;base64,AAAA"
    assert turn.extra == (("title", "Deploying on weekdays"),)
    assert skipped == {"header": 2, "info": 1, "rewind": 1}


def test_a_half_written_document_is_a_problem_and_read_again_later(tmp_path: Path) -> None:
    path = tmp_path / "session-x.json"
    path.write_bytes(DOCUMENTS[0].read_bytes()[:3000])
    (batch,) = batches(make(), path)
    assert not batch.turns
    assert "half-written" in batch.problems[0].message
    path.write_bytes(DOCUMENTS[0].read_bytes())
    assert sum((list(b.turns) for b in batches(make(), path, batch.cursor)), list[Turn]())


def test_the_folder_comes_from_the_file_beside_the_chats(tmp_path: Path) -> None:
    path = tmp_path / "app" / "chats" / LINES.name
    path.parent.mkdir(parents=True)
    path.write_bytes(LINES.read_bytes())
    (tmp_path / "app" / ".project_root").write_text("/w/app\n")
    assert {turn.cwd for turn in read(make(), path)[0]} == {"/w/app"}


def test_what_a_hook_put_before_a_prompt_is_a_turn_of_its_own(tmp_path):
    said = "<hook_context>&lt;&lt;&lt;kept</hook_context>\n\nwhat is it called?"
    path = tmp_path / "session-2026-07-01T00-00-1.jsonl"
    rows = [{"sessionId": "s", "projectHash": "p", "startTime": "2026-07-01T00:00:00Z"}]
    rows.append({"id": "m1", "timestamp": "2026-07-01T00:00:01Z", "type": "user", "content": said})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    reader = make()
    turns = [turn for batch in reader.read(reader.claims(path, path.read_bytes()), None) for turn in batch.turns]
    assert [(turn.turn, turn.flags, turn.text) for turn in turns] == [
        ("m1.hook", ("meta",), "<hook_context>&lt;&lt;&lt;kept</hook_context>\n\n"),
        ("m1", (), "what is it called?"),
    ]
