"""Keeping up with live sessions: what is written is there a moment later, and nothing is looked at in between."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest

from memoranda import Memory
from memoranda.memory import live
from memoranda.model.settings import Settings


def written(file: Path, number: int) -> None:
    """One more turn at the end of a session, as an agent writes it."""
    row = {
        "type": "user", "uuid": f"u{number}", "sessionId": file.stem, "timestamp": f"2026-07-01T10:{number:02}:00.000Z",
        "message": {"role": "user", "content": f"This is what was said as number {number}."},
    }  # fmt: skip
    with open(file, "a") as out:
        out.write(json.dumps(row) + "\n")


def test_a_turn_and_a_new_project_ring_and_silence_does_not(
    memory: Memory, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An hour between looks that nothing asked for: what comes here was heard."""
    monkeypatch.setattr(live, "MOST_SECONDS", 3600.0)
    projects = settings.user_home / ".claude" / "projects"
    (projects / "-w-app").mkdir(parents=True)
    session = projects / "-w-app" / "s1.jsonl"
    written(session, 0)
    reports = memory.watch(harness="claude")
    assert next(reports).turns == 1

    def meanwhile(act: object, *given: object) -> int:
        """Turns of the next captures that found any, while another thread writes."""
        timer = threading.Timer(0.1, act, given)  # type: ignore[arg-type]
        timer.start()
        turns = 0
        while not turns:
            turns = next(reports).turns
        timer.join()
        return turns

    def another_project() -> None:
        """The folder comes well before the file: a capture in between finds nothing in it."""
        (projects / "-w-other").mkdir()
        time.sleep(1.5)
        written(projects / "-w-other" / "s2.jsonl", 1)

    assert meanwhile(written, session, 2) == 1
    assert meanwhile(another_project) == 1
    reports.close()
