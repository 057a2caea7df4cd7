"""Reads OpenCode's database: a message with its parts is a turn.

`~/.local/share/opencode/opencode.db` (`XDG_DATA_HOME` moves it). A message grows while it is answered, so one is taken
when it is finished: it says so, or a later one of its session stands there, or a day has passed by the database's own
times. Written from a database by version 1.18.33.
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

HARNESS = "opencode"
_ABANDONED_MS = 86_400_000
_SESSION = ("parent_id", "directory", "title")
Place = tuple[int, str]


class OpenCodeReader:
    """Reads OpenCode's database. See `TranscriptReader` for the promises."""

    harness = HARNESS

    def find(self, home: Path, variables: Mapping[str, str]) -> Iterator[Source]:
        """The database below `XDG_DATA_HOME`, or else ~/.local/share."""
        data = Path(variables.get("XDG_DATA_HOME") or home / ".local" / "share")
        source = found(data / "opencode" / "opencode.db", HARNESS)
        if source is not None:
            yield source

    def claims(self, path: Path, head: bytes) -> Source | None:
        """Ours when it is a database with the tables that OpenCode keeps."""
        if not head.startswith(MAGIC):
            return None
        try:
            with opened(path) as database:
                ours = {"message_id", "data"} <= columns(database, "part") and "data" in columns(database, "message")
        except OSError:
            return None
        return found(path, HARNESS) if ours else None

    def read(self, source: Source, cursor: str | None) -> Iterator[Batch]:
        """Batches of turns after the last message that was read. Raises `OSError` when it cannot be read."""
        with opened(source.path) as database:
            reading = _Reading(database)
            at, restarted = reading.resume(cursor)
            while True:
                turns, end, mark = reading.after(at)
                yield Batch(turns, json.dumps({"v": 1, "at": mark}), 0, dict(reading.skipped), (), restarted)
                reading.skipped.clear()
                if end == at:
                    return
                at, restarted = end, False


class _Reading:
    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self.skipped: Counter[str] = Counter()
        self._session = select(database, "session", _SESSION)
        self._sessions: dict[str, tuple[Any, ...]] = {}
        self._newest = database.execute("select max(time_created) from message").fetchone()[0] or 0
        self._held: Place | None = None  # before the first message that is not finished: where the next read begins

    def resume(self, cursor: str | None) -> tuple[Place, bool]:
        """The place to go on after, and whether the database is another than the cursor remembers."""
        try:
            time, id = json.loads(cursor or "{}")["at"]
            place = (int(time), str(id))
        except (ValueError, KeyError, TypeError):
            return (0, ""), False
        known = "select 1 from message where time_created = ? and id = ?"
        if place == (0, "") or self._database.execute(known, place).fetchone():
            return place, False
        return (0, ""), True

    def after(self, at: Place) -> tuple[list[Turn], Place, Place]:
        """The turns of the next messages, the last message looked at, and the place for the cursor."""
        rows = self._database.execute(
            "select id, session_id, time_created, data from message where (time_created, id) > (?, ?) "
            "order by time_created, id limit ?",
            (*at, BATCH_TURNS),
        ).fetchall()
        turns = []
        for id, session, time, data in rows:
            message = _object(data)
            if not self._finished(id, session, time, message):
                self._held = self._held or at
                self.skipped["unfinished message"] += 1
            else:
                turn = self._turn(id, session, time, message)
                if turn is not None:
                    turns.append(turn)
            at = (time, id)
        return turns, at, self._held or at

    def _finished(self, id: str, session: str, time: int, message: Mapping[str, Any]) -> bool:
        times = message.get("time")
        done = isinstance(times, dict) and "completed" in times
        if done or message.get("error") or time < self._newest - _ABANDONED_MS:
            return True
        later = "select 1 from message where session_id = ? and (time_created, id) > (?, ?) limit 1"
        return self._database.execute(later, (session, time, id)).fetchone() is not None

    def _turn(self, id: str, session: str, time: int, message: Mapping[str, Any]) -> Turn | None:
        role = string(message.get("role"))
        parts = [_object(row[0]) for row in self._database.execute(
            "select data from part where message_id = ? order by time_created, id", (id,))]  # fmt: skip
        blocks = tuple(block for part in parts for block in self._blocks(part) if not blank(block.text))
        if not (identifier(id) and identifier(session) and role and blocks):
            self.skipped["message without text"] += 1
            return None
        first = session not in self._sessions
        parent, folder, title = self._about(session)
        path = message.get("path")
        flags = ("summary",) if message.get("summary") is True else ()
        if role == "user" and all(p.get("synthetic") is True for p in parts if p.get("type") == "text"):
            flags = (*flags, "meta")
        turn = Turn(
            session=session,
            turn=id,
            role=role,
            harness=HARNESS,
            blocks=blocks,
            ts=utc(time),
            cwd=string(path.get("cwd") if isinstance(path, dict) else None) or string(folder),
            parent=identifier(message.get("parentID")),
            parent_session=identifier(parent),
            flags=(*flags, "sidechain") if parent else flags,
        )
        return titled(turn, string(title)) if first else turn

    def _about(self, session: str) -> tuple[Any, ...]:
        if session not in self._sessions:
            row = self._database.execute(f"select {self._session} from session where id = ?", (session,)).fetchone()
            self._sessions[session] = row or (None,) * len(_SESSION)
        return self._sessions[session]

    def _blocks(self, part: Mapping[str, Any]) -> Iterator[Block]:
        kind = part.get("type")
        if kind == "text" and isinstance(part.get("text"), str):
            yield Block("text", part["text"])
        elif kind == "reasoning" and isinstance(part.get("text"), str):
            yield Block("thinking", part["text"])
        elif kind == "tool":
            state = part.get("state")
            state = state if isinstance(state, dict) else {}
            name, call = string(part.get("tool")), string(part.get("callID"))
            yield Block("tool_use", compact(state.get("input") or {}), name, call)
            yield Block("tool_result", string(state.get("output")) or string(state.get("error")) or "", name, call)
        elif kind == "file":
            yield Block("text", string(part.get("url")) or string(part.get("filename")) or "")
        else:
            self.skipped[f"{kind} part" if isinstance(kind, str) and identifier(kind) else "part without a type"] += 1


def _object(text: object) -> dict[str, Any]:
    try:
        value = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {}
