"""OpenCode's database, as version 1.18.33 wrote it, and while it is being written."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory

from support.readers import FIXTURES, batches, database, plain, read

from memoranda.ports.contracts.readers import ReaderContract
from memoranda.ports.protocols import TranscriptReader
from memoranda_agents.opencode import make

WRITTEN = (FIXTURES / "opencode" / "opencode-1.18.33.sql").read_text(encoding="utf-8")
SESSION = "ses_dd13a3999fferloon0c23Se5Cr"


class TestContract(ReaderContract):
    """The suite every reader passes."""

    appends = False

    def reader(self) -> TranscriptReader:
        return make()

    def samples(self) -> dict[str, bytes]:
        with TemporaryDirectory() as folder:
            return {"opencode.db": database(WRITTEN, Path(folder) / "opencode.db").read_bytes()}

    def at_home(self) -> str:
        return ".local/share/opencode/opencode.db"


def test_what_the_program_wrote_turn_by_turn(tmp_path: Path) -> None:
    turns, skipped, _ = read(make(), database(WRITTEN, tmp_path / "opencode.db"))
    output = (
        "<path>/w/app/notes.txt</path>\n<type>file</type>\n<content>\n1: Staging deploys are fine on any weekday.\n\n"
        "(End of file - total 1 lines)\n</content>"
    )
    assert [plain(turn) for turn in turns] == [
        'user text "when may we deploy to staging?"',
        f'assistant tool_use:read {{"filePath":"/w/app/notes.txt"}} | tool_result:read {output}',
        "assistant text The note says that staging deploys are fine on any weekday.",
    ]
    assert {(turn.session, turn.cwd) for turn in turns} == {(SESSION, "/w/app")}
    assert turns[1].parent == turns[0].turn == "msg_22ec5c965001G5CdGT4wIoEc6C"
    assert turns[0].extra == (("title", "The note says that staging deploys are fine on any weekday."),)
    assert skipped == {"step-start part": 2, "step-finish part": 2}


def test_an_answer_under_way_is_taken_when_it_is_finished(tmp_path: Path) -> None:
    path = database(WRITTEN, tmp_path / "opencode.db", wal=True)
    writer = sqlite3.connect(path)
    data = {"role": "assistant", "time": {"created": 1796081060000}}
    add = "insert into message values(?, ?, ?, ?, ?)"
    writer.execute(add, ("msg_z1", SESSION, 1796081060000, 1796081060000, json.dumps(data)))
    part = "insert into part values(?, ?, ?, ?, ?, ?)"
    writer.execute(part, ("prt_z1", "msg_z1", SESSION, 1, 1, json.dumps({"type": "text", "text": "half"})))
    writer.commit()
    first = batches(make(), path)
    assert len([turn for batch in first for turn in batch.turns]) == 3
    assert sum(batch.skipped["unfinished message"] for batch in first if "unfinished message" in batch.skipped) == 1
    data["time"]["completed"] = 1796081061000  # type: ignore[index]
    writer.execute("update message set data = ? where id = 'msg_z1'", (json.dumps(data),))
    writer.execute("update part set data = ? where id = 'prt_z1'", (json.dumps({"type": "text", "text": "whole"}),))
    writer.commit()
    later = batches(make(), path, first[-1].cursor)
    assert [plain(turn) for batch in later for turn in batch.turns] == ["assistant text whole"]
    writer.close()


def test_a39_a_sub_agents_session_names_its_parent(tmp_path: Path) -> None:
    path = database(WRITTEN, tmp_path / "opencode.db")
    with sqlite3.connect(path) as writer:
        writer.execute("update session set parent_id = 'ses_above'")
    writer.close()
    turns, _, _ = read(make(), path)
    assert {(turn.parent_session, turn.flags) for turn in turns} == {("ses_above", ("sidechain",))}
