"""Finds GitHub Copilot CLI's event logs and says which turn each event is.

`~/.copilot/session-state/<session>/events.jsonl`: `{type, data, id, timestamp, parentId}`. What a person wrote is
`content`; `transformedContent` repeats it with injected text and is left out. Written from a log by version 1.0.102.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, Iterator, Mapping

from memoranda.model.turn import Block, Turn
from memoranda.ports.protocols import Batch, Source
from memoranda.ports.reading import (
    Calls,
    blank,
    compact,
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

HARNESS = "copilot"


class CopilotReader:
    """Reads Copilot CLI's event logs. See `TranscriptReader` for the promises."""

    harness = HARNESS

    def find(self, home: Path, variables: Mapping[str, str]) -> Iterator[Source]:
        """Every session's events below `COPILOT_HOME`, or else ~/.copilot."""
        for path, found in walk(Path(variables.get("COPILOT_HOME") or home / ".copilot") / "session-state"):
            if Path(path).name == "events.jsonl":
                yield source(path, found, HARNESS)

    def claims(self, path: Path, head: bytes) -> Source | None:
        """Ours when one of the first records is an event."""
        return named(path, HARNESS) if any(map(_ours, first_records(head))) else None

    def read(self, source: Source, cursor: str | None) -> Iterator[Batch]:
        """Batches of turns from the cursor on. Raises `OSError` when the file cannot be read."""
        return stream(source, cursor, lambda state: _Parser(source.path, state))


def _ours(record: Mapping[str, Any]) -> bool:
    kind = record.get("type")
    return isinstance(kind, str) and "." in kind and {"data", "id", "parentId"} <= record.keys()


class _Parser:
    """One session, named by its first event, or else by its folder."""

    def __init__(self, path: Path, state: Mapping[str, Any]) -> None:
        self.skipped: Counter[str] = Counter()
        self._place = identifier(path.parent.name if path.stem == "events" else path.stem) or "session"
        self._session = string(state.get("session"))
        self._cwd, self._branch = string(state.get("cwd")), string(state.get("branch"))
        self._title = string(state.get("title"))
        self._calls = Calls(state.get("calls"))

    def state(self) -> Mapping[str, Any]:
        """What the start said, and the latest tool calls."""
        return {
            "session": self._session,
            "cwd": self._cwd,
            "branch": self._branch,
            "title": self._title,
            "calls": self._calls.names,
        }

    def take(self, record: dict[str, Any], place: str) -> Turn | None:
        """The turn of one event; events that say nothing are counted by their type."""
        kind, data = record.get("type"), record.get("data")
        data = data if isinstance(data, dict) else {}
        if kind in ("session.start", "session.resume"):
            self._start(data)
        elif kind == "session.title_changed":
            self._title = string(data.get("title")) or self._title
        elif kind == "user.message":
            return self._turn(record, "user", [_text(data)], place, ("meta",) if data.get("source") else ())
        elif kind == "assistant.message":
            return self._turn(record, "assistant", self._answer(data), place)
        elif kind == "tool.execution_complete":
            return self._turn(record, "tool", [self._result(data)], place)
        elif kind == "session.compaction_complete":
            return self._turn(record, "user", [_text({"content": data.get("summaryContent")})], place, ("summary",))
        self.skipped[kind if isinstance(kind, str) and identifier(kind) else "record without a type"] += 1
        return None

    def _start(self, data: Mapping[str, Any]) -> None:
        context = data.get("context")
        context = context if isinstance(context, dict) else {}
        self._session = self._session or identifier(data.get("sessionId"))
        self._cwd = string(context.get("cwd")) or self._cwd
        self._branch = string(context.get("branch")) or self._branch

    def _answer(self, data: Mapping[str, Any]) -> list[Block]:
        thought = string(data.get("reasoningText"))
        blocks = [Block("thinking", thought)] if thought else []
        blocks.append(_text(data))
        asked = data.get("toolRequests")
        for call in asked if isinstance(asked, list) else ():
            if isinstance(call, dict):
                id, name, given = string(call.get("toolCallId")), string(call.get("name")), call.get("arguments")
                self._calls.add(id, name)
                text = given if isinstance(given, str) else compact({} if given is None else given)
                blocks.append(Block("tool_use", text, name, id))
        return blocks

    def _result(self, data: Mapping[str, Any]) -> Block:
        call, result, error = string(data.get("toolCallId")), data.get("result"), data.get("error")
        found = result.get("content") if isinstance(result, dict) else None
        if found is None and isinstance(error, dict):
            found = error.get("message")
        text = found if isinstance(found, str) else "" if found is None else compact(found)
        return Block("tool_result", text, self._calls.names.get(call or ""), call)

    def _turn(
        self, record: Mapping[str, Any], role: str, blocks: list[Block], place: str, flags: tuple[str, ...] = ()
    ) -> Turn | None:
        said = tuple(block for block in blocks if not blank(block.text))
        if not said:
            self.skipped["event without text"] += 1
            return None
        self._session = self._session or self._place
        title, self._title = self._title, None
        turn = Turn(
            session=self._session,
            turn=identifier(record.get("id")) or f"{self._session}-L{place}",
            role=role,
            harness=HARNESS,
            blocks=said,
            ts=utc(record.get("timestamp")),
            cwd=self._cwd,
            branch=self._branch,
            parent=identifier(record.get("parentId")),
            flags=flags,
        )
        return titled(turn, title)


def _text(data: Mapping[str, Any]) -> Block:
    return Block("text", string(data.get("content")) or "")
