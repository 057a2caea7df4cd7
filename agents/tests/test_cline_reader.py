"""Cline's sessions: by the command line 3.0.65, and the extension's documents after their description."""

from __future__ import annotations

import json
from pathlib import Path

from support.readers import FIXTURES, plain, read

from memoranda.ports.contracts.readers import ReaderContract
from memoranda.ports.protocols import TranscriptReader
from memoranda_agents.cline import make

WRITTEN = next((FIXTURES / "cline").rglob("*.messages.json"))
SESSION = WRITTEN.parent.name


class TestContract(ReaderContract):
    """The suite every reader passes."""

    appends = False

    def reader(self) -> TranscriptReader:
        return make()

    def samples(self) -> dict[str, bytes]:
        return {WRITTEN.name: WRITTEN.read_bytes()}

    def at_home(self) -> str:
        return f".cline/data/sessions/{SESSION}/{WRITTEN.name}"


def test_what_the_program_wrote_turn_by_turn() -> None:
    turns, _, problems = read(make(), WRITTEN)
    result = '{"query":"/w/app/notes.txt","result":"1 | Staging deploys are fine on any weekday.","success":true}'
    assert [f"{turn.turn} {plain(turn)}" for turn in turns] == [
        'dfab6271-543d-41fe-8d4a-8c242e5501a9 user text <user_input mode="act">when may we deploy to staging?'
        "</user_input>",
        'msg_9splb8Aq assistant tool_use:read_files {"path":"/w/app/notes.txt"}',
        f"msg_S9kEh-4W user tool_result:read_files {result}",
        "msg_zkeia6aR assistant text The note says that staging deploys are fine on any weekday.",
    ]
    assert {(turn.session, turn.cwd, turn.branch) for turn in turns} == {(SESSION, "/w/app", "master")}
    assert turns[0].extra == (("title", "when may we deploy to staging?"),)
    assert not problems


def test_a_task_of_the_extension(tmp_path: Path) -> None:
    path = tmp_path / "1700000000000" / "api_conversation_history.json"
    path.parent.mkdir()
    messages = [{"role": "user", "content": [{"type": "text", "text": "hi"}]}, {"role": "assistant", "content": "yes"}]
    path.write_text(json.dumps(messages, indent=1))
    turns, _, _ = read(make(), path)
    assert [f"{turn.turn} {plain(turn)}" for turn in turns] == [
        "1700000000000-0 user text hi", "1700000000000-1 assistant text yes"
    ]  # fmt: skip
    path.write_text(path.read_text()[:-40])
    turns, _, problems = read(make(), path)
    assert len(turns) == 1
    assert "element 2" in problems[0].message
