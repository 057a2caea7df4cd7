"""A session that was forked or resumed repeats its beginning: a recall shows it once and names both places."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memoranda import Memory
from memoranda.model.settings import Settings

pytest.importorskip("memoranda_agents")

OPENING = "Why does the streaming parser keep its whole backlog in memory?"
ANSWER = "Because every line waits for the flush that only the end of the input brings about."


def line(session: str, uuid: str, role: str, text: str, at: int) -> str:
    message = {"role": role, "content": text if role == "user" else [{"type": "text", "text": text}]}
    entry = {"type": role, "uuid": uuid, "sessionId": session, "cwd": "/home/me/app", "message": message}
    return json.dumps({**entry, "timestamp": f"2026-07-01T10:00:{at:02}.000Z", "version": "2.1.0"})


def write(folder: Path, session: str, ids: tuple[str, str], ending: str) -> None:
    lines = [
        line(session, ids[0], "user", OPENING, 1),
        line(session, ids[1], "assistant", ANSWER, 2),
        line(session, f"{session}-end", "user", ending, 3),
        line(session, f"{session}-yes", "assistant", "yes", 4),
    ]
    (folder / f"{session}.jsonl").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("ids", [("u1", "u2"), ("v1", "v2")], ids=["ids kept", "ids anew"])
def test_a40_a_fork_is_shown_once_with_both_places(tmp_path: Path, settings: Settings, ids: tuple[str, str]) -> None:
    folder = tmp_path / "projects"
    folder.mkdir()
    write(folder, "11111111-aaaa", ("u1", "u2"), "Then we leave it as it is")
    write(folder, "22222222-bbbb", ids, "Then we split the flush in two")
    with Memory.init(settings=settings) as memory:
        assert memory.capture([folder]).turns == 8
        said = memory.recall("streaming parser backlog memory", lexical=True).said
        again = [one for one in said if OPENING in one.text]
        assert len(again) == 1
        assert {again[0].session, *(place.split("/")[1] for place in again[0].also)} == {
            "11111111-aaaa",
            "22222222-bbbb",
        }
        for place in (again[0].locator, *again[0].also):
            view = memory.get(place, before=0, after=0)
            assert OPENING in view.turns[0].text
        endings = memory.recall("leave split flush", lexical=True).said
        assert {one.session for one in endings if one.text.startswith("Then")} == {"11111111-aaaa", "22222222-bbbb"}
        short = [one for one in memory.recall("yes", lexical=True).said if one.text == "yes"]
        assert len(short) == 2  # two answers to two questions
