"""Exports of chat services, made after the description of their formats, and Parquet traces written by pyarrow."""

from __future__ import annotations

import io
import json
import zipfile
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from support.readers import FIXTURES, database, plain, read

from memoranda.ports.contracts.readers import ReaderContract
from memoranda.ports.protocols import TranscriptReader
from memoranda_agents import chatgpt, claude_ai, parquet

CLAUDE_AI: list[dict[str, Any]] = [
    {"uuid": "c1", "name": "Kettles", "created_at": "2026-01-01T00:00:00Z", "chat_messages": [
        {"uuid": "m1", "sender": "human", "text": "hello", "content": [{"type": "text", "text": "hello"}],
         "created_at": "2026-01-01T00:00:01.000000Z", "parent_message_uuid": "00000000-0000-4000-8000-000000000000",
         "attachments": [{"file_name": "a.txt", "extracted_content": "attached words"}]},
        {"uuid": "m2", "sender": "assistant", "text": "", "created_at": "2026-01-01T00:00:02+00:00",
         "parent_message_uuid": "m1", "content": [
             {"type": "thinking", "thinking": "hm"},
             {"type": "tool_use", "id": "x", "name": "search", "input": {"q": 1}},
             {"type": "tool_result", "tool_use_id": "x", "content": [{"type": "text", "text": "found"}]},
             {"type": "text", "text": "there"}]},
        {"uuid": "m3", "sender": "human", "text": "old form", "content": []},
        {"uuid": "m4", "sender": "human", "text": "", "content": []},
    ]},
    {"name": "no id", "chat_messages": []},
]  # fmt: skip


def node(id: str, parent: str | None, children: list[str], **message: Any) -> dict[str, Any]:
    return {"id": id, "parent": parent, "children": children, "message": message or None}


def said(role: str, *parts: object, **more: object) -> dict[str, Any]:
    return {"author": {"role": role}, "content": {"content_type": "text", "parts": list(parts)}} | more


CHATGPT: list[dict[str, Any]] = [
    {"conversation_id": "k1", "title": "Kettles", "create_time": 1767225600.5, "current_node": "d", "mapping": {
        "root": node("root", None, ["sys"]),
        "sys": node("sys", "root", ["a"], **said("system", "be kind")),
        "a": node("a", "sys", ["b", "c"], **said("user", "question", create_time=1767225601.0)),
        "b": node("b", "a", [], **said("assistant", "first answer")),
        "c": node("c", "a", ["t"], **said("assistant", "ls -l", recipient="python")),
        "t": node("t", "c", ["d"], author={"role": "tool", "name": "python"},
                  content={"content_type": "execution_output", "text": "total 0"}),
        "d": node("d", "t", [], **said("assistant", "second answer", {"asset_pointer": "file-service://x"})),
    }},
]  # fmt: skip


