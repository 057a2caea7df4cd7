"""Finds Claude Code's histories and says which turn each of their records is.

`<root>/projects/<munged folder>/<session>.jsonl`, sub-agents in `<session>/subagents/agent-<id>.jsonl` (older
versions: beside the session). The vendor calls the format internal: any record may be odd, and unknown ones are
counted by type, never fatal. Written from files of versions 2.0.64 to 2.1.42 and the records of 2.1.332.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path
from typing import Any, Iterator, Mapping

from memoranda.model.turn import Turn
from memoranda.ports.protocols import Batch, Source
from memoranda.ports.reading import Calls, first_records, identifier, named, source, stream, string, titled, utc, walk
from memoranda_agents.claude.blocks import blocks_of

HARNESS = "claude"

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_OWN_TYPES = frozenset(
    {"summary", "file-history-snapshot", "queue-operation", "last-prompt", "custom-title", "ai-title"}
)
# Records that give a session its title, best first, each with the key it stands under. A `summary` names a message
# and may speak of another session: it counts when the message is the last of this one.
_TITLES = {"custom-title": "customTitle", "agent-name": "agentName", "ai-title": "aiTitle", "summary": "summary"}
_RANKS = {kind: rank for rank, kind in enumerate(_TITLES)}
_FLAGS = (("isMeta", "meta"), ("isCompactSummary", "summary"), ("isSidechain", "sidechain"))


class ClaudeReader:
    """Reads Claude Code's histories. See `TranscriptReader` for the promises."""

    harness = HARNESS

    def find(self, home: Path, variables: Mapping[str, str]) -> Iterator[Source]:
        """Every history below `CLAUDE_CONFIG_DIR`, or else below ~/.claude and ~/.config/claude."""
        moved = variables.get("CLAUDE_CONFIG_DIR")
        roots = [Path(moved)] if moved else [home / ".claude", home / ".config" / "claude"]
        for root in roots:
            for path, found in walk(root / "projects"):
                yield source(path, found, HARNESS, _priority(path))

    def claims(self, path: Path, head: bytes) -> Source | None:
        """Ours when one of the first records has the envelope of a message, or a type only we know."""
        if any(_ours(record) for record in first_records(head)):
            return named(path, HARNESS, _priority(str(path)))
        return None

    def read(self, source: Source, cursor: str | None) -> Iterator[Batch]:
        """Batches of turns from the cursor on. Raises `OSError` when the file cannot be read."""
        return stream(source, cursor, lambda state: _Parser(source.path, state))


def _priority(path: str) -> int:
    return 1 if os.path.basename(path).startswith("agent-") else 0


def _ours(record: Mapping[str, Any]) -> bool:
    kind = record.get("type")
    if "provenance" in record:  # Qwen Code's, whose envelope is like ours
        return False
    if kind in ("user", "assistant"):
        return isinstance(record.get("message"), dict) and ("sessionId" in record or "parentUuid" in record)
    return kind in _OWN_TYPES or (isinstance(kind, str) and "sessionId" in record)


class _Parser:
    """One history. `session` is settled by the file's name, or by its first record that is a message."""

    def __init__(self, path: Path, state: Mapping[str, Any]) -> None:
        self.skipped: Counter[str] = Counter()
        self._stem = path.stem
        self._folder = path.parent.parent.name if path.parent.name == "subagents" else None
        self._session = string(state.get("session")) or _session_of(self._stem)
        self._calls = Calls(state.get("calls"))
        self._title, self._rank = string(state.get("title")), state.get("rank", len(_TITLES))
        self._last = string(state.get("last"))

    def state(self) -> Mapping[str, Any]:
        """The session, the latest tool calls, a title no turn bears yet and the rank of the best, the last id."""
        return {
            "session": self._session,
            "calls": self._calls.names,
            "title": self._title,
            "rank": self._rank,
            "last": self._last,
        }

    def take(self, record: dict[str, Any], place: str) -> Turn | None:
        """The turn of a user or assistant record; everything else is counted by its type."""
        kind = record.get("type")
        message = record.get("message")
        if kind not in ("user", "assistant") or not isinstance(message, dict):
            if isinstance(kind, str) and kind in _TITLES:
                self._entitle(kind, record)
            self.skipped[kind if isinstance(kind, str) and identifier(kind) else "record without a type"] += 1
            return None
        stated = identifier(record.get("sessionId"))
        if self._session is None:
            self._session = stated or identifier(self._stem) or "session"
        blocks = blocks_of(message.get("content"), self._calls, self.skipped)
        if not blocks:
            self.skipped["message without text"] += 1
            return None
        parent = self._folder or stated
        turn = Turn(
            session=self._session,
            turn=identifier(record.get("uuid")) or f"{self._session}-L{place}",
            role=string(message.get("role")) or kind,
            harness=HARNESS,
            blocks=blocks,
            ts=utc(record.get("timestamp")),
            cwd=string(record.get("cwd")),
            branch=string(record.get("gitBranch")),
            parent=identifier(record.get("parentUuid")),
            parent_session=parent if parent != self._session else None,
            flags=tuple(flag for key, flag in _FLAGS if record.get(key) is True),
        )
        title, self._title, self._last = self._title, None, turn.turn
        return titled(turn, title)

    def _entitle(self, kind: str, record: Mapping[str, Any]) -> None:
        """Keep a title for the next turn unless a better kind was given before."""
        title = string(record.get(_TITLES[kind]))
        if title is None or _RANKS[kind] > self._rank:
            return
        if kind != "summary" or record.get("leafUuid") == self._last:
            self._title, self._rank = title, _RANKS[kind]


def _session_of(stem: str) -> str | None:
    """Claude Code names a file by its session. Any other name (an export, a copy) says nothing: None."""
    return stem if _UUID.fullmatch(stem) or (stem.startswith("agent-") and identifier(stem)) else None
