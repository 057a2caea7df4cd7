"""Turns files on their way into a memory: checked, refused, remembered, retried."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable

from memoranda import Memory
from memoranda.model.settings import Settings

GOOD = {
    "format": 1, "session": "s", "turn": "t1", "ts": "2026-07-02T16:40:00Z", "role": "user", "harness": "mine",
    "blocks": [{"type": "text", "text": "The kettle whistles at seven."}],
}  # fmt: skip


def written(folder: Path, *rows: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "a.turns.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def state(root: Path) -> dict[str, tuple[int, str]]:
    return {
        str(path): (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest())
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def test_a34_a_check_writes_nothing(memory: Memory, settings: Settings, tmp_path: Path) -> None:
    path = written(tmp_path / "spool", GOOD, GOOD, GOOD | {"turn": "t2"})
    before = state(settings.user_home)
    report = memory.capture([path], check=True)
    assert (report.turns, report.sessions, report.duplicates, report.sources_refused) == (2, 1, 1, 0)
    bad = written(tmp_path / "spool", GOOD, GOOD | {"harness": "No"})
    report = memory.capture([bad], check=True)
    assert (report.turns, report.sources_refused) == (0, 1)
    assert report.problems[0].line == 2
    assert state(settings.user_home) == before


def test_a35_a_refused_file_is_remembered_and_read_again_when_it_changes(memory: Memory, settings: Settings) -> None:
    spool = settings.user_home / ".memoranda-spool"
    written(spool, GOOD, GOOD | {"blocks": 7})
    first = memory.capture(embed_seconds=0)
    assert (first.turns, first.sources_refused, first.problems[0].line) == (0, 1, 2)
    again = memory.capture(embed_seconds=0)
    assert (again.sources_refused, again.problems, again.sources_unchanged) == (0, (), 1)
    written(spool, GOOD, GOOD | {"turn": "t2"})
    assert memory.capture(embed_seconds=0).turns == 2
    assert memory.recall("kettle", lexical=True).said


def test_a_memorys_own_turns_files_can_be_taken_into_another(
    memory: Memory, open_as: Callable[..., Memory], settings: Settings, tmp_path: Path
) -> None:
    memory.capture([written(tmp_path / "spool", GOOD, GOOD | {"turn": "t2", "title": "Kettles"})], embed_seconds=0)
    other = open_as(path=tmp_path / "other")
    assert other.capture([memory.root / "turns"], embed_seconds=0).turns == 2
    (mine,) = memory.root.glob("turns/**/*.jsonl")
    (theirs,) = other.root.glob("turns/**/*.jsonl")
    assert [json.loads(line)["blocks"] for line in mine.open()] == [
        json.loads(line)["blocks"] for line in theirs.open()
    ]
    assert json.loads(theirs.read_text().splitlines()[1])["title"] == "Kettles"


def test_a_title_that_holds_a_credential_is_left_out(memory: Memory, tmp_path: Path) -> None:
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    memory.capture([written(tmp_path / "spool", GOOD | {"title": f"use {token}"})], embed_seconds=0)
    (kept,) = memory.root.glob("turns/**/*.jsonl")
    assert token not in kept.read_text()
    assert "title" not in json.loads(kept.read_text())


def test_watch_takes_in_what_comes_and_ends_on_request(memory: Memory, settings: Settings) -> None:
    spool = settings.user_home / ".memoranda-spool"
    written(spool, GOOD)
    environ = {"HOME": str(settings.user_home), "MEMORANDA_HOME": str(settings.home), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-m", "memoranda.views.cli", "capture", "--watch"]
    child = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert _comes(memory, 1)
        written(spool, GOOD, GOOD | {"turn": "t2"})
        assert _comes(memory, 2)
    finally:
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "captured 1 turn of 1 session" in errors


def _comes(memory: Memory, turns: int) -> bool:
    """Whether so many turns stand in the files before long."""
    for _ in range(600):
        if sum(len(path.read_bytes().splitlines()) for path in memory.root.glob("turns/**/*.jsonl")) >= turns:
            return True
        time.sleep(0.1)
    return False
