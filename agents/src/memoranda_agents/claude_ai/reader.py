"""Reads the export of Claude.ai (`conversations.json`, alone or in its ZIP): a message is a turn.

After the description of the format; not yet proven on a real export. An export is a file that somebody asked for, so
none is looked for: name it.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, Iterator, Mapping

from memoranda.model.problem import Problem
from memoranda.model.turn import Block, Turn
from memoranda.ports.protocols import Batch, Source
from memoranda.ports.reading import Calls, blank, identifier, named, string, titled, utc, whole
from memoranda_agents.claude.blocks import blocks_of
from memoranda_agents.exports import conversations, dicts, head_of

HARNESS = "claude_ai"
_ROLES = {"human": "user", "assistant": "assistant"}
_ROOT = "00000000-0000-4000-8000-000000000000"  # the parent of a conversation's first message


class ClaudeAiReader:
    """Reads exports of Claude.ai. See `TranscriptReader` for the promises."""

    harness = HARNESS

    def find(self, home: Path, variables: Mapping[str, str]) -> Iterator[Source]:
        """None: an export lies where somebody put it."""
        return iter(())

    def claims(self, path: Path, head: bytes) -> Source | None:
        """Ours when its conversations hold chat messages."""
        text = head_of(path, head)
        ours = text.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"[") and b'"chat_messages"' in text
        return named(path, HARNESS) if ours else None

    def read(self, source: Source, cursor: str | None) -> Iterator[Batch]:
        """All turns when the file changed, none when it did not. Raises `OSError` when it cannot be read."""
        return whole(source, cursor, lambda skipped, problems: _turns(source, skipped, problems))


def _turns(source: Source, skipped: Counter[str], problems: list[Problem]) -> Iterator[Turn]:
    try:
        for conversation in conversations(source.path):
            session = identifier(conversation.get("uuid"))
            if session is None:
                skipped["conversation without an id"] += 1
                continue
            yield from _conversation(session, conversation, skipped)
    except ValueError as error:
        problems.append(Problem(source.key, str(error), "what stands before it is kept; export it again"))


def _conversation(session: str, conversation: Mapping[str, Any], skipped: Counter[str]) -> Iterator[Turn]:
    title, calls = string(conversation.get("name")), Calls()
    for n, message in enumerate(dicts(conversation.get("chat_messages"))):
        blocks = blocks_of(message.get("content"), calls, skipped)
        text = string(message.get("text"))
        if not blocks and text and not blank(text):
            blocks = (Block("text", text),)
        blocks += tuple(_attached(message))
        sender = string(message.get("sender")) or "human"
        if not blocks:
            skipped["message without text"] += 1
            continue
        parent = identifier(message.get("parent_message_uuid"))
        turn = Turn(
            session=session,
            turn=identifier(message.get("uuid")) or f"{session}-{n}",
            role=_ROLES.get(sender, sender),
            harness=HARNESS,
            blocks=blocks,
            ts=utc(message.get("created_at")),
            parent=parent if parent != _ROOT else None,
        )
        yield titled(turn, title)
        title = None


def _attached(message: Mapping[str, Any]) -> Iterator[Block]:
    """The text of files that were attached, as the service extracted it."""
    for file in dicts(message.get("attachments")):
        text = string(file.get("extracted_content"))
        if text and not blank(text):
            yield Block("text", text)