def packed(data: object, *names: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        file.writestr("user.json", "{}")
        for name in names:
            file.writestr(name, json.dumps(data))
    return stream.getvalue()


class Unsought(ReaderContract):
    """The suite for what is named and never looked for."""

    appends = False

    def test_found_at_home(self, tmp_path: Path) -> None:
        assert list(self.reader().find(tmp_path, {})) == []


class TestClaudeAi(Unsought):
    """The suite every reader passes."""

    def reader(self) -> TranscriptReader:
        return claude_ai.make()

    def samples(self) -> dict[str, bytes]:
        data = json.dumps(CLAUDE_AI)
        return {"conversations.json": data.encode(), "data.zip": packed(CLAUDE_AI, "conversations.json")}


class TestChatGpt(Unsought):
    """The suite every reader passes."""

    def reader(self) -> TranscriptReader:
        return chatgpt.make()

    def samples(self) -> dict[str, bytes]:
        return {"conversations.json": json.dumps(CHATGPT).encode(), "x.zip": packed(CHATGPT, "conversations-000.json")}


def test_c25_a_conversation_of_claude_ai(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(CLAUDE_AI, indent=2))
    turns, skipped, _ = read(claude_ai.make(), path)
    assert [f"{turn.turn} {turn.parent} {plain(turn)}" for turn in turns] == [
        "m1 None user text hello | text attached words",
        'm2 m1 assistant thinking hm | tool_use:search {"q":1} | tool_result:search found | text there',
        "m3 None user text old form",
    ]
    assert (turns[0].session, turns[0].extra) == ("c1", (("title", "Kettles"),))
    assert turns[1].ts == "2026-01-01T00:00:02.000Z"
    assert skipped == {"message without text": 1, "conversation without an id": 1}


def test_c25_a_conversation_of_chatgpt_with_every_branch(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(CHATGPT))
    turns, skipped, _ = read(chatgpt.make(), path)
    assert [f"{turn.turn} {plain(turn)}" for turn in turns] == [
        "a user text question",
        "b assistant (abandoned) text first answer",
        "c assistant tool_use:python ls -l",
        "t tool tool_result:python total 0",
        "d assistant text second answer | text file-service://x",
    ]
    assert {turn.session for turn in turns} == {"k1"}
    assert [turn.ts for turn in turns][::4] == ["2026-01-01T00:00:01.000Z"] * 2
    assert skipped == {"hidden message": 1}


def test_c25_an_export_cut_short_keeps_what_stands_before(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([*CLAUDE_AI[:1], *CLAUDE_AI[:1]])[:-300])
    turns, _, problems = read(claude_ai.make(), path)
    assert len(turns) == 3
    assert "element 2" in problems[0].message


def table(path: Path, **columns: list[object]) -> Path:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet as files

    files.write_table(pyarrow.table(columns), path)
    return path


ROWS = {
    "session_id": ["p", None, "q"],
    "messages": [["bad json", '{"role":"user","content":"hello"}',
                  '{"role":"assistant","content":"","tool_calls":[{"id":"c","function":{"name":"ls","arguments":{"a":1}}}]}',
                  '{"role":"tool","content":"out","tool_call_id":"c"}'], ["{}"], None],
    "harness": ["pi", None, None],
    "metadata": ['{"cwd":"/w/app"}', None, None],
    "sent_at": ["2026-01-01T00:00:00Z", None, None],
}  # fmt: skip


def test_a_table_of_traces(tmp_path: Path) -> None:
    turns, skipped, _ = read(parquet.make(), table(tmp_path / "t.parquet", **ROWS))  # type: ignore[arg-type]
    assert [f"{turn.turn} {turn.parent} {plain(turn)}" for turn in turns] == [
        "p-0 None user text hello", 'p-1 p-0 assistant tool_use:ls {"a":1}', "p-2 p-1 tool tool_result out"
    ]  # fmt: skip
    assert {(turn.harness, turn.session, turn.cwd, turn.ts) for turn in turns} == {
        ("pi", "p", "/w/app", "2026-01-01T00:00:00Z")
    }
    assert skipped == {"message that is no JSON": 1, "row without a session": 2}


def test_a_table_of_something_else_is_a_problem(tmp_path: Path) -> None:
    _, _, problems = read(parquet.make(), table(tmp_path / "t.parquet", price=[1, 2]))
    assert "session_id" in problems[0].message


def test_every_fixture_is_claimed_by_the_reader_it_is_for(tmp_path: Path) -> None:
    for name in ("hermes", "opencode"):
        for sql in (FIXTURES / name).glob("*.sql"):
            database(sql.read_text(), tmp_path / name / f"{name}.db")
    points = sorted(entry_points(group="memoranda.readers"), key=lambda point: point.name)
    readers = {point.name: point.load()() for point in points if point.value.startswith("memoranda_agents.")}
    files = [
        p for p in FIXTURES.rglob("*.json*") if not (p.parent.parent.name == "cline" and ".messages" not in p.name)
    ]
    for path in [*files, *tmp_path.rglob("*.db")]:
        head = path.read_bytes()[: 64 << 10]
        owner = path.relative_to(FIXTURES if path.is_relative_to(FIXTURES) else tmp_path).parts[0]
        claimed = [name for name, reader in readers.items() if reader.claims(path, head) is not None]
        assert claimed in ([owner], []), path
        assert claimed or path.stem == "system_info" or owner == "claude", path
