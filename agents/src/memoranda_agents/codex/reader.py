"""Finds Codex's rollouts and says which turn each of their lines is.

`<root>/sessions/YYYY/MM/DD/rollout-<time>-<uuid>.jsonl`, old ones in `archived_sessions/`, which some versions compress
to `.jsonl.zst`: the same history under the same key. A line is an envelope
`{timestamp, type, payload}`; before that (mid 2025) it was the bare item, after one bare line with the session's id.
Everything said stands in `response_item`; `event_msg` says it again for the screen and is counted, not kept.

Items bring no ids of their own, so a turn is `<session>-<line number>`: it stays the same when a later version of
this reader understands more kinds of items, and it names the line to look at.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any, Iterator, Mapping

from memoranda.model.problem import Problem
from memoranda.model.turn import Turn
from memoranda.model.values import replace
from memoranda.ports.protocols import Batch, Source
from memoranda.ports.reading import Calls, first_records, identifier, named, packed, source, stream, string, utc, walk
from memoranda_agents.codex.items import ITEMS, Said, summary_of
from memoranda_agents.zstd import unpacker

HARNESS = "codex"
_PACKED = ".jsonl.zst"


class CodexReader:
    """Reads Codex's rollouts. See `TranscriptReader` for the promises."""

    harness = HARNESS

    def find(self, home: Path, variables: Mapping[str, str]) -> Iterator[Source]:
        """Every rollout, archived ones too, below `CODEX_HOME`, or else ~/.codex."""
        root = Path(variables.get("CODEX_HOME") or home / ".codex")
        for folder in ("sessions", "archived_sessions"):
            for path, found in walk(root / folder, (".jsonl", _PACKED)):
                if not path.endswith(_PACKED):
                    yield source(path, found, HARNESS)
                elif not os.path.exists(plain := _unpacked(path)):
                    yield replace(source(path, found, HARNESS), key=plain)

    def claims(self, path: Path, head: bytes) -> Source | None:
        """Ours when one of the first lines has the envelope, or is the bare head of an old rollout."""
        if path.name.endswith(_PACKED):
            found = named(path, HARNESS)
            return replace(found, key=_unpacked(found.key)) if found else None
        return named(path, HARNESS) if any(_ours(record) for record in first_records(head)) else None

    def read(self, source: Source, cursor: str | None) -> Iterator[Batch]:
        """Batches of turns from the cursor on. Raises `OSError` when the file cannot be read."""
        if not source.path.name.endswith(_PACKED):
            return stream(source, cursor, lambda state: _Parser(source.path, state))
        unpack = unpacker()
        if unpack is None:
            flaw = Problem(str(source.path), "compressed rollout, not read", 'pip install "memoranda-agents[zstd]"')
            return iter([Batch((), "packed", skipped={"compressed file": 1}, problems=(flaw,))])
        return packed(source, cursor, _Parser(Path(_unpacked(str(source.path))), {}), unpack)


def _unpacked(path: str) -> str:
    """The name that a compressed rollout had."""
    return path.removesuffix(_PACKED) + ".jsonl"


def _ours(record: Mapping[str, Any]) -> bool:
    if record.get("type") in ("session_meta", "response_item", "turn_context", "event_msg"):
        return isinstance(record.get("payload"), dict)
    return _is_old_head(record)


def _is_old_head(record: Mapping[str, Any]) -> bool:
    return (
        "type" not in record and {"id", "timestamp"} <= record.keys() and bool({"instructions", "git"} & record.keys())
    )


class _Parser:
    """One rollout. What the first `session_meta` says holds for the file: a fork repeats its parent's after it."""

    def __init__(self, path: Path, state: Mapping[str, Any]) -> None:
        self.skipped: Counter[str] = Counter()
        self._stem = path.stem
        self._calls = Calls(state.get("calls"))
        self._session = string(state.get("session"))
        self._cwd, self._branch = string(state.get("cwd")), string(state.get("branch"))
        self._parent, self._sub_agent = string(state.get("parent")), state.get("sub_agent") is True

    def state(self) -> Mapping[str, Any]:
        """What `session_meta` and the last `turn_context` said, and the latest tool calls."""
        return {
            "session": self._session,
            "cwd": self._cwd,
            "branch": self._branch,
            "parent": self._parent,
            "sub_agent": self._sub_agent,
            "calls": self._calls.names,
        }

    def take(self, record: dict[str, Any], place: str) -> Turn | None:
        """The turn of one line, enveloped or bare."""
        kind, payload = record.get("type"), record.get("payload")
        if isinstance(payload, dict):
            if kind == "session_meta":
                self._meta(payload)
            elif kind == "turn_context":
                self._cwd = string(payload.get("cwd")) or self._cwd
            elif kind == "response_item":
                return self._item(payload, record, place)
            elif kind == "compacted":
                return self._said(summary_of(payload), record, place)
        elif _is_old_head(record):
            self._meta(record)
            kind = "session_meta"
        elif kind in ITEMS:
            return self._item(record, record, place)
        self._skip(kind or record.get("record_type"))
        return None

    def _item(self, item: Mapping[str, Any], record: Mapping[str, Any], place: str) -> Turn | None:
        kind = item.get("type")
        read = ITEMS.get(kind) if isinstance(kind, str) else None
        if read is None:
            self._skip(kind)
            return None
        return self._said(read(item, self._calls), record, place)

    def _said(self, said: Said | None, record: Mapping[str, Any], place: str) -> Turn | None:
        if said is None or not said.blocks:
            self.skipped["item without text"] += 1
            return None
        if self._session is None:
            self._session = identifier(self._stem) or "session"
        flags = (*said.flags, "sidechain") if self._sub_agent else said.flags
        return Turn(
            session=self._session,
            turn=f"{self._session}-{place}",
            role=said.role,
            harness=HARNESS,
            blocks=said.blocks,
            ts=utc(record.get("timestamp")),
            cwd=self._cwd,
            branch=self._branch,
            parent_session=self._parent if self._parent != self._session else None,
            flags=flags,
        )

    def _meta(self, meta: Mapping[str, Any]) -> None:
        session = identifier(meta.get("id"))
        if self._session is not None or session is None:
            return
        self._session = session
        self._cwd = string(meta.get("cwd"))
        git, origin = meta.get("git"), meta.get("source")
        self._branch = string(git.get("branch")) if isinstance(git, dict) else None
        self._sub_agent = isinstance(origin, dict) and "subagent" in origin
        self._parent = identifier(meta.get("forked_from_id")) or _spawner(origin)

    def _skip(self, kind: object) -> None:
        self.skipped[kind if isinstance(kind, str) and identifier(kind) else "record without a type"] += 1


def _spawner(origin: object) -> str | None:
    """The thread that started this one, wherever below `source` it is named."""
    if not isinstance(origin, dict):
        return None
    for key, value in origin.items():
        found = identifier(value) if key == "parent_thread_id" else _spawner(value)
        if found:
            return found
    return None
