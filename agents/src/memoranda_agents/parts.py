"""What Google's `parts` say, as blocks: for every agent that keeps its messages in that shape."""

from __future__ import annotations

from collections import Counter
from typing import Any, Iterator, Mapping

from memoranda.model.turn import Block
from memoranda.ports.reading import compact, data_uri, string


def blocks_of(content: object, skipped: Counter[str]) -> Iterator[Block]:
    """The blocks of a content: a string, one part, or a list of them. Kinds that are not kept are counted."""
    if isinstance(content, str):
        yield Block("text", content)
        return
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            yield Block("text", part)
        elif isinstance(part, dict):
            yield from _part(part, skipped)


def _part(part: Mapping[str, Any], skipped: Counter[str]) -> Iterator[Block]:
    called, answered, data = part.get("functionCall"), part.get("functionResponse"), part.get("inlineData")
    if isinstance(part.get("text"), str):
        yield Block("thinking" if part.get("thought") is True else "text", part["text"])
    elif isinstance(part.get("thought"), str):
        yield Block("thinking", part["thought"])
    elif isinstance(called, dict):
        given = called.get("args")
        yield Block("tool_use", compact({} if given is None else given), string(called.get("name")), _id(called))
    elif isinstance(answered, dict):
        yield Block("tool_result", output_of(answered), string(answered.get("name")), _id(answered))
    elif isinstance(data, dict):
        yield Block("text", data_uri(data.get("mimeType"), data.get("data")))
    elif isinstance(part.get("fileData"), dict):
        yield Block("text", string(part["fileData"].get("fileUri")) or "")
    elif part:
        skipped["part of another kind"] += 1


def output_of(answer: Mapping[str, Any]) -> str:
    """The text of a function's response: its output or error as it stands, anything else as compact JSON."""
    response = answer.get("response")
    if isinstance(response, dict):
        for key in ("output", "error"):
            if isinstance(response.get(key), str):
                return str(response[key])
        return compact(response) if response else ""
    return response if isinstance(response, str) else ""


def _id(call: Mapping[str, Any]) -> str | None:
    return string(call.get("id"))
