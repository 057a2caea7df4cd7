"""The two turns formats as strict forms: `turns` (docs/turns.md) and funes' version 1. A line is right or it is not.

Raises `ValueError` saying what is wrong without quoting a text.
"""

from __future__ import annotations

import json
import re
from typing import Any, Callable, Mapping, cast

from memoranda.model.turn import BLOCK_TYPES, Block, BlockType, Turn
from memoranda.ports.reading import identifier, utc

_HARNESS = re.compile(r"[a-z0-9_-]{1,32}")
_WORD = re.compile(r"[a-z][a-z0-9_-]{0,31}")
_ROLE = re.compile(r"[\w.-]{1,64}")
_MARK = re.compile(r"[a-z]+:[ -~]{1,200}")

Check = Callable[[Any], bool]


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _seq(value: Any) -> bool:
    return type(value) is int and value >= 0


def _harness(value: Any) -> bool:
    return isinstance(value, str) and bool(_HARNESS.fullmatch(value))


def _id(value: Any) -> bool:
    return identifier(value) is not None


def _plain_id(value: Any) -> bool:
    return _id(value) and ":" not in value


def _role(value: Any) -> bool:
    return isinstance(value, str) and bool(_ROLE.fullmatch(value))


def _time(value: Any) -> bool:
    return isinstance(value, str) and value.endswith("Z") and utc(value) == value


def _time_or_none(value: Any) -> bool:
    return value == "" or _time(value)


def _flags(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) and _WORD.fullmatch(word) for word in value)


def _marks(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) and _MARK.fullmatch(word) for word in value)


def _list(value: Any) -> bool:
    return isinstance(value, list)


def _version(value: Any) -> bool:
    return type(value) is int and value == 1


# key -> (its check, what it must be, whether it must be there)
Form = Mapping[str, tuple[Check, str, bool]]

OURS: Form = {
    "format": (_version, "1", True),
    "session": (_id, "1 to 200 characters without control characters", True),
    "turn": (_id, "1 to 200 characters without control characters", True),
    "ts": (_time_or_none, 'a UTC time ending in Z, or ""', True),
    "role": (_role, "a word", True),
    "harness": (_harness, "[a-z0-9_-], 1 to 32 characters", True),
    "blocks": (_list, "a list", True),
    "seq": (_seq, "a whole number from 0", False),
    "cwd": (_text, "a string", False),
    "branch": (_text, "a string", False),
    "parent": (_id, "the id of a turn", False),
    "parent_session": (_id, "the id of a session", False),
    "flags": (_flags, "a list of words", False),
    "title": (_text, "a string", False),
    "captured": (_time_or_none, 'a UTC time ending in Z, or ""', False),
    "screened": (_text, "a string", False),
}
OUR_BLOCK: Form = {
    "type": (lambda value: value in BLOCK_TYPES, "one of " + ", ".join(BLOCK_TYPES), True),
    "text": (_text, "a string", True),
    "tool": (_text, "a string", False),
    "tool_use_id": (_text, "a string", False),
    "marks": (_marks, "a list of marks", False),
}
FUNES: Form = {
    "format": (_version, "1", False),
    "session_id": (_plain_id, "1 to 200 characters without a colon", True),
    "turn_uuid": (_plain_id, "1 to 200 characters without a colon", True),
    "seq": (_seq, "a whole number from 0", True),
    "ts": (_time, "a UTC time ending in Z", True),
    "role": (_role, "a word", True),
    "harness": (_harness, "[a-z0-9_-], 1 to 32 characters", True),
    "blocks": (_list, "a list", True),
    "cwd": (_text, "a string", False),
    "parent_uuid": (_id, "the id of a turn", False),
}
FUNES_BLOCK: Form = {
    "block_type": (lambda value: value in BLOCK_TYPES, "one of " + ", ".join(BLOCK_TYPES), True),
    "text": (_text, "a string", True),
    "tool_name": (_text, "a string", False),
    "tool_use_id": (_text, "a string", False),
}


def parse(line: bytes, funes: bool) -> Turn | None:
    """The turn of a line without its line break; None for one without a word in it, which is right but says nothing."""
    row = _object(line)
    _hold(row, FUNES if funes else OURS, "")
    blocks = []
    for n, block in enumerate(row["blocks"], 1):
        where = f"block {n}: "
        if not isinstance(block, dict):
            raise ValueError(f"{where}not an object")
        _hold(block, FUNES_BLOCK if funes else OUR_BLOCK, where)
        kind, tool = ("block_type", "tool_name") if funes else ("type", "tool")
        if block["text"].strip():
            blocks.append(Block(cast(BlockType, block[kind]), block["text"], block.get(tool), block.get("tool_use_id"),
                                tuple(block.get("marks") or ())))  # fmt: skip
    if not blocks:
        return None
    title = row.get("title")
    return Turn(
        session=row["session_id" if funes else "session"],
        turn=row["turn_uuid" if funes else "turn"],
        role=row["role"],
        harness=row["harness"],
        blocks=tuple(blocks),
        ts=row["ts"],
        cwd=row.get("cwd") or None,
        branch=row.get("branch") or None,
        parent=row.get("parent_uuid" if funes else "parent"),
        parent_session=row.get("parent_session"),
        flags=tuple(row.get("flags") or ()),
        extra=(("title", title),) if title else (),
    )


def _object(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line.decode(), object_pairs_hook=_once, parse_constant=_constant)
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON ({error.msg.lower()})") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def _constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _hold(row: Mapping[str, Any], form: Form, where: str) -> None:
    for key, (check, wanted, needed) in form.items():
        value = row.get(key)
        if value is None:
            if needed or key in row:
                raise ValueError(f"{where}{key} is {'null' if key in row else 'missing'}")
        elif not check(value):
            raise ValueError(f"{where}{key} is not {wanted}")
    unknown = sorted(row.keys() - form.keys())
    if unknown:
        raise ValueError(f"{where}{len(unknown)} unknown key{'s' if len(unknown) > 1 else ''}")
