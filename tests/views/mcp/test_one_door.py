"""The door of the tools: every form of credential is refused there too, and nothing of it is kept or repeated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.one_door import HELD, told, traces

from memoranda import Memory


def test_c11_the_tool_refuses_every_rule_and_repeats_nothing(client: Any, memory: Memory, tmp_path: Path) -> None:
    said = ""
    for text, _ in HELD.values():
        words, failed = client.call("remember", text=text)
        assert failed, text[:20]
        said += words
    assert told(said) == []
    assert traces(memory.root, tmp_path / "home") == []
