"""Finds Gemini CLI's chats and says which turns each of their records holds.

`~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`: a header line, messages, `$set` lines that patch the header
(and may bring messages), `$rewindTo` lines. A message that changes is written again under its id: a call stands there
first without, then with its result. So that what was kept stays true, the words of a message, each of its calls and
each result are turns of their own: `<id>`, `<id>.<call>`, `<id>.<call>.result`. Before (until early 2026) a chat was
one JSON document. Written from files of January 2026 and by version 0.61.0.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, Iterable, Iterator, Mapping

from memoranda.model.problem import Problem
from memoranda.model.turn import Block, Turn
from memoranda.ports.documents import document
from memoranda.ports.protocols import Batch, Source
from memoranda.ports.reading import (
    Versions,
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
    whole,
)
from memoranda_agents.parts import blocks_of, output_of

HARNESS = "gemini"
_HEAD = re.compile(rb'\s*\{\s*"sessionId"\s*:\s*"[^"]*",\s*"projectHash"')
_ROLES = {"user": "user", "gemini": "assistant"}
# What a hook said stands before the words of the person, in the same text.
_HOOK = re.compile(r"\s*<hook_context>.*?</hook_context>\s*", re.DOTALL)
_INJECTED = ("<session_context>", "<hook_context>", "This is the Gemini CLI.")


class GeminiReader:
    """Reads Gemini CLI's chats. See `TranscriptReader` for the promises."""

    harness = HARNESS

    def find(self, home: Path, variables: Mapping[str, str]) -> Iterator[Source]:
        """Every chat below `GEMINI_CLI_HOME`, or else the home folder."""
        for path, found in walk(
            Path(variables.get("GEMINI_CLI_HOME") or home) / ".gemini" / "tmp", (".jsonl", ".json")
        ):
            if "/chats/" in path.replace("\\", "/"):
                yield source(path, found, HARNESS)

    def claims(self, path: Path, head: bytes) -> Source | None:
        """Ours when it begins with the header of a chat."""
        ours = _HEAD.match(head) or any({"sessionId", "projectHash"} <= r.keys() for r in first_records(head, 3))
        return named(path, HARNESS) if ours else None

    def read(self, source: Source, cursor: str | None) -> Iterator[Batch]:
        """Batches of turns from the cursor on. Raises `OSError` when the file cannot be read."""
        if source.path.suffix == ".json":
            return whole(source, cursor, lambda skipped, problems: _document(source, skipped, problems))
        folder = _project(source.path)
        return stream(source, cursor, lambda state: _Parser(source.path, state, folder))


def _project(path: Path) -> str | None:
    """The folder a chat was held in, as the file beside the chats says."""
    try:
        return (path.parents[1] / ".project_root").read_text(encoding="utf-8").strip() or None
    except (OSError, UnicodeDecodeError, IndexError):
        return None


def _document(source: Source, skipped: Counter[str], problems: list[Problem]) -> Iterator[Turn]:
    try:
        chat = document(source.path)
    except ValueError as error:
        problems.append(Problem(source.key, str(error), "it is read again when it changes"))
        return
    parser = _Parser(source.path, {}, _project(source.path))
    parser.skipped = skipped
    messages = chat.pop("messages", None)
    yield from parser.take(chat, "1")
    for n, message in enumerate(messages if isinstance(messages, list) else ()):
        try:
            yield from parser.take(message, f"m{n}")
        except (TypeError, ValueError, KeyError, AttributeError):
            skipped["message of an unknown shape"] += 1


