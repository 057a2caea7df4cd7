"""Finds Qwen Code's chats and says which turn each of their records is.

`~/.qwen/projects/<folder>/chats/<session>.jsonl`: one record a line with an id of its own; the message is in Google's
parts. Written from a file by version 0.24.4.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, Iterator, Mapping

from memoranda.model.turn import Turn
from memoranda.ports.protocols import Batch, Source
from memoranda.ports.reading import (
    blank,
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
from memoranda_agents.parts import blocks_of

HARNESS = "qwen"
_ROLES = {"user": "user", "assistant": "assistant", "tool_result": "tool"}


class QwenReader:
    """Reads Qwen Code's chats. See `TranscriptReader` for the promises."""

    harness = HARNESS

    def find(self, home: Path, variables: Mapping[str, str]) -> Iterator[Source]:
        """Every chat below `QWEN_HOME`, or else ~/.qwen."""
        for path, found in walk(Path(variables.get("QWEN_HOME") or home / ".qwen") / "projects"):
            if "/chats/" in path.replace("\\", "/"):
                yield source(path, found, HARNESS)

    def claims(self, path: Path, head: bytes) -> Source | None:
        """Ours when a first record has the envelope with where it came from."""
        return named(path, HARNESS) if any(map(_ours, first_records(head))) else None

    def read(self, source: Source, cursor: str | None) -> Iterator[Batch]:
        """Batches of turns from the cursor on. Raises `OSError` when the file cannot be read."""
        return stream(source, cursor, lambda state: _Parser(source.path, state))


def _ours(record: Mapping[str, Any]) -> bool:
    message = record.get("message")
    parts = isinstance(message, dict) and isinstance(message.get("parts"), list)
    return {"uuid", "parentUuid", "sessionId"} <= record.keys() and (parts or "systemPayload" in record)


class _Parser:
    """One chat, named by its file."""

    def __init__(self, path: Path, state: Mapping[str, Any]) -> None:
        self.skipped: Counter[str] = Counter()
        self._session = identifier(path.stem) or "session"
        self._title = string(state.get("title"))

    def state(self) -> Mapping[str, Any]:
        """A title that no turn bears yet."""
        return {"title": self._title}

    def take(self, record: dict[str, Any], place: str) -> Turn | None:
        """The turn of a message; what the program notes for itself is counted by its kind."""
        kind, message = record.get("type"), record.get("message")
        role = _ROLES.get(kind) if isinstance(kind, str) else None
        if role is None or not isinstance(message, dict):
            self._note(record)
            return None
        blocks = tuple(b for b in blocks_of(message.get("parts"), self.skipped) if not blank(b.text))
        if not blocks:
            self.skipped["message without text"] += 1
            return None
        flags = ("meta",) if role == "user" and record.get("provenance") == "system" else ()
        stated = identifier(record.get("sessionId"))
        turn = Turn(
            session=self._session,
            turn=identifier(record.get("uuid")) or f"{self._session}-L{place}",
            role=role,
            harness=HARNESS,
            blocks=blocks,
            ts=utc(record.get("timestamp")),
            cwd=string(record.get("cwd")),
            branch=string(record.get("gitBranch")),
            parent=identifier(record.get("parentUuid")),
            parent_session=stated if stated != self._session else None,
            flags=flags,
        )
        title, self._title = self._title, None
        return titled(turn, title)

    def _note(self, record: Mapping[str, Any]) -> None:
        kind, payload = record.get("subtype") or record.get("type"), record.get("systemPayload")
        if kind == "custom_title" and isinstance(payload, dict):
            self._title = string(payload.get("customTitle")) or string(payload.get("title")) or self._title
        self.skipped[kind if isinstance(kind, str) and identifier(kind) else "record without a type"] += 1
