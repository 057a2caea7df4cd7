"""What can be read by name: core, status, sessions, each record and each session.

Names and descriptions hold no recalled text: clients put them before a model without any mark. What is read is the
same page that the tool of that name gives.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, Any, Mapping
from urllib.parse import unquote

from memoranda.model.errors import MemorandaError
from memoranda.views.mcp.messages import INVALID_PARAMS, RESOURCE_NOT_FOUND, ProtocolError
from memoranda.views.mcp.page import MOST_CHARACTERS

if TYPE_CHECKING:
    from memoranda.memory.serving import Marks
    from memoranda.model.record import Door
    from memoranda.views.serving.desk import Desk

SCHEME = "memoranda://"
#: Tools whose answer is a resource.
FIXED = {
    "core": "the records that are always in mind",
    "status": "how the memory stands: counts, what waits for a person, the index, the next step",
    "sessions": "the newest captured sessions, with where to read each",
}
PAGE = 100  # resources a page
_MOST_COMPLETIONS = 100
_RECORD = re.compile(r"memoranda://record/(mem_[0-9a-f]{12})")
_SESSION = re.compile(r"memoranda://session/([a-z0-9._-]{1,64})/([^/?#\s]{1,256})")
_TEXT = {"mimeType": "text/plain"}

TEMPLATES = [
    {
        "uriTemplate": "memoranda://record/{id}",
        "name": "record",
        "title": "One record",
        "description": "One record of the memory: its text, its header and what it rests on.",
        **_TEXT,
    },
    {
        "uriTemplate": "memoranda://session/{harness}/{session}",
        "name": "session",
        "title": "The beginning of a session",
        "description": "The first turns of a captured session, word for word, and the call that goes on.",
        **_TEXT,
    },
]


def listed(desk: Desk, door: Door, cursor: Any) -> dict[str, Any]:
    """A page of resources: the fixed ones first, then records, newest first. Without a memory, the fixed ones."""
    fixed = [
        {"uri": SCHEME + name, "name": name, "title": name.capitalize(), "description": about, **_TEXT,
         "annotations": {"audience": ["user", "assistant"], "priority": 0.8}}
        for name, about in FIXED.items()
    ]  # fmt: skip
    try:
        with desk.one(door) as memory:
            ids = memory.ids()
    except MemorandaError:
        ids = ()
    all_of_them = [
        *fixed,
        *({"uri": f"{SCHEME}record/{id}", "name": id, "title": f"Record {id}", **_TEXT} for id in ids),
    ]
    start = _start(cursor)
    page: dict[str, Any] = {"resources": all_of_them[start : start + PAGE]}
    if start + PAGE < len(all_of_them):
        page["nextCursor"] = base64.urlsafe_b64encode(f"r{start + PAGE}".encode()).decode()
    return page


def read(desk: Desk, door: Door, uri: Any, modern: bool) -> dict[str, Any]:
    """One resource as text. Raises `ProtocolError` when there is none."""
    from memoranda.views.mcp.calling import drawn, refusal, run
    from memoranda.views.operations.tools import tool

    name, given = _call(uri, modern)
    found = tool(name)
    assert found is not None
    try:
        parts = drawn(run(desk, found, given, door)).parts()
        text = parts[0]
        if len(parts) > 1:
            text += f"\npart 1 of {len(parts)}; call {name} for the others\n"
    except MemorandaError as error:
        if error.code in ("not_found", "invalid") and name == "get":
            raise _missing(uri, modern) from error
        text = refusal(error)
    assert len(text) <= MOST_CHARACTERS
    return {"contents": [{"uri": uri, **_TEXT, "text": text}]}


def completed(desk: Desk, door: Door, params: Mapping[str, Any]) -> dict[str, Any]:
    """Values for an argument of a template, those that begin with what was typed."""
    reference, argument = params.get("ref"), params.get("argument")
    if not isinstance(reference, Mapping) or not isinstance(argument, Mapping):
        raise ProtocolError(INVALID_PARAMS, "ref and argument are objects")
    typed = argument.get("value", "")
    typed = typed if isinstance(typed, str) else ""
    values: list[str] = []
    if reference.get("type") == "ref/resource":
        context = params.get("context")
        chosen = context.get("arguments") if isinstance(context, Mapping) else {}
        values = _values(desk, door, str(argument.get("name")), chosen if isinstance(chosen, Mapping) else {})
    found = [value for value in values if value.startswith((typed, f"mem_{typed}"))]
    shown = found[:_MOST_COMPLETIONS]
    return {"completion": {"values": shown, "total": len(found), "hasMore": len(found) > len(shown)}}


def watched(uri: str, marks: Marks) -> str | None:
    """The mark of a resource: another one means that it changed. None where there is nothing to watch."""
    if match := _RECORD.fullmatch(uri):
        return marks.records.get(match[1], "")
    if uri == SCHEME + "core":
        return marks.core
    if uri == SCHEME + "sessions" or _SESSION.fullmatch(uri):
        return marks.sessions
    if uri == SCHEME + "status":
        return "\n".join([*marks.records.values(), marks.events, marks.sessions])
    return None


def watchable(uri: Any) -> bool:
    return isinstance(uri, str) and bool(
        _RECORD.fullmatch(uri) or _SESSION.fullmatch(uri) or uri.removeprefix(SCHEME) in FIXED
    )


def _call(uri: Any, modern: bool) -> tuple[str, dict[str, Any]]:
    if isinstance(uri, str):
        if uri.startswith(SCHEME) and uri.removeprefix(SCHEME) in FIXED:
            return uri.removeprefix(SCHEME), {}
        if match := _RECORD.fullmatch(uri):
            return "get", {"locator": match[1]}
        if match := _SESSION.fullmatch(uri):
            from memoranda.model.locator import TurnLocator

            return "get", {"locator": str(TurnLocator(match[1], unquote(match[2]), seq=0)), "before": 0, "after": 19}
    raise _missing(uri, modern)


def _missing(uri: Any, modern: bool) -> ProtocolError:
    code = INVALID_PARAMS if modern else RESOURCE_NOT_FOUND
    return ProtocolError(code, "there is no such resource", {"uri": uri} if isinstance(uri, str) else None)


def _values(desk: Desk, door: Door, name: str, chosen: Mapping[str, Any]) -> list[str]:
    try:
        with desk.one(door) as memory:
            if name == "id":
                return list(memory.ids())
            if name == "harness":
                return sorted({entry.harness for entry in memory.sessions(limit=1000).sessions})
            if name == "session":
                harness = chosen.get("harness")
                only = (harness,) if isinstance(harness, str) and harness else ()
                return [entry.session for entry in memory.sessions(limit=1000, harness=only).sessions]
    except MemorandaError:
        return []
    return []


def _start(cursor: Any) -> int:
    if cursor is None:
        return 0
    try:
        text = base64.b64decode(cursor, altchars=b"-_", validate=True).decode()
    except (ValueError, TypeError, binascii.Error):
        text = ""
    if not (text[:1] == "r" and text[1:].isdecimal() and len(text) < 10):
        raise ProtocolError(INVALID_PARAMS, "this cursor is not one of ours")
    return int(text[1:])
