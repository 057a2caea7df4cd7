"""Reads Hermes' database: a row of `messages` is a turn.

`~/.hermes/state.db` (`HERMES_HOME` moves it). Rows are read in the order of their ids, whatever the clock said, active
or not; `content` is what was said, `api_content` what was sent and left out. Columns that a version lacks are empty.
Written from a database by version 0.19.0 and the schema of version 11.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any, Iterator, Mapping

from memoranda.model.turn import Block, Turn
from memoranda.ports.protocols import Batch, Source
from memoranda.ports.reading import BATCH_TURNS, blank, compact, identifier, string, titled, utc
from memoranda_agents.database import MAGIC, columns, found, opened, select

HARNESS = "hermes"
_MESSAGE = ("id", "session_id", "role", "content", "tool_call_id", "tool_calls", "tool_name", "timestamp",
            "reasoning", "reasoning_content", "compacted")  # fmt: skip
_SESSION = ("cwd", "git_branch", "parent_session_id", "title")


class HermesReader:
    """Reads Hermes' database. See `TranscriptReader` for the promises."""

    harness = HARNESS

    def find(self, home: Path, variables: Mapping[str, str]) -> Iterator[Source]:
        """The database below `HERMES_HOME`, or else ~/.hermes."""
        source = found(Path(variables.get("HERMES_HOME") or home / ".hermes") / "state.db", HARNESS)
        if source is not None:
            yield source

    def claims(self, path: Path, head: bytes) -> Source | None:
        """Ours when it is a database with the tables that Hermes keeps."""
        if not head.startswith(MAGIC):
            return None
        try:
            with opened(path) as database:
                ours = {"session_id", "role", "content", "tool_calls"} <= columns(database, "messages")
        except OSError:
            return None
        return found(path, HARNESS) if ours else None

    def read(self, source: Source, cursor: str | None) -> Iterator[Batch]:
        """Batches of turns after the last row that was read. Raises `OSError` when the database cannot be read."""
        with opened(source.path) as database:
            reading = _Reading(database)
            last, restarted = reading.resume(cursor)
            while True:
                turns, end = reading.after(last)
                yield Batch(turns, reading.cursor(end), 0, dict(reading.skipped), (), restarted)
                reading.skipped.clear()
                if end == last:
                    return
                last, restarted = end, False


class _Reading:
    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self.skipped: Counter[str] = Counter()
        self._message = select(database, "messages", _MESSAGE)
        known = columns(database, "sessions")
        self._session = select(database, "sessions", _SESSION) if "id" in known else ""
        self._sessions: dict[str, tuple[Any, ...]] = {}

    def cursor(self, last: int) -> str:
        return json.dumps({"v": 1, "last": last, "row": self._row(last)}, separators=(",", ":"))

    def resume(self, cursor: str | None) -> tuple[int, bool]:
        """The row to go on after, and whether the database is another than the cursor remembers."""
        try:
            value = json.loads(cursor or "{}")
            last, row = int(value["last"]), value["row"]
        except (ValueError, KeyError, TypeError):
            return 0, False
        return (last, False) if self._row(last) == row else (0, True)

    def _row(self, id: int) -> list[Any]:
        row = self._database.execute("select session_id, timestamp from messages where id = ?", (id,)).fetchone()
        return [str(value) for value in row or ()]

    def after(self, last: int) -> tuple[list[Turn], int]:
        """The turns of the next rows, and the id of the last row looked at."""
        rows = self._database.execute(
            f"select {self._message} from messages where id > ? order by id limit ?", (last, BATCH_TURNS)
        )
        turns = []
        for values in rows:
            row = dict(zip(_MESSAGE, values, strict=True))
            last = row["id"]
            turn = self._turn(row)
            if turn is not None:
                turns.append(turn)
        return turns, last

    def _turn(self, row: Mapping[str, Any]) -> Turn | None:
        session = identifier(row["session_id"])
        role = row["role"]
        if session is None or role not in ("user", "assistant", "tool"):
            self.skipped[f"{role} message" if identifier(role) else "message without a role"] += 1
            return None
        blocks = tuple(block for block in _blocks(row) if not blank(block.text))
        if not blocks:
            self.skipped["message without text"] += 1
            return None
        first = session not in self._sessions
        cwd, branch, parent, title = self._about(session)
        at = row["timestamp"]
        turn = Turn(
            session=session,
            turn=str(row["id"]),
            role=role,
            harness=HARNESS,
            blocks=blocks,
            ts=utc(at * 1000) if isinstance(at, (int, float)) else "",
            cwd=string(cwd),
            branch=string(branch),
            parent_session=identifier(parent),
        )
        return titled(turn, string(title)) if first else turn

    def _about(self, session: str) -> tuple[Any, ...]:
        if session not in self._sessions:
            row = None
            if self._session:
                row = self._database.execute(
                    f"select {self._session} from sessions where id = ?", (session,)
                ).fetchone()
            self._sessions[session] = row or (None,) * len(_SESSION)
        return self._sessions[session]


def _blocks(row: Mapping[str, Any]) -> Iterator[Block]:
    text = row["content"] if isinstance(row["content"], str) else ""
    if row["role"] == "tool":
        yield Block("tool_result", text, string(row["tool_name"]), string(row["tool_call_id"]))
        return
    if row["role"] == "assistant":
        yield Block("thinking", string(row["reasoning_content"]) or string(row["reasoning"]) or "")
    yield Block("text", text)
    try:
        calls = json.loads(row["tool_calls"] or "[]")
    except (ValueError, TypeError, RecursionError):
        calls = []
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            given = function.get("arguments")
            words = given if isinstance(given, str) else compact({} if given is None else given)
            yield Block("tool_use", words, string(function.get("name")), string(call.get("id")))
