"""Indexes are views: with another model, pieces of another size or another order of fusion the truth is what it was."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from support.doors import PERSON

from memoranda import Memory
from memoranda.index import chunk
from memoranda.model.settings import Settings
from memoranda.recall.fuse import fuse

HISTORY = Path(__file__).parents[1] / "fixtures/transcripts/claude/sessions/representative_messages.jsonl"


def truth(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not {".index", ".git"} & set(path.relative_to(root).parts)
    }


def test_b13_another_model_piece_size_and_ranking_leave_every_record_as_it_was(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    projects = settings.user_home / ".claude" / "projects" / "-w-app"
    projects.mkdir(parents=True)
    shutil.copy(HISTORY, projects)
    with Memory.init(settings=replace(settings, embedder="hashing"), door=PERSON) as memory:
        memory.remember("The retry limit of the gateway is five")
        memory.capture(harness="claude", embed_seconds=30)
        before, pieces = truth(memory.root), memory.status().index.passages
        assert memory.recall("retry limit gateway").concluded
    monkeypatch.setattr(chunk, "PIECE_CHARS", 60)
    monkeypatch.setattr(chunk, "VERSION", chunk.VERSION + 1)
    monkeypatch.setattr(fuse, "__defaults__", (7,))
    with Memory.open(settings=replace(settings, embedder="minilm"), door=PERSON) as memory:
        memory.reindex()
        memory.embed()
        index = memory.status().index
        assert index.passages > pieces
        assert index.model != "hashing-1"
        assert memory.recall("how often may the gateway try again").concluded
        assert truth(memory.root) == before
