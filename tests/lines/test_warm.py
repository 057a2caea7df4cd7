"""A handle that stays open answers as a new one does, however the files were touched in between."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Callable

import pytest

from memoranda import Memory
from memoranda.model.outcome import Stored
from memoranda.model.settings import Settings


def keep(memory: Memory, text: str) -> Path:
    outcome = memory.remember(text, category="note", durability="durable")
    assert isinstance(outcome, Stored)
    return memory.root / outcome.record.path


def shown(memory: Memory, question: str) -> list[str]:
    return [one.record.body for one in memory.recall(question, lexical=True).concluded]


@pytest.mark.parametrize("how", ["edited", "added", "deleted", "retired", "index gone", "index damaged"])
def test_a_warm_handle_sees_what_others_did(settings: Settings, open_as: Callable[..., Memory], how: str) -> None:
    with Memory.init(settings=settings) as memory:
        path = keep(memory, "The parser reads one line after another")
        for _ in range(4):  # from the third time on nothing is looked at
            assert shown(memory, "parser line") == ["The parser reads one line after another"]
        assert memory._store._watch.quiet()
        if how == "edited":
            path.write_text(path.read_text().replace("one line", "two lines"))
        elif how == "deleted":
            path.unlink()
        elif how == "index gone":
            shutil.rmtree(memory.root / ".index")
        elif how == "index damaged":
            (memory.root / ".index/map.sqlite").write_bytes(b"no database")
        else:
            with Memory.open(settings=settings) as other:
                if how == "added":
                    keep(other, "The parser is called by the line editor")
                else:
                    other.forget(path.name[:16])
        for _ in range(3):
            with Memory.open(settings=settings) as fresh:
                assert shown(memory, "parser line") == shown(fresh, "parser line")
        if how == "edited":
            assert not memory.recall("parser lines", lexical=True).concluded[0].record.intact
