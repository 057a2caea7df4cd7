"""JSON-RPC 2.0 as bytes and as values. Pure: nothing here knows a method.

What is not a message becomes a `Flaw` with the code to answer; a reply to a question nobody asked is neither.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple, NoReturn

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
#: Before 2026-07-28; since then `INVALID_PARAMS` says it.
RESOURCE_NOT_FOUND = -32002
UNSUPPORTED_VERSION = -32022

#: A frame is never longer (the official SDK's bound), nor nested deeper.
FRAME_BYTES = 4 << 20
DEPTH = 32

Id = int | str


class ProtocolError(Exception):
    """An answer of the protocol's own: the call could not be made at all. `data` is shown to the client."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


class Message(NamedTuple):
    """A request (with an id) or a notification (None). `params` is always an object."""

    method: str
    params: dict[str, Any]
    id: Id | None = None


class Flaw(NamedTuple):
    """What was sent is no message; `id` is that of the request if it could be told."""

    code: int
    message: str
    id: Id | None = None


class Batch(NamedTuple):
    """Several at once, as 2025-03-26 allowed."""

    items: tuple[Message | Flaw | None, ...]


def parse(frame: bytes) -> Message | Flaw | Batch | None:
    """One frame. None for a reply, which we never ask for."""
    if len(frame) > FRAME_BYTES:
        return Flaw(INVALID_REQUEST, f"a message may have {FRAME_BYTES} bytes")
    try:
        value = json.loads(frame.decode("utf-8"), parse_constant=_constant)
    except (ValueError, RecursionError):
        return Flaw(PARSE_ERROR, "not a JSON document in UTF-8")
    if isinstance(value, list):
        if not value:
            return Flaw(INVALID_REQUEST, "an empty batch")
        return Batch(tuple(_message(item) for item in value))
    return _message(value)


def dump(value: Any) -> bytes:
    """One line of bytes; a lone surrogate or a line separator leaves as an escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text.encode("utf-8") if not {"\u2028", "\u2029"} & set(text) else dump_ascii(value)
    except UnicodeEncodeError:
        return dump_ascii(value)


def dump_ascii(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def result(id: Id, value: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "result": value}


def failure(id: Id | None, code: int, message: str, data: Any = None) -> dict[str, Any]:
    error = {"code": code, "message": message, **({} if data is None else {"data": data})}
    return {"jsonrpc": "2.0", "id": id, "error": error}


def notification(method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})}


def _message(value: Any) -> Message | Flaw | None:
    if not isinstance(value, dict):
        return Flaw(INVALID_REQUEST, "a message is an object")
    id, method, params = value.get("id"), value.get("method"), value.get("params", {})
    if "method" not in value and ("result" in value or "error" in value):
        return None
    known = id if _is_id(id) else None
    if "id" in value and known is None:
        return Flaw(INVALID_REQUEST, "an id is a string or a whole number")
    if value.get("jsonrpc") != "2.0" or not isinstance(method, str):
        return Flaw(INVALID_REQUEST, "a request is JSON-RPC 2.0 with a method", known)
    if params is None:
        params = {}
    if not isinstance(params, dict):
        return Flaw(INVALID_PARAMS, "params is an object", known)
    if _deeper(params, DEPTH):
        return Flaw(INVALID_REQUEST, f"nested deeper than {DEPTH}", known)
    return Message(method, params, known)


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _deeper(value: Any, depth: int) -> bool:
    """Without recursion: what is measured may be as deep as the parser lets it."""
    level: list[Any] = [value]
    while level:
        if depth == 0:
            return True
        depth -= 1
        level = [
            child
            for item in level
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, dict | list)
        ]
    return False


def _constant(text: str) -> NoReturn:
    raise ValueError(text)