class _Parser:
    """One chat. `session` is what its header says."""

    def __init__(self, path: Path, state: Mapping[str, Any], folder: str | None) -> None:
        self.skipped: Counter[str] = Counter()
        self._stem, self._folder = path.stem, folder
        self._session = string(state.get("session"))
        self._sub = state.get("sub") is True
        self._title = string(state.get("title"))
        self._versions = Versions(state.get("known"))

    def state(self) -> Mapping[str, Any]:
        """What the header said, and which form of which turn was given."""
        return {"session": self._session, "sub": self._sub, "title": self._title, "known": self._versions.known}

    def take(self, record: dict[str, Any], place: str) -> list[Turn]:
        """The turns of one line: a message's, or those of the messages that a patch brings."""
        patch = record.get("$set")
        if isinstance(patch, dict):
            brought = patch.get("messages")
            self._header(patch)
            turns = list[Turn]()
            for n, message in enumerate(brought if isinstance(brought, list) else ()):
                turns += self._message(message, f"{place}.m{n}") if isinstance(message, dict) else []
            return turns
        if "sessionId" in record and "type" not in record:
            self._session = self._session or identifier(record["sessionId"])
            self._sub = self._sub or record.get("kind") == "subagent"
            self._header(record)
            return []
        if "$rewindTo" in record:
            self.skipped["rewind"] += 1
            return []
        return self._message(record, place)

    def _header(self, header: Mapping[str, Any]) -> None:
        self._title = string(header.get("summary")) or self._title
        self.skipped["header"] += 1

    def _message(self, message: Mapping[str, Any], place: str) -> list[Turn]:
        kind = message.get("type")
        role = _ROLES.get(kind) if isinstance(kind, str) else None
        if role is None:
            self.skipped[kind if isinstance(kind, str) and identifier(kind) else "record without a type"] += 1
            return []
        id = identifier(message.get("id")) or f"{self._session or self._stem}-L{place}"
        turns = list(self._turns(id, role, message))
        admitted = [turn for turn in map(self._versions.admit, turns) if turn is not None]
        if not turns:
            self.skipped["message without text"] += 1
        elif not admitted:
            self.skipped["record written again"] += 1
        if admitted and self._title:
            admitted[0], self._title = titled(admitted[0], self._title), None
        return admitted

    def _turns(self, id: str, role: str, message: Mapping[str, Any]) -> Iterator[Turn]:
        ts = utc(message.get("timestamp"))
        content = list(blocks_of(message.get("content"), self.skipped))
        thoughts = [Block("thinking", text) for text in _thoughts(message.get("thoughts"))]
        results = [block for block in content if block.type == "tool_result"]
        said = [*thoughts, *(block for block in content if block.type != "tool_result")]
        if role == "user" and said and (hook := _HOOK.match(said[0].text)):
            yield from self._turn(f"{id}.hook"[:200], role, [Block("text", hook[0])], ts, ("meta",))
            said[0] = Block("text", said[0].text[hook.end() :])
        injected = role == "user" and bool(said) and said[0].text.lstrip().startswith(_INJECTED)
        yield from self._turn(id, role, said, ts, ("meta",) if injected else ())
        if results:  # they stand beside the call, too, and are kept there
            self.skipped["tool result written twice"] += len(results)
        for n, call in enumerate(_dicts(message.get("toolCalls"))):
            name = string(call.get("name"))
            key = identifier(call.get("id")) or f"call{n}"
            used = Block("tool_use", compact(call.get("args") or {}), name, key)
            yield from self._turn(f"{id}.{key}"[:200], role, [used], ts)
            output = "\n".join(_outputs(call.get("result")))
            at = utc(call.get("timestamp")) or ts
            yield from self._turn(f"{id}.{key}.result"[:200], "tool", [Block("tool_result", output, name, key)], at)

    def _turn(
        self, id: str, role: str, blocks: Iterable[Block], ts: str, flags: tuple[str, ...] = ()
    ) -> Iterator[Turn]:
        said = tuple(block for block in blocks if not blank(block.text))
        if said:
            self._session = self._session or identifier(self._stem) or "session"
            flags = (*flags, "sidechain") if self._sub else flags
            yield Turn(self._session, id, role, HARNESS, said, ts, cwd=self._folder, flags=flags)


def _dicts(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _thoughts(value: object) -> Iterator[str]:
    for thought in _dicts(value):
        parts = [string(thought.get("subject")), string(thought.get("description"))]
        yield "\n".join(part for part in parts if part)


def _outputs(result: object) -> Iterator[str]:
    """The texts of a call's result, in order."""
    if isinstance(result, str):
        yield result
    for part in _dicts(result):
        answer = part.get("functionResponse")
        if isinstance(answer, dict):
            yield output_of(answer)
        elif isinstance(part.get("text"), str):
            yield part["text"]
        else:
            yield json.dumps(part, ensure_ascii=False, separators=(",", ":"))
