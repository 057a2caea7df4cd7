"""An item of a conversation as a turn, and back.

What was said (texts, arguments of calls, what they gave back) stands in blocks that a person can read and recall can
find. What else the item holds stands beside it, as JSON, in a block marked `item:openai-agents`: kept word for word
and not searched. There the places of the texts are empty, and `at` says in their order where they belong. A plain
message needs no such block.
"""

from __future__ import annotations

import json
import re
from typing import Any, Iterator, Mapping, Sequence

from memoranda.model.turn import Block, BlockType, Turn

HARNESS = "openai-agents"
ITEM = f"item:{HARNESS}"
POPPED, CLEARED = "item:popped", "item:cleared"

#: Under these names an item says something; under all others it says how.
_SAYING = frozenset({"content", "text", "refusal", "arguments", "output", "input", "code", "query"})
_ROLE = re.compile(r"[\w.-]{1,64}")
_ELIDED = "[elided:"
_MEDIA = ("input_image", "input_file", "input_audio")

Path = tuple[str | int, ...]
Item = dict[str, Any]


def turn_of(item: Mapping[str, Any], session: str, turn: str, ts: str, tool: str | None) -> Turn:
    """The turn of an item; `tool` is the name of the tool that was called. Raises `TypeError`, `ValueError` for what is
    not JSON."""
    text = json.dumps(dict(item), ensure_ascii=False, separators=(",", ":"))
    whole: Item = json.loads(text)
    said = list(_said(whole, ()))
    kind, call = _kind(item), item.get("call_id")
    called = kind in ("tool_use", "tool_result")
    blocks = [
        Block(kind, words, tool if called else None, call if called and isinstance(call, str) else None)
        for _, words in said
    ]
    role = _role(item, kind)
    if not blocks or [*whole.items()] != [("role", role), ("content", blocks[0].text)]:
        for path, _ in said:
            _put(whole, path, "")
        form = json.dumps({"at": [path for path, _ in said], "item": whole}, ensure_ascii=False, separators=(",", ":"))
        blocks.append(Block("text", form, marks=(ITEM,)))
    return Turn(session=session, turn=turn, role=role, harness=HARNESS, blocks=tuple(blocks), ts=ts)


def mark_of(session: str, turn: str, ts: str, mark: str, popped: str | None = None) -> Turn:
    """The turn that says that another one, or all before it, are no longer part of the conversation."""
    words = "the turn before is no longer part of this conversation" if popped else "the conversation begins anew here"
    return Turn(
        session=session,
        turn=turn,
        role="system",
        harness=HARNESS,
        blocks=(Block("text", words, marks=(mark,)),),
        ts=ts,
        parent=popped,
        flags=("meta",),
    )


def living(turns: Sequence[Turn]) -> list[Turn]:
    """The turns that are part of the conversation, in order."""
    left: dict[str, Turn] = {}
    for turn in turns:
        marks = turn.blocks[0].marks
        if CLEARED in marks:
            left.clear()
        elif POPPED in marks:
            left.pop(turn.parent or "", None)
        else:
            left[turn.turn] = turn
    return list(left.values())


def item_of(turn: Turn) -> Item:
    """The item of a turn. Where the screen cut so that its form cannot be read, a message of what was said."""
    said = [block.text for block in turn.blocks if ITEM not in block.marks]
    form = next((block.text for block in turn.blocks if ITEM in block.marks), None)
    plain: Item = {"role": turn.role, "content": "\n".join(said)}
    if form is None:
        return plain
    try:
        found = json.loads(form)
        whole: Item = found["item"]
        for path, words in zip(found["at"], said, strict=True):
            _put(whole, path, words)
    except (ValueError, KeyError, TypeError, IndexError):
        return plain
    return {name: _without_media(value) for name, value in whole.items()}


def _said(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Each text with its place, in the order of the item."""
    if isinstance(value, str):
        name = next((step for step in reversed(path) if isinstance(step, str)), "")
        if name in _SAYING and value.strip():
            yield path, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _said(inner, (*path, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _said(inner, (*path, number))


def _put(whole: Any, path: Sequence[str | int], words: str) -> None:
    for step in path[:-1]:
        whole = whole[step]
    whole[path[-1]] = words


def _kind(item: Mapping[str, Any]) -> BlockType:
    kind = str(item.get("type", ""))
    if kind == "reasoning":
        return "thinking"
    if kind.endswith("_call"):
        return "tool_use"
    return "tool_result" if kind.endswith("_output") else "text"


def _role(item: Mapping[str, Any], kind: BlockType) -> str:
    role = item.get("role")
    if isinstance(role, str) and _ROLE.fullmatch(role):
        return role
    return "tool" if kind == "tool_result" else "assistant"


def _without_media(value: Any) -> Any:
    """A picture or file that is not kept in a turn is given back as the words that say so: a model takes no other."""
    if not isinstance(value, list):
        return value
    return [_words_of(part) if isinstance(part, dict) and part.get("type") in _MEDIA else part for part in value]


def _words_of(part: Item) -> Item:
    gone = next((one for one in part.values() if isinstance(one, str) and one.startswith(_ELIDED)), None)
    return part if gone is None else {"type": "input_text", "text": gone}
