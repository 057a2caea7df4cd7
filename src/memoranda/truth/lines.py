"""One turn, one line: the canonical printer and the reader of docs/format.md, section *Turn*.

Printing is on capture's hot path, so it is string building around the standard library's C escaper.
"""

from __future__ import annotations

import json
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any, Callable, cast

from memoranda.model.turn import BLOCK_TYPES, Block, BlockType, Turn

FORMAT = 1
_OPTIONAL = ("cwd", "branch", "parent", "parent_session")
_KEYS = frozenset(
    ["format", "session", "turn", "seq", "ts", "captured", "screened", "role", "harness", *_OPTIONAL, "flags", "blocks"]
)


def print_turn(turn: Turn) -> bytes:
    """The line with its newline. Non-ASCII letters are literal unless a lone surrogate is among them."""
    try:
        return _line(turn, encode_basestring).encode()
    except UnicodeEncodeError:
        return _line(turn, encode_basestring_ascii).encode()


def _line(turn: Turn, quote: Callable[[str], str]) -> str:
    head = (
        f'{{"format":{FORMAT},"session":{quote(turn.session)},"turn":{quote(turn.turn)},"seq":{turn.seq},'
        f'"ts":{quote(turn.ts)},"captured":{quote(turn.captured)},"screened":{quote(turn.screened)},'
        f'"role":{quote(turn.role)},"harness":{quote(turn.harness)}'
    )
    for key in _OPTIONAL:
        value = getattr(turn, key)
        if value is not None:
            head += f',"{key}":{quote(value)}'
    if turn.flags:
        head += f',"flags":{_strings(turn.flags, quote)}'
    blocks = ",".join([_block(block, quote) for block in turn.blocks])
    tail = ""
    for key, extra in turn.extra:
        value = json.dumps(extra, ensure_ascii=quote is encode_basestring_ascii, separators=(",", ":"))
        tail += f",{quote(key)}:{value}"
    return f'{head},"blocks":[{blocks}]{tail}}}\n'


def _block(block: Block, quote: Callable[[str], str]) -> str:
    line = f'{{"type":"{block.type}","text":{quote(block.text)}'
    if block.tool is not None:
        line += f',"tool":{quote(block.tool)}'
    if block.tool_use_id is not None:
        line += f',"tool_use_id":{quote(block.tool_use_id)}'
    if block.marks:
        line += f',"marks":{_strings(block.marks, quote)}'
    return line + "}"


def _strings(items: tuple[str, ...], quote: Callable[[str], str]) -> str:
    return "[" + ",".join([quote(item) for item in items]) + "]"


def parse_turn(line: bytes) -> Turn:
    """The turn in a line. Raises `ValueError` saying what is wrong, without quoting the text."""
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            raise ValueError("more than one JSON value on the line") from None
        raise ValueError(f"not JSON ({error.msg.lower()} at column {error.colno})") from None
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if type(row) is not dict:
        raise ValueError("not a JSON object")
    if row.get("format") != FORMAT:
        raise ValueError(f"not a turn of format {FORMAT}")
    seq = row.get("seq")
    if type(seq) is not int or seq < 0:
        raise ValueError("seq is not a number from 0")
    blocks = row.get("blocks")
    if type(blocks) is not list:
        raise ValueError("blocks is not a list")
    extra = () if row.keys() <= _KEYS else tuple((key, value) for key, value in row.items() if key not in _KEYS)
    return Turn(
        session=_text(row, "session"),
        turn=_text(row, "turn"),
        role=_text(row, "role"),
        harness=_text(row, "harness"),
        blocks=tuple([_parse_block(block) for block in blocks]),
        ts=_text(row, "ts"),
        seq=seq,
        cwd=_maybe(row, "cwd"),
        branch=_maybe(row, "branch"),
        parent=_maybe(row, "parent"),
        parent_session=_maybe(row, "parent_session"),
        flags=_words(row, "flags"),
        captured=_text(row, "captured"),
        screened=_text(row, "screened"),
        extra=extra,
    )


def _parse_block(row: Any) -> Block:
    if type(row) is not dict or row.get("type") not in BLOCK_TYPES:
        raise ValueError("a block's type is not one of " + ", ".join(BLOCK_TYPES))
    return Block(
        type=cast(BlockType, row["type"]),
        text=_text(row, "text"),
        tool=_maybe(row, "tool"),
        tool_use_id=_maybe(row, "tool_use_id"),
        marks=_words(row, "marks"),
    )


def _text(row: dict[str, Any], key: str) -> str:
    value = row.get(key)
    if type(value) is not str:
        raise ValueError(f"{key} is {'missing' if value is None else 'not a string'}")
    return value


def _maybe(row: dict[str, Any], key: str) -> str | None:
    value = row.get(key)
    if value is not None and type(value) is not str:
        raise ValueError(f"{key} is not a string")
    return value


def _words(row: dict[str, Any], key: str) -> tuple[str, ...]:
    value = row.get(key)
    if value is None:
        return ()
    if type(value) is not list or not all(type(item) is str for item in value):
        raise ValueError(f"{key} is not a list of strings")
    return tuple(value)
