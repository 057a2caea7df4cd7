"""Histories of several agents in one memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.readers import FIXTURES, database

from memoranda import Memory


def test_a36_one_recall_finds_what_every_agent_was_told(memory: Memory, tmp_path: Path) -> None:
    for name in ("hermes", "opencode"):
        for sql in (FIXTURES / name).glob("*.sql"):
            database(sql.read_text(encoding="utf-8"), tmp_path / name / "x.db")
    folders = [FIXTURES / name for name in ("cline", "copilot", "gemini", "pi", "qwen")]
    report = memory.capture([*folders, tmp_path], embed_seconds=0)
    assert not report.problems
    found = memory.recall("staging deploys weekday", lexical=True, limit=40, budget_tokens=40_000)
    agents = {said.harness for said in found.said}
    assert agents == {"cline", "copilot", "gemini", "hermes", "opencode", "pi", "qwen"}
    again = memory.capture([*folders, tmp_path], embed_seconds=0)
    assert (again.turns, again.sources_unchanged) == (0, report.sources)


def test_a32_a_stored_turn_names_no_reader_of_ours(memory: Memory, tmp_path: Path) -> None:
    """A converter outside writes turns files; the core knows neither it nor its agent."""
    line = (
        '{"format":1,"session":"s","turn":"t","ts":"","role":"user","harness":"teapot",'
        '"blocks":[{"type":"text","text":"%s"}]}'
    )
    (tmp_path / "x.turns.jsonl").write_text(line % "short and stout" + "\n")
    assert memory.capture([tmp_path], embed_seconds=0).turns == 1
    (said,) = memory.recall("stout", harness=["teapot"], lexical=True).said
    assert said.harness == "teapot"


def test_c16_what_is_kept_at_hand_of_sessions_is_bounded_and_only_saves_asking(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoranda.truth.turns._REMEMBERED", 1)
    monkeypatch.setattr("memoranda.builtin.embedded.store._REMEMBERED", 1)
    line = (
        '{"format":1,"session":"s%d","turn":"%d","ts":"2026-0%d-02T10:00:00Z","role":"user","harness":"teapot",'
        '"blocks":[{"type":"text","text":"cup w%dx%d"}]}\n'
    )
    for turn in range(3):
        for session in range(3):
            with (tmp_path / f"{session}.turns.jsonl").open("a") as file:
                file.write(line % (session, turn, 5 + turn, session, turn))
        assert memory.capture([tmp_path], embed_seconds=0).turns == 3
    assert len(list((memory.root / "turns").rglob("*.turns.jsonl"))) == 3
    for session, turn in ((0, 0), (1, 2), (2, 1)):
        (said,) = memory.recall(f"w{session}x{turn}", lexical=True).said
        assert (said.session, said.seq) == (f"s{session}", turn)
