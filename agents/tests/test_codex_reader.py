"""Codex rollouts, new and old."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from memoranda.model.turn import Turn
from memoranda.ports.contracts.readers import ReaderContract
from memoranda.ports.protocols import Source, TranscriptReader
from memoranda_agents.codex import make, reader

FIXTURES = Path(__file__).parents[2] / "tests" / "fixtures" / "transcripts" / "codex"
NEW = FIXTURES / "rollout-2026-01-01T00-00-00-11111111-2222-4333-8444-555555555555.jsonl"
OLD = FIXTURES / "rollout-2025-05-01T00-00-00-99999999-2222-4333-8444-555555555555.jsonl"


class TestContract(ReaderContract):
    """The suite every reader passes."""

    def reader(self) -> TranscriptReader:
        return make()

    def samples(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (NEW, OLD)}

    def at_home(self) -> str:
        return f".codex/sessions/2026/01/01/{NEW.name}"


def read(path: Path) -> tuple[list[Turn], Counter[str]]:
    turns, skipped = list[Turn](), Counter[str]()
    for batch in make().read(Source(str(path), path, "codex", "s"), None):
        turns += batch.turns
        skipped.update(batch.skipped or {})
    return turns, skipped


def plain(turn: Turn) -> str:
    blocks = " | ".join(f"{b.type}{':' + b.tool if b.tool else ''} {b.text}" for b in turn.blocks)
    flags = f" ({','.join(turn.flags)})" if turn.flags else ""
    return f"{turn.turn.rpartition('-')[2]} {turn.role}{flags} {blocks}"


def test_every_item_of_a_rollout() -> None:
    turns, skipped = read(NEW)
    assert [plain(turn) for turn in turns] == [
        "2 developer (meta) text <permissions instructions>\nask first\n</permissions instructions>",
        "3 user (meta) text # AGENTS.md instructions for /w/app\n\n<INSTRUCTIONS>\nbe brief\n</INSTRUCTIONS>",
        "4 user text a   | text data:image/png;base64,iVBORw0KGgo= | text b",
        "7 assistant thinking p\nq",
        '9 assistant tool_use:exec {"c": 1}',
        '10 tool tool_result:exec {"ok":true}',
        "12 assistant tool_use:apply_patch *** P",
        "13 tool tool_result:apply_patch done\ntwice",
        '14 assistant tool_use:local_shell {"type":"exec","command":["ls","-l"]}',
        "15 tool tool_result:local_shell total 0\n",
        '16 assistant tool_use:web_search {"type":"search","query":"λ calculus"}',
        "18 user (summary) text so far: a and b",
        "20 assistant text done — ça y est",
    ]
    assert skipped == {
        "session_meta": 1,
        "event_msg": 2,
        "turn_context": 1,
        "item without text": 2,
        "image_generation_call": 1,
    }
    assert {turn.session for turn in turns} == {"11111111-2222-4333-8444-555555555555"}
    assert {turn.branch for turn in turns} == {"main"}
    assert [turn.cwd for turn in turns[2:4]] == ["/w/app", "/w/app/sub"]
    assert turns[0].ts == "2026-01-01T00:00:01.000Z"


def test_encrypted_thoughts_leak_nowhere() -> None:
    assert "ZZSECRETZZ" in NEW.read_text()
    assert not any("ZZSECRETZZ" in turn.text for turn in read(NEW)[0])


def test_a9_a_turn_id_names_its_line() -> None:
    lines = NEW.read_text(encoding="utf-8").splitlines()
    for turn in read(NEW)[0]:
        line = lines[int(turn.turn.rpartition("-")[2]) - 1]
        assert json.loads(line)["timestamp"] == turn.ts


def test_rollouts_from_before_the_envelope() -> None:
    turns, skipped = read(OLD)
    assert [plain(turn) for turn in turns] == [
        "3 user text old shape",
        "4 assistant thinking hm",
        '5 assistant tool_use:shell {"command":["ls"]}',
        '6 tool tool_result:shell {"output":"x\\n","metadata":{"exit_code":0}}',
        "8 assistant text answer",
    ]
    assert {(turn.session, turn.branch) for turn in turns} == {("99999999-2222-4333-8444-555555555555", "old")}
    assert skipped == {"session_meta": 1, "state": 2}


def test_a_fork_keeps_its_own_id_and_names_its_parent() -> None:
    (turn,), _ = read(FIXTURES / "rollout-2026-02-01T00-00-00-fork.jsonl")
    assert (turn.session, turn.cwd) == ("child", "/w/app")
    assert (turn.parent_session, turn.flags) == ("11111111-2222-4333-8444-555555555555", ())


def test_a39_a_spawned_thread_is_linked_to_the_one_that_started_it() -> None:
    (turn,), _ = read(FIXTURES / "rollout-2026-02-02T00-00-00-spawned.jsonl")
    assert (turn.parent_session, turn.flags) == ("11111111-2222-4333-8444-555555555555", ("sidechain",))


def rollouts(tmp_path: Path) -> dict[str, Source]:
    return {one.path.name: one for one in make().find(tmp_path, {"CODEX_HOME": str(tmp_path / "codex")})}


def put(tmp_path: Path, name: str, data: bytes) -> Path:
    path = tmp_path / "codex" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_archived_and_compressed_rollouts_are_found(tmp_path: Path) -> None:
    for name in ("sessions/2026/01/01/a.jsonl", "archived_sessions/b.jsonl", "archived_sessions/c.jsonl.zst"):
        put(tmp_path, name, NEW.read_bytes())
    assert set(rollouts(tmp_path)) == {"a.jsonl", "b.jsonl", "c.jsonl.zst"}


def test_a_compressed_rollout_is_the_same_history_as_before(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    plain = put(tmp_path, f"archived_sessions/{NEW.name}", NEW.read_bytes())
    (before,) = make().find(tmp_path, {"CODEX_HOME": str(tmp_path / "codex")})
    turns = [turn for batch in make().read(before, None) for turn in batch.turns]
    half = NEW.read_bytes().index(b"\n", NEW.stat().st_size // 2)
    pack = zstandard.ZstdCompressor().compress
    put(tmp_path, f"archived_sessions/{NEW.name}.zst", pack(NEW.read_bytes()[:half]) + pack(NEW.read_bytes()[half:]))
    assert set(rollouts(tmp_path)) == {NEW.name}  # while both are there, the one that may grow
    plain.unlink()
    (after,) = rollouts(tmp_path).values()
    assert (after.key, after.stamp != before.stamp) == (before.key, True)
    (batch,) = make().read(after, '{"v":1}')
    assert list(batch.turns) == turns
    (again,) = make().read(after, batch.cursor)
    assert not again.turns
    claimed = make().claims(after.path, after.path.read_bytes())
    assert claimed is not None
    assert claimed.key == before.key


def test_a_damaged_compressed_rollout_is_a_fault_of_that_file(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    data = zstandard.ZstdCompressor().compress(NEW.read_bytes())
    put(tmp_path, "archived_sessions/c.jsonl.zst", b"no frame" + data)
    with pytest.raises(zstandard.ZstdError):
        list(make().read(rollouts(tmp_path)["c.jsonl.zst"], None))
    put(tmp_path, "archived_sessions/c.jsonl.zst", data[: len(data) // 2])
    for batch in make().read(rollouts(tmp_path)["c.jsonl.zst"], None):
        assert all(turn.harness == "codex" for turn in batch.turns)


def test_without_the_library_a_compressed_rollout_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "unpacker", lambda: None)
    put(tmp_path, "archived_sessions/c.jsonl.zst", NEW.read_bytes())
    (batch,) = make().read(rollouts(tmp_path)["c.jsonl.zst"], None)
    assert not batch.turns
    assert batch.skipped == {"compressed file": 1}
    assert "c.jsonl.zst" in batch.problems[0].locator
    assert "memoranda-agents[zstd]" in batch.problems[0].hint


def test_without_a_session_line_the_file_names_the_session(tmp_path: Path) -> None:
    path = tmp_path / "rollout-x.jsonl"
    path.write_text("".join(NEW.read_text().splitlines(keepends=True)[1:4]))
    assert [turn.turn for turn in read(path)[0]] == ["rollout-x-1", "rollout-x-2", "rollout-x-3"]
