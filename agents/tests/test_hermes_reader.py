"""Hermes' database: as version 0.19.0 wrote it, and the older schema with every odd value."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory

from support.readers import FIXTURES, batches, database, plain, read

from memoranda.ports.contracts.readers import ReaderContract
from memoranda.ports.protocols import TranscriptReader
from memoranda_agents.hermes import make

WRITTEN = (FIXTURES / "hermes" / "state-0.19.0.sql").read_text(encoding="utf-8")
OLD = """
create table sessions(id text primary key, started_at real);
create table messages(id integer primary key autoincrement, session_id text, role text, content text,
    tool_call_id text, tool_calls text, tool_name text, timestamp real, reasoning text, reasoning_content text);
insert into messages values(1,'s','user','hi',null,null,null,1000.0,null,null);
insert into messages values(2,'s','assistant','on it',null,
    '[{"id":"c","function":{"name":"bash","arguments":"{\\"x\\":1}"}},{"function":{"name":"ls"}},7]',null,1001.5,'r','plan');
insert into messages values(3,'s','tool','out','c',null,'bash',1000.5,null,null);
insert into messages values(4,'s','system','sys',null,null,null,1002.0,null,null);
insert into messages values(5,'s','assistant','  ',null,'not json',null,null,null,null);
insert into messages values(6,'t',null,'x',null,null,null,1e300,null,null);
insert into messages values(7,'t','user','later',null,null,null,1e300,null,null);
"""


class TestContract(ReaderContract):
    """The suite every reader passes."""

    appends = False

    def reader(self) -> TranscriptReader:
        return make()

    def samples(self) -> dict[str, bytes]:
        with TemporaryDirectory() as folder:
            return {"state.db": database(WRITTEN, Path(folder) / "state.db").read_bytes()}

    def at_home(self) -> str:
        return ".hermes/state.db"


def test_what_the_program_wrote_turn_by_turn(tmp_path: Path) -> None:
    turns, skipped, _ = read(make(), database(WRITTEN, tmp_path / "state.db"))
    assert [f"{turn.turn} {plain(turn)}" for turn in turns] == [
        "1 user text when may we deploy to staging?",
        '2 assistant tool_use:terminal {"command": "cat notes.txt"}',
        '3 tool tool_result:terminal {"output": "Staging deploys are fine on any weekday.", "exit_code": 0, "error": '
        "null}",
        "4 assistant text The note says that staging deploys are fine on any weekday.",
    ]
    assert {(turn.session, turn.cwd) for turn in turns} == {("20261130_232542_5c6092", "/w/app")}
    assert turns[0].ts == "2026-11-30T23:25:45.615Z"
    assert not skipped


def test_an_older_schema_and_odd_rows(tmp_path: Path) -> None:
    turns, skipped, _ = read(make(), database(OLD, tmp_path / "state.db"))
    assert [f"{turn.turn} {plain(turn)}" for turn in turns] == [
        "1 user text hi",
        '2 assistant thinking plan | text on it | tool_use:bash {"x":1} | tool_use:ls {}',
        "3 tool tool_result:bash out",
        "7 user text later",
    ]
    assert [turn.ts for turn in turns] == ["1970-01-01T00:16:40.000Z", "1970-01-01T00:16:41.500Z",
                                           "1970-01-01T00:16:40.500Z", ""]  # fmt: skip
    assert skipped == {"system message": 1, "message without text": 1, "message without a role": 1}


def test_rows_that_came_since_are_read_while_the_program_writes(tmp_path: Path) -> None:
    path = database(OLD, tmp_path / "state.db", wal=True)
    cursor = batches(make(), path)[-1].cursor
    writer = sqlite3.connect(path)
    writer.execute("insert into messages(session_id, role, content) values('s', 'user', 'new')")
    writer.commit()
    later = batches(make(), path, cursor)
    assert [plain(turn) for batch in later for turn in batch.turns] == ["user text new"]
    writer.close()


def test_another_database_in_its_place_is_read_anew(tmp_path: Path) -> None:
    cursor = batches(make(), database(OLD, tmp_path / "old" / "state.db"))[-1].cursor
    later = batches(make(), database(WRITTEN, tmp_path / "state.db"), cursor)
    assert later[0].restarted
    assert len(later[0].turns) == 4


def test_the_log_beside_the_database_is_part_of_its_stamp(tmp_path: Path) -> None:
    path = database(OLD, tmp_path / ".hermes" / "state.db", wal=True)
    (before,) = make().find(tmp_path, {})
    writer = sqlite3.connect(path)
    writer.execute("insert into messages(session_id, role, content) values('s', 'user', 'new')")
    writer.commit()
    (after,) = make().find(tmp_path, {})
    assert before.stamp != after.stamp
    writer.close()


def test_a_broken_database_is_nobodys(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(b"SQLite format 3\x00" + b"\x00" * 5000)
    assert make().claims(path, path.read_bytes()) is None
