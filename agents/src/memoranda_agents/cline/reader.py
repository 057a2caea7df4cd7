"""Reads Cline's sessions: documents that it writes anew after every message.

The command line keeps `~/.cline/data/sessions/<id>/<id>.messages.json` beside `<id>.json`, which has the folder and
the title; the extension keeps `tasks/<id>/api_conversation_history.json`, whose messages bring no ids. Written from a
session by version 3.0.65 of the command line; the extension's form is after its description alone.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, Iterator, Mapping

from memoranda.model.problem import Problem
from memoranda.model.turn import Turn
from memoranda.ports.documents import document, elements
from memoranda.ports.protocols import Batch, Source
from memoranda.ports.reading import Calls, compact, identifier, named, source, string, titled, utc, walk, whole
from memoranda_agents.claude.blocks import blocks_of

HARNESS = "cline"
_SESSION, _TASK = ".messages.json", "api_conversation_history.json"
_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")


class ClineReader:
    """Reads Cline's sessions. See `TranscriptReader` for the promises."""

    harness = HARNESS

    def find(self, home: Path, variables: Mapping[str, str]) -> Iterator[Source]:
        """Every session of the command line below `CLINE_DIR` or ~/.cline, and every task of the extension."""
        for path, found in walk(Path(variables.get("CLINE_DIR") or home / ".cline") / "data" / "sessions", (_SESSION,)):
            yield source(path, found, HARNESS)
        for editor in _EDITORS:
            for base in (home / ".config", home / "Library" / "Application Support"):
                tasks = base / editor / "User" / "globalStorage" / "saoudrizwan.claude-dev" / "tasks"
                for path, found in walk(tasks, (_TASK,)):
                    yield source(path, found, HARNESS)

    def claims(self, path: Path, head: bytes) -> Source | None:
        """Ours by its name, when it begins as such a file does."""
        start = head.lstrip()[:1]
        ours = (path.name.endswith(_SESSION) and start == b"{" and b'"sessionId"' in head) or (
            path.name == _TASK and start == b"["
        )
        return named(path, HARNESS) if ours else None

    def read(self, source: Source, cursor: str | None) -> Iterator[Batch]:
        """All turns when the file changed, none when it did not. Raises `OSError` when it cannot be read."""
        return whole(source, cursor, lambda skipped, problems: _turns(source, skipped, problems))


def _turns(source: Source, skipped: Counter[str], problems: list[Problem]) -> Iterator[Turn]:
    path, calls = source.path, Calls()
    about = _beside(path)
    task = path.name == _TASK
    session = identifier(path.parent.name if task else path.name.removesuffix(_SESSION)) or "session"
    title = string(about.get("title"))
    try:
        for n, message in enumerate(_messages(path)):
            content = message.get("content") if isinstance(message, dict) else None
            blocks = blocks_of(_plain(content), calls, skipped)
            role = string(message.get("role")) if isinstance(message, dict) else None
            if role is None or not blocks:
                skipped["message without text"] += 1
                continue
            turn = Turn(
                session=session,
                turn=identifier(message.get("id")) or f"{session}-{n}",
                role=role,
                harness=HARNESS,
                blocks=blocks,
                ts=utc(message.get("ts")),
                cwd=string(about.get("cwd")),
                branch=string(about.get("branch")),
            )
            yield titled(turn, title)
            title = None
    except ValueError as error:
        problems.append(Problem(source.key, str(error), "it is read again when it changes"))


def _messages(path: Path) -> Iterator[Any]:
    if path.name == _TASK:
        with path.open(encoding="utf-8", errors="replace") as stream:
            yield from elements(stream)
        return
    found = document(path).get("messages")
    yield from found if isinstance(found, list) else ()


def _plain(content: object) -> object:
    """The content with each tool result's own values as text: Cline gives objects where Anthropic has parts."""
    if not isinstance(content, list):
        return content
    return [
        {**part, "content": [_text(item) for item in part["content"]]}
        if isinstance(part, dict) and isinstance(part.get("content"), list)
        else part
        for part in content
    ]


def _text(item: object) -> object:
    return item if isinstance(item, str) or (isinstance(item, dict) and "type" in item) else compact(item)


def _beside(path: Path) -> dict[str, Any]:
    """What the file beside a session says: `cwd`, `branch`, `title`."""
    if path.name == _TASK:
        return {}
    try:
        value = json.loads(path.with_name(path.name.replace(_SESSION, ".json")).read_bytes())
        data = value.get("metadata")
        data = data if isinstance(data, dict) else {}
        git = data.get("git")
        branch = git.get("branch") if isinstance(git, dict) else None
        return {"cwd": value.get("cwd"), "branch": branch, "title": data.get("title")}
    except (OSError, ValueError, AttributeError):
        return {}
