"""Claude Code's histories, on real records and on each odd shape that was met or described."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from memoranda.model.turn import Turn
from memoranda.ports.contracts.readers import ReaderContract
from memoranda.ports.protocols import Source, TranscriptReader
from memoranda_agents.claude import make

FIXTURES = Path(__file__).parents[2] / "tests" / "fixtures" / "transcripts" / "claude"
FILES = sorted(path for path in FIXTURES.rglob("*.jsonl") if path.stem not in ("system_info",))


class TestContract(ReaderContract):
    """The suite every reader passes."""

    def reader(self) -> TranscriptReader:
        return make()

    def samples(self) -> dict[str, bytes]:
        names = ("0790ea37-90df-4d30-8fdf-0bfe301b8f3e", "488c5296-fc78-4fdf-8cfd-f1cae9454bd0")
        files = [FIXTURES / "sessions" / f"{name}.jsonl" for name in names]
        files.append(FIXTURES / "sessions" / "representative_messages.jsonl")
        return {path.name: path.read_bytes() for path in files}

    def at_home(self) -> str:
        return ".claude/projects/-w-app/0790ea37-90df-4d30-8fdf-0bfe301b8f3e.jsonl"


def read(path: Path, cursor: str | None = None) -> tuple[list[Turn], Counter[str]]:
    turns, skipped = list[Turn](), Counter[str]()
    for batch in make().read(Source(str(path), path, "claude", "s"), cursor):
        turns += batch.turns
        skipped.update(batch.skipped or {})
    return turns, skipped


def written(path: Path, *records: dict[str, Any] | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (record if isinstance(record, str) else json.dumps(record, ensure_ascii=False) for record in records)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def user(uuid: str | None, content: object, **more: object) -> dict[str, Any]:
    return {"type": "user", "uuid": uuid, "sessionId": "a1", "message": {"role": "user", "content": content}} | more


def plain(turn: Turn) -> str:
    return f"{turn.role} " + " | ".join(f"{b.type}{':' + b.tool if b.tool else ''} {b.text}" for b in turn.blocks)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a8_every_text_of_a_real_file_is_there_to_the_byte(path: Path) -> None:
    turns, _ = read(path)
    found = Counter(block.text for turn in turns for block in turn.blocks if block.type == "text")
    assert found == texts_of(path)


def texts_of(path: Path) -> Counter[str]:
    """An independent count: text blocks and plain contents of user and assistant messages."""
    texts: Counter[str] = Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["type"] in ("user", "assistant"):
            content = record["message"]["content"]
            parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
            texts.update(part["text"] for part in parts if part["type"] == "text" and part["text"].strip())
    return texts


def test_a9_a_turn_is_the_record_with_its_uuid(tmp_path: Path) -> None:
    path = FIXTURES / "sessions" / "488c5296-fc78-4fdf-8cfd-f1cae9454bd0.jsonl"
    records = {record.get("uuid"): record for record in map(json.loads, path.read_text().splitlines())}
    turns, _ = read(path)
    assert len(turns) > 10
    for turn in turns:
        record = records[turn.turn]
        assert turn.ts == record["timestamp"]
        assert (turn.cwd, turn.branch, turn.session) == (record["cwd"], record["gitBranch"], path.stem)
        for block in turn.blocks:
            assert json.dumps(block.text, ensure_ascii=False)[1:-1] in json.dumps(record, ensure_ascii=False) or (
                block.type == "tool_use"
            )


def test_a_session_of_every_kind_of_record(tmp_path: Path) -> None:
    path = written(
        tmp_path / "-w-app" / "a1.jsonl",
        {"type": "summary", "summary": "t", "leafUuid": "u3"},
        {"type": "queue-operation", "operation": "enqueue", "sessionId": "a1", "content": "x"},
        user("u1", "fix it", cwd="/w/app", timestamp="2026-01-01T00:00:01.000Z", parentUuid=None),
        {"type": "assistant", "uuid": "u2", "message": {"content": [{"type": "thinking", "thinking": ""}]}},
        {
            "type": "assistant",
            "uuid": "u3",
            "parentUuid": "u2",
            "message": {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "ok"},
                    {"type": "tool_use", "id": "c1", "name": "Bash", "input": {"b": 1, "a": "é"}},
                ],
            },
        },
        user(
            "u4",
            [
                {
                    "type": "tool_result",
                    "tool_use_id": "c1",
                    "content": [{"type": "text", "text": "l1"}, {"type": "image", "source": {}}, "l2"],
                }
            ],
        ),
        {"type": "api-request-blob", "data": "never"},
        {"type": "attachment", "attachment": {"type": "hook_success"}, "sessionId": "a1"},
        '{"type":"assistant","uuid":"u5","message":{"role":"assistant","content":[{"type":"text","text":"tail',
    )
    path.write_bytes(path.read_bytes()[:-1])
    turns, skipped = read(path)
    assert [plain(turn) for turn in turns] == [
        "user text fix it",
        'assistant text ok | tool_use:Bash {"b":1,"a":"é"}',
        "user tool_result:Bash l1\nl2",
    ]
    assert [turn.turn for turn in turns] == ["u1", "u3", "u4"]
    assert {turn.session for turn in turns} == {"a1"}
    assert turns[1].parent == "u2"
    assert skipped == {
        "summary": 1,
        "queue-operation": 1,
        "message without text": 1,
        "api-request-blob": 1,
        "attachment": 1,
        "unfinished last line": 1,
    }


def test_flags_say_what_was_injected_recapped_or_aside(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a1.jsonl",
        user("1", "a", isMeta=True),
        user("2", "b", isCompactSummary=True, isVisibleInTranscriptOnly=True),
        user("3", "c", isSidechain=True),
        user("4", "d", isMeta=False),
    )
    assert [turn.flags for turn in read(path)[0]] == [("meta",), ("summary",), ("sidechain",), ()]


def test_a39_a_sub_agent_is_found_after_its_parent_and_linked_to_it(tmp_path: Path) -> None:
    parent = "0790ea37-90df-4d30-8fdf-0bfe301b8f3e"
    project = tmp_path / ".claude" / "projects" / "-w-app"
    written(project / f"{parent}.jsonl", user("1", "go", sessionId=parent))
    agent = written(
        project / parent / "subagents" / "agent-7f3a.jsonl", user("2", "look", sessionId=parent, isSidechain=True)
    )
    older = written(project / "agent-99.jsonl", user("3", "look", sessionId=parent, isSidechain=True))
    found = {source.path.name: source.priority for source in make().find(tmp_path, {})}
    assert found == {f"{parent}.jsonl": 0, "agent-7f3a.jsonl": 1, "agent-99.jsonl": 1}
    for path, session in ((agent, "agent-7f3a"), (older, "agent-99")):
        (turn,), _ = read(path)
        assert (turn.session, turn.parent_session, turn.flags) == (session, parent, ("sidechain",))


def test_d19_the_configured_folder_is_honoured(tmp_path: Path) -> None:
    written(tmp_path / "home" / ".claude" / "projects" / "p" / "a.jsonl", user("1", "x"))
    written(tmp_path / "moved" / "projects" / "p" / "b.jsonl", user("1", "x"))
    found = make().find(tmp_path / "home", {"CLAUDE_CONFIG_DIR": str(tmp_path / "moved")})
    assert [source.path.name for source in found] == ["b.jsonl"]


def test_no_link_leads_out(tmp_path: Path) -> None:
    written(tmp_path / "outside" / "secret.jsonl", user("1", "x"))
    project = tmp_path / ".claude" / "projects" / "p"
    project.mkdir(parents=True)
    (project / "file.jsonl").symlink_to(tmp_path / "outside" / "secret.jsonl")
    (project / "folder").symlink_to(tmp_path / "outside")
    assert list(make().find(tmp_path, {})) == []


@pytest.mark.parametrize("uuid", [None, "", 7, "a\nb", "x" * 500], ids=["none", "empty", "number", "control", "long"])
def test_d2_a_record_without_a_usable_uuid_is_named_by_its_line(tmp_path: Path, uuid: str | None) -> None:
    path = written(tmp_path / "a1.jsonl", user(uuid, "one"), user(uuid, "two"))
    assert [turn.turn for turn in read(path)[0]] == ["a1-L1", "a1-L2"]


def test_two_objects_on_a_line_are_two_turns(tmp_path: Path) -> None:
    path = written(tmp_path / "a1.jsonl", json.dumps(user(None, "one")) + json.dumps(user(None, "two")))
    assert [turn.turn for turn in read(path)[0]] == ["a1-L1", "a1-L1.2"]


def test_the_session_of_a_copy_is_the_one_its_records_name(tmp_path: Path) -> None:
    path = written(tmp_path / "copy of my chat.jsonl", user("1", "x", sessionId="real"), user("2", "y", sessionId="z"))
    assert [(turn.session, turn.parent_session) for turn in read(path)[0]] == [("real", None), ("real", "z")]


def test_a_fork_names_where_its_records_come_from(tmp_path: Path) -> None:
    child = "aaaaaaaa-90df-4d30-8fdf-0bfe301b8f3e"
    path = written(tmp_path / f"{child}.jsonl", user("1", "x", sessionId="parent"), user("2", "y", sessionId=child))
    assert [(turn.session, turn.parent_session) for turn in read(path)[0]] == [(child, "parent"), (child, None)]


def test_white_space_is_kept_and_blank_blocks_are_not(tmp_path: Path) -> None:
    text = "  a\t\n\n   b \n"
    path = written(
        tmp_path / "a1.jsonl",
        user("1", text),
        user("2", " \n\u3000"),
        user("3", [{"type": "text", "text": "\n"}, {"type": "text", "text": text}, "bare", 7, None]),
        user("4", "\x1c"),
    )
    turns, skipped = read(path)
    assert [[block.text for block in turn.blocks] for turn in turns] == [[text], [text, "bare"], ["\x1c"]]
    assert skipped == {"message without text": 1}


def test_bytes_become_data_uris_for_the_screen_to_elide(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0K\nGgo="}}
    path = written(
        tmp_path / "a1.jsonl",
        user("1", [image, {"type": "text", "text": "see"}]),
        user("2", [{"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "shot"}, image]}]),
        user("3", [{"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}]),
        user("4", [{"type": "image", "source": {"type": "base64", "media_type": "a b\nc", "data": 7}}]),
    )
    uri = "data:image/png;base64,iVBORw0KGgo="
    assert [plain(turn) for turn in read(path)[0]] == [
        f"user text {uri} | text see",
        f"user tool_result shot\n{uri}",
        "user text https://example.com/a.png",
        "user text data:application/octet-stream;base64,",
    ]


def test_a_name_is_remembered_over_a_resumption(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "c1", "name": "Grep", "input": None}
    path = written(tmp_path / "a1.jsonl", user("1", [call]))
    cursor = list(make().read(Source("k", path, "claude", "s"), None))[-1].cursor
    with path.open("a") as file:
        file.write(json.dumps(user("2", [{"type": "tool_result", "tool_use_id": "c1", "content": "found"}])) + "\n")
    turns, _ = read(path, cursor)
    assert [plain(turn) for turn in turns] == ["user tool_result:Grep found"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2026-01-01T00:00:01Z", "2026-01-01T00:00:01Z"),
        ("2026-01-01T02:00:01.5+02:00", "2026-01-01T00:00:01.500Z"),
        (1767225600000, "2026-01-01T00:00:00.000Z"),
        ("yesterday", ""),
        ("2026-13-01T00:00:01Z", ""),
        (None, ""),
        (True, ""),
        (1e300, ""),
    ],
)
def test_a2_a_time_is_utc_or_empty(tmp_path: Path, given: object, expected: str) -> None:
    (turn,), _ = read(written(tmp_path / "a1.jsonl", user("1", "x", timestamp=given)))
    assert turn.ts == expected
