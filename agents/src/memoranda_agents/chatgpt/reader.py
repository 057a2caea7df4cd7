"""Reads the export of ChatGPT (`conversations.json` or `conversations-000.json` …, alone or in its ZIP).

A conversation is a tree of nodes: every branch is read, each from the root down, and turns that do not lead to the
current node are flagged `abandoned`. Messages the service hides are left out and counted. After the description of the
format; not yet proven on a real export. An export lies where somebody put it, so none is looked for: name it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, Iterator, Mapping

from memoranda.model.problem import Problem
from memoranda.model.turn import Block, Turn
from memoranda.ports.protocols import Batch, Source
from memoranda.ports.reading import blank, compact, identifier, named, string, titled, utc, whole
from memoranda_agents.exports import conversations, dicts, head_of

HARNESS = "chatgpt"


class ChatGptReader:
    """Reads exports of ChatGPT. See `TranscriptReader` for the promises."""

    harness = HARNESS

    def find(self, home: Path, variables: Mapping[str, str]) -> Iterator[Source]:
        """None: an export lies where somebody put it."""
        return iter(())

    def claims(self, path: Path, head: bytes) -> Source | None:
        """Ours when its conversations hold a mapping of nodes."""
        text = head_of(path, head)
        ours = text.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"[") and b'"mapping"' in text
        return named(path, HARNESS) if ours else None

    def read(self, source: Source, cursor: str | None) -> Iterator[Batch]:
        """All turns when the file changed, none when it did not. Raises `OSError` when it cannot be read."""
        return whole(source, cursor, lambda skipped, problems: _turns(source, skipped, problems))


def _turns(source: Source, skipped: Counter[str], problems: list[Problem]) -> Iterator[Turn]:
    try:
        for conversation in conversations(source.path):
            session = identifier(conversation.get("conversation_id")) or identifier(conversation.get("id"))
            nodes = conversation.get("mapping")
            if session is None or not isinstance(nodes, dict):
                skipped["conversation without an id"] += 1
                continue
            yield from _conversation(session, conversation, nodes, skipped)
    except ValueError as error:
        problems.append(Problem(source.key, str(error), "what stands before it is kept; export it again"))


def _conversation(
    session: str, conversation: Mapping[str, Any], nodes: Mapping[str, Any], skipped: Counter[str]
) -> Iterator[Turn]:
    current = _path(nodes, conversation.get("current_node"))
    title, at = string(conversation.get("title")), _time(conversation.get("create_time"))
    for id in _order(nodes):
        message = nodes[id].get("message")
        if not isinstance(message, dict):
            continue
        at = _time(message.get("create_time")) or at
        turn = _turn(session, id, nodes[id], message, at, skipped)
        if turn is not None:
            flags = () if id in current or not current else ("abandoned",)
            yield titled(replace(turn, flags=flags), title)
            title = None


def _turn(
    session: str, id: str, node: Mapping[str, Any], message: Mapping[str, Any], ts: str, skipped: Counter[str]
) -> Turn | None:
    meta, author = message.get("metadata"), message.get("author")
    meta, author = meta if isinstance(meta, dict) else {}, author if isinstance(author, dict) else {}
    role = string(author.get("role")) or "user"
    if meta.get("is_visually_hidden_from_conversation") is True or role == "system":
        skipped["hidden message"] += 1
        return None
    to = string(message.get("recipient")) or "all"
    blocks = tuple(b for b in _blocks(message.get("content"), role, to, author, skipped) if not blank(b.text))
    if not blocks or identifier(id) is None:
        skipped["message without text"] += 1
        return None
    return Turn(session, id, role, HARNESS, blocks, ts, parent=identifier(node.get("parent")))


def _blocks(content: object, role: str, to: str, author: Mapping[str, Any], skipped: Counter[str]) -> Iterator[Block]:
    """What a message says: words, a call when it is not addressed to all, or what a tool answered."""
    if not isinstance(content, dict):
        return
    kind = string(content.get("content_type")) or "text"
    texts = list(_texts(content, skipped))
    if kind in ("thoughts", "reasoning_recap"):
        yield from (Block("thinking", text) for text in texts)
    elif role == "tool":
        yield Block("tool_result", "\n".join(texts), string(author.get("name")))
    elif to != "all":
        yield Block("tool_use", "\n".join(texts), to)
    else:
        yield from (Block("text", text) for text in texts)


def _texts(content: Mapping[str, Any], skipped: Counter[str]) -> Iterator[str]:
    for key in ("text", "result", "content"):
        if isinstance(content.get(key), str):
            yield content[key]
    for thought in dicts(content.get("thoughts")):
        yield "\n".join(part for part in (string(thought.get("summary")), string(thought.get("content"))) if part)
    parts = content.get("parts")
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            yield part["text"]
        elif isinstance(part, dict) and part.get("asset_pointer"):
            yield compact(part["asset_pointer"]).strip('"')
        else:
            skipped["part of another kind"] += 1


def _order(nodes: Mapping[str, Any]) -> Iterator[str]:
    """Every node once, parents before children, in the order of the file; what hangs on nothing comes last."""
    seen: set[str] = set()
    roots = [id for id, node in nodes.items() if isinstance(node, dict) and node.get("parent") not in nodes]
    waiting = roots[::-1]
    for start in (waiting, list(nodes)[::-1]):
        while start:
            id = start.pop()
            node = nodes.get(id)
            if id in seen or not isinstance(node, dict):
                continue
            seen.add(id)
            yield id
            children = node.get("children")
            start += [c for c in reversed(children if isinstance(children, list) else []) if isinstance(c, str)]


def _path(nodes: Mapping[str, Any], leaf: object) -> frozenset[str]:
    """The nodes from the root to the current one; none when it is not known."""
    path: set[str] = set()
    while isinstance(leaf, str) and leaf not in path and isinstance(nodes.get(leaf), dict):
        path.add(leaf)
        leaf = nodes[leaf].get("parent")
    return frozenset(path)


def _time(seconds: object) -> str:
    return utc(seconds * 1000) if isinstance(seconds, (int, float)) and not isinstance(seconds, bool) else ""
