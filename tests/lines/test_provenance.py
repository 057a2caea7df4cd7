"""From a hit back to the line of the transcript it was taken from."""

from __future__ import annotations

import json
import re
from typing import Iterator

from support.readers import FIXTURES

from memoranda import Memory
from memoranda.memory.results import TurnsView

SESSIONS = FIXTURES / "claude" / "sessions"


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from strings(item)


def words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text))


def test_a9_a_hit_names_the_line_whose_uuid_it_bears_and_which_holds_its_text(memory: Memory) -> None:
    lines: dict[str, str] = {}
    asked: list[str] = []
    for file in sorted(SESSIONS.glob("*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            entry = json.loads(line)
            if "message" in entry:
                held = words("\n".join(strings(entry["message"])))
                # what a tool was called with stands in a turn as JSON
                lines[entry["uuid"]] = f"{held} {words(json.dumps(entry['message'], ensure_ascii=False))}"
                asked.append(" ".join(held.split()[:8]))
    assert memory.capture([SESSIONS], embed_seconds=0).turns
    seen = set()
    for question in asked:
        for hit in memory.recall(question, lexical=True, limit=5).said:
            seen.add(hit.turn)
            shown = words(hit.text)
            assert shown in lines[hit.turn], hit.locator
            got = memory.get(hit.locator, before=0, after=0)
            assert isinstance(got, TurnsView)
            assert [turn.turn for turn in got.turns] == [hit.turn]
    assert len(seen) > len(lines) / 3
