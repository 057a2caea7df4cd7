"""The content of an Anthropic message as blocks: what was said, exactly, and nothing that was not."""

from __future__ import annotations

from collections import Counter
from typing import Any, Iterator, Mapping

from memoranda.model.turn import Block
from memoranda.ports.reading import Calls, blank, compact, data_uri, string

_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})


def blocks_of(content: object, calls: Calls, skipped: Counter[str]) -> tuple[Block, ...]:
    """The blocks of a message's content, blank ones left out. Block types we do not keep are counted in `skipped`."""
    if isinstance(content, str):
        return () if blank(content) else (Block("text", content),)
    if not isinstance(content, list):
        return ()
    blocks = []
    for part in content:
        block = _block(part, calls, skipped)
        if block is not None and not blank(block.text):
            blocks.append(block)
    return tuple(blocks)


def _block(part: object, calls: Calls, skipped: Counter[str]) -> Block | None:
    if isinstance(part, str):
        return Block("text", part)
    if not isinstance(part, dict):
        return None
    kind = part.get("type")
    if kind == "thinking":
        thought = part.get("thinking")
        return Block("thinking", thought) if isinstance(thought, str) else None
    if kind in _CALLS:
        name, call = string(part.get("name")), string(part.get("id"))
        calls.add(call, name)
        given = part.get("input")
        return Block("tool_use", compact({} if given is None else given), name, call)
    if isinstance(kind, str) and kind.endswith("tool_result"):
        call = string(part.get("tool_use_id"))
        texts = "\n".join(_result(part.get("content"), skipped))
        return Block("tool_result", texts, calls.names.get(call or ""), call)
    text = _text(part, skipped)
    return None if text is None else Block("text", text)


def _result(content: object, skipped: Counter[str]) -> Iterator[str]:
    """The texts of a tool's result: a string, or a list whose parts are joined by a line break."""
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict):
            text = _text(part, skipped)
            if text is not None:
                yield text


def _text(part: Mapping[str, Any], skipped: Counter[str]) -> str | None:
    """The text of a part that is words, or bytes as a `data:` URI; None for the rest, counted."""
    kind, text, held = part.get("type"), part.get("text"), part.get("source")
    if kind == "text" and isinstance(text, str):
        return text
    if kind in ("image", "document") and isinstance(held, dict):
        if held.get("type") == "base64":
            return data_uri(held.get("media_type"), held.get("data"))
        return string(held.get("url")) or string(held.get("data"))
    skipped[f"{kind} block" if isinstance(kind, str) and len(kind) <= 40 else "block without a type"] += 1
    return None
