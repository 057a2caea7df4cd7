"""Every request of the protocol that has one answer. What listens for changes is in `listening`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

from memoranda.views.mcp.eras import MODERN, SERVER, Caller
from memoranda.views.mcp.messages import INVALID_PARAMS, METHOD_NOT_FOUND, ProtocolError
from memoranda.views.mcp.prompts import INSTRUCTIONS, PROMPTS, prompt

if TYPE_CHECKING:
    from memoranda.model.record import Door
    from memoranda.views.serving.desk import Desk

#: Answered at once, since they look at no memory.
LIGHT = frozenset(
    {"initialize", "server/discover", "ping", "tools/list", "prompts/list", "prompts/get", "resources/templates/list"}
)
_OLD_ONLY = frozenset({"ping"})
_NEW_ONLY = frozenset({"server/discover"})


def capabilities(modern: bool) -> dict[str, Any]:
    """What is offered. Lists of tools and prompts never change; records come and go."""
    return {
        "tools": {} if modern else {"listChanged": False},
        "resources": {"listChanged": True, "subscribe": True},
        "prompts": {} if modern else {"listChanged": False},
        "completions": {},
    }


def initialized(who: Caller) -> dict[str, Any]:
    return {
        "protocolVersion": who.version,
        "capabilities": capabilities(False),
        "serverInfo": SERVER,
        "instructions": INSTRUCTIONS,
    }


def door(who: Caller, principal: str | None = None) -> Door:
    """An agent's door, whatever it says: the client's name is a label, never a claim that is believed."""
    from memoranda.model.record import Channel, Door

    return Door(Channel.AGENT, principal or who.name or None, "mcp")


def answer(
    desk: Desk, method: str, params: Mapping[str, Any], who: Caller, through: Door | None = None
) -> dict[str, Any]:
    """The result of a request; light ones may be asked on any thread. Raises `ProtocolError`."""
    if method in (_OLD_ONLY if who.modern else _NEW_ONLY):
        raise ProtocolError(METHOD_NOT_FOUND, f"{method} is not part of {who.version}")
    match method:
        case "ping":
            return {}
        case "server/discover":
            offered = capabilities(True)
            return {"supportedVersions": list(MODERN), "capabilities": offered, "instructions": INSTRUCTIONS}
        case "tools/list":
            from memoranda.views.operations.tools import TOOLS, definition

            return {"tools": [definition(one) for one in TOOLS]}
        case "prompts/list":
            return {"prompts": PROMPTS}
        case "prompts/get":
            return prompt(params)
        case "resources/templates/list":
            from memoranda.views.mcp.resources import TEMPLATES

            return {"resourceTemplates": TEMPLATES}
        case "tools/call" | "resources/list" | "resources/read" | "completion/complete":
            return _from_memory(desk, method, params, who, through or door(who))
    raise ProtocolError(METHOD_NOT_FOUND, "there is no such method")


def _from_memory(desk: Desk, method: str, params: Mapping[str, Any], who: Caller, through: Door) -> dict[str, Any]:
    from memoranda.views.mcp import resources

    if method == "tools/call":
        return _called(desk, params, through)
    if method == "resources/list":
        return resources.listed(desk, through, params.get("cursor"))
    if method == "resources/read":
        return resources.read(desk, through, params.get("uri"), who.modern)
    return resources.completed(desk, through, params)


def _called(desk: Desk, params: Mapping[str, Any], through: Door) -> dict[str, Any]:
    from memoranda.views.mcp.calling import result
    from memoranda.views.operations.tools import TOOLS, tool

    name, given = params.get("name"), params.get("arguments")
    found = tool(name) if isinstance(name, str) else None
    if found is None:
        raise ProtocolError(INVALID_PARAMS, "there is no such tool", {"tools": [one.name for one in TOOLS]})
    if given is not None and not isinstance(given, Mapping):
        raise ProtocolError(INVALID_PARAMS, "arguments is an object")
    return result(desk, found, given or {}, through)
