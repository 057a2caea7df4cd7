"""Finds pi's sessions and says which turn each of their entries is.

`~/.pi/agent/sessions/--<folder>--/<time>_<id>.jsonl`: a `session` line, then entries that form a tree. Every branch
is read, in the order of the file. The turn's id is the entry's; entries of version 1 bring none and take their line's
number. Written from a file of version 3 by pi 1.6.0 and one of April 2026; OpenClaw and Campfire write the same.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, Iterator, Mapping

from memoranda.model.turn import Block, Turn
from memoranda.ports.protocols import Batch, Source
from memoranda.ports.reading import (
    blank,
    compact,
    data_uri,
    first_records,
    identifier,
    named,
    source,
    stream,
    string,
    titled,
    utc,
    walk,
)

HARNESS = "pi"
_ROLES = {"toolResult": "tool", "bashExecution": "tool"}
_OWN_TYPES = ("model_change", "thinking_level_change", "branch_summary", "session_info")


class PiReader:
    """Reads pi's sessions. See `TranscriptReader` for the promises."""

    harness = HARNESS

    def find(self, home: Path, variables: Mapping[str, str]) -> Iterator[Source]:
        """Every session below `PI_CODING_AGENT_DIR`, or else ~/.pi/agent."""
        moved = variables.get("PI_CODING_AGENT_DIR")
        for path, found in walk((Path(moved) if moved else home / ".pi" / "agent") / "sessions"):
            yield source(path, found, HARNESS)

    def claims(self, path: Path, head: bytes) -> Source | None:
        """Ours when it begins with a session line, or holds entries only pi writes."""
        records = first_records(head, 5)
        ours = any(_is_head(record) or record.get("type") in _OWN_TYPES for record in records)
        return named(path, HARNESS) if ours or any(map(_is_message, records)) else None

    def read(self, source: Source, cursor: str | None) -> Iterator[Batch]:
        """Batches of turns from the cursor on. Raises `OSError` when the file cannot be read."""
        return stream(source, cursor, lambda state: _Parser(source.path, state))


def _is_head(record: Mapping[str, Any]) -> bool:
    return record.get("type") == "session" and "cwd" in record and "harness" not in record


def _is_message(record: Mapping[str, Any]) -> bool:
    message = record.get("message")
    return record.get("type") == "message" and isinstance(message, dict) and {"id", "parentId"} <= record.keys()


class _Parser:
    """One session, named by its file: a copied or forked session repeats the ids of its parent, not its name."""

    def __init__(self, path: Path, state: Mapping[str, Any]) -> None:
        self.skipped: Counter[str] = Counter()
        self._session = identifier(path.stem) or "session"
        self._cwd, self._title = string(state.get("cwd")), string(state.get("title"))
        self._parent = string(state.get("parent"))

    def state(self) -> Mapping[str, Any]:
        """What the session line said, and a title that no turn bears yet."""
        return {"cwd": self._cwd, "title": self._title, "parent": self._parent}

    def take(self, record: dict[str, Any], place: str) -> Turn | None:
        """The turn of a message, a compaction or a message of an extension; everything else is counted by its type."""
        kind, message = record.get("type"), record.get("message")
        if kind == "session":
            self._cwd = string(record.get("cwd")) or self._cwd
            above = string(record.get("parentSession"))
            self._parent = identifier(Path(above).stem) if above else self._parent
        elif kind == "session_info":
            self._title = string(record.get("name")) or self._title
        elif kind == "message" and isinstance(message, dict):
            return self._message(record, message, place)
        elif kind in ("compaction", "branch_summary"):
            text = string(record.get("summary"))
            return self._turn(record, "user", [Block("text", text)] if text else [], place, ("summary",))
        elif kind == "custom_message":
            return self._turn(record, "user", list(_texts(record.get("content"))), place, ("meta",))
        self.skipped[kind if isinstance(kind, str) and identifier(kind) else "record without a type"] += 1
        return None

    def _message(self, record: Mapping[str, Any], message: Mapping[str, Any], place: str) -> Turn | None:
        role = string(message.get("role")) or "user"
        if role == "system":
            self.skipped["system prompt"] += 1
            return None
        if role == "toolResult":
            text = "\n".join(block.text for block in _texts(message.get("content")))
            name, call = string(message.get("toolName")), string(message.get("toolCallId"))
            return self._turn(record, "tool", [Block("tool_result", text, name, call)], place)
        if role == "bashExecution":
            command, output = string(message.get("command")) or "", string(message.get("output")) or ""
            ran = [Block("tool_use", compact({"command": command}), "bash"), Block("tool_result", output, "bash")]
            return self._turn(record, "user", ran, place)
        return self._turn(record, _ROLES.get(role, role), list(_texts(message.get("content"))), place)

    def _turn(
        self, record: Mapping[str, Any], role: str, blocks: list[Block], place: str, flags: tuple[str, ...] = ()
    ) -> Turn | None:
        said = tuple(block for block in blocks if not blank(block.text))
        if not said:
            self.skipped["message without text"] += 1
            return None
        title, self._title = self._title, None
        turn = Turn(
            session=self._session,
            turn=identifier(record.get("id")) or f"{self._session}-L{place}",
            role=role,
            harness=HARNESS,
            blocks=said,
            ts=utc(record.get("timestamp")),
            cwd=self._cwd,
            parent=identifier(record.get("parentId")),
            parent_session=self._parent if self._parent != self._session else None,
            flags=flags,
        )
        return titled(turn, title)


def _texts(content: object) -> Iterator[Block]:
    """The blocks of a message's content: a string, or a list of parts."""
    if isinstance(content, str):
        yield Block("text", content)
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict):
            continue
        kind = part.get("type")
        if kind == "toolCall":
            given = part.get("arguments")
            name, call = string(part.get("name")), string(part.get("id"))
            yield Block("tool_use", compact({} if given is None else given), name, call)
        elif kind == "thinking" and isinstance(part.get("thinking"), str):
            yield Block("thinking", part["thinking"])
        elif kind == "text" and isinstance(part.get("text"), str):
            yield Block("text", part["text"])
        elif kind == "image":
            yield Block("text", data_uri(part.get("mimeType"), part.get("data")))
