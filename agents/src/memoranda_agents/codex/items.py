"""The items of a Codex rollout as blocks, one function a kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Mapping

from memoranda.model.turn import Block
from memoranda.ports.reading import Calls, blank, compact, string

# How messages begin that Codex writes under the user's role. They are kept, marked as injected.
_INJECTED = (
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<permissions instructions>",
    "<turn_aborted>",
    "<hook_context>",
    "<INSTRUCTIONS>",
    "<skill>",
)
_INJECTED_KINDS = ("context", "instructions", "hook")


@dataclass(frozen=True, slots=True)
class Said:
    """What one item says: no blocks when it says nothing."""

    role: str
    blocks: tuple[Block, ...]
    flags: tuple[str, ...] = ()


def _message(item: Mapping[str, Any], calls: Calls) -> Said:
    role = string(item.get("role")) or "user"
    texts = [text for text in _texts(item.get("content")) if not blank(text)]
    return Said(role, tuple(Block("text", text) for text in texts), ("meta",) if _injected(role, item, texts) else ())


def _injected(role: str, item: Mapping[str, Any], texts: list[str]) -> bool:
    if role in ("developer", "system"):
        return True
    kinds = item.get("content_item_kinds")
    if isinstance(kinds, list) and any(word in str(kind) for kind in kinds for word in _INJECTED_KINDS):
        return True
    return role == "user" and bool(texts) and texts[0].lstrip().startswith(_INJECTED)


def _texts(content: object) -> list[str]:
    """The texts of a message's parts, in order. An image is the `data:` URI or address it came as."""
    if isinstance(content, str):
        return [content]
    texts = []
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict):
            kind = part.get("type")
            text = string(part.get("image_url")) if kind == "input_image" else string(part.get("text"))
            text = text or string(part.get("refusal"))
            if text is not None:
                texts.append(text)
    return texts


def _reasoning(item: Mapping[str, Any], calls: Calls) -> Said:
    """The summary, or the thoughts themselves where there is none. `encrypted_content` is nobody's words."""
    text = "\n".join(_texts(item.get("summary"))) or "\n".join(_texts(item.get("content")))
    return Said("assistant", _one(Block("thinking", text)))


def _function_call(item: Mapping[str, Any], calls: Calls) -> Said:
    space, name = string(item.get("namespace")), string(item.get("name"))
    tool = f"{space}.{name}" if space and name else name
    return _call(item, tool, item.get("arguments"), calls)


def _custom_call(item: Mapping[str, Any], calls: Calls) -> Said:
    return _call(item, string(item.get("name")), item.get("input"), calls)


def _shell_call(item: Mapping[str, Any], calls: Calls) -> Said:
    return _call(item, "local_shell", item.get("action"), calls)


def _search_call(item: Mapping[str, Any], calls: Calls) -> Said:
    return _call(item, "web_search", item.get("action"), calls)


def _call(item: Mapping[str, Any], tool: str | None, given: object, calls: Calls) -> Said:
    """A call with what it was given: a string as it stands, anything else as compact JSON."""
    call = string(item.get("call_id")) or string(item.get("id"))
    calls.add(call, tool)
    text = given if isinstance(given, str) else compact({} if given is None else given)
    return Said("assistant", _one(Block("tool_use", text, tool, call)))


def _output(item: Mapping[str, Any], calls: Calls) -> Said:
    call, output = string(item.get("call_id")), item.get("output")
    if output is None or isinstance(output, str):
        text = output or ""
    elif isinstance(output, list) and output and all(isinstance(part, dict) and "type" in part for part in output):
        text = "\n".join(_texts(output))
    else:
        text = compact(output)
    return Said("tool", _one(Block("tool_result", text, calls.names.get(call or ""), call)))


def _one(block: Block) -> tuple[Block, ...]:
    return () if blank(block.text) else (block,)


def summary_of(payload: Mapping[str, Any]) -> Said | None:
    """A compaction's recap. The history that replaces the old one repeats what is kept already."""
    text = string(payload.get("message"))
    return Said("user", _one(Block("text", text)), ("summary",)) if text else None


ITEMS: Mapping[str, Callable[[Mapping[str, Any], Calls], Said]] = {
    "message": _message,
    "reasoning": _reasoning,
    "function_call": _function_call,
    "function_call_output": _output,
    "custom_tool_call": _custom_call,
    "custom_tool_call_output": _output,
    "local_shell_call": _shell_call,
    "local_shell_call_output": _output,
    "web_search_call": _search_call,
}
