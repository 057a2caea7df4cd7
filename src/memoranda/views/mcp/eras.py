"""The two eras of the protocol: what a request says about its own, and how a result must look in each.

Until 2025-11-25 a client introduces itself once (`initialize`); since 2026-07-28 every request says who asks and in
which version, and nothing else is remembered. One process serves both.
"""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple

from memoranda import __version__
from memoranda.views.mcp.messages import INVALID_PARAMS, INVALID_REQUEST, UNSUPPORTED_VERSION, Message, ProtocolError

LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = ("2026-07-28",)

_KEY = "io.modelcontextprotocol/"
VERSION_KEY, CLIENT_KEY, CAPABILITIES_KEY = _KEY + "protocolVersion", _KEY + "clientInfo", _KEY + "clientCapabilities"
SERVER_KEY, SUBSCRIPTION_KEY = _KEY + "serverInfo", _KEY + "subscriptionId"

SERVER = {"name": "memoranda", "title": "memoranda", "version": __version__}

#: How long a list may be kept, in milliseconds: ours change only with the program. What holds memory is never kept.
LIST_TTL_MS = 3_600_000
_PUBLIC = frozenset({"server/discover", "tools/list", "prompts/list", "resources/templates/list"})
_PRIVATE = frozenset({"resources/list", "resources/read"})


class Caller(NamedTuple):
    """Who asks, as far as the protocol says: `modern` is the era, `name` what the client calls itself."""

    modern: bool
    version: str
    name: str


def caller(message: Message, introduced: Caller | None) -> Caller:
    """Who sent a request: what it says of itself, or who introduced themselves before.

    Raises `ProtocolError` for an unknown version, for a modern request without what it must carry, and for an old one
    before `initialize`.
    """
    meta = message.params.get("_meta")
    meta = meta if isinstance(meta, Mapping) else {}
    version = meta.get(VERSION_KEY)
    if version is None:
        if introduced is None:
            raise ProtocolError(INVALID_REQUEST, "say initialize first, or name the protocol version in _meta")
        return introduced
    if version not in MODERN:
        data = {"supported": list(MODERN), "requested": version if isinstance(version, str) else None}
        raise ProtocolError(UNSUPPORTED_VERSION, "this protocol version is not served without initialize", data)
    if not isinstance(meta.get(CAPABILITIES_KEY), Mapping):
        raise ProtocolError(INVALID_PARAMS, f"_meta lacks {CAPABILITIES_KEY}")
    return Caller(True, str(version), name_of(meta.get(CLIENT_KEY)))


def introduction(params: Mapping[str, Any]) -> Caller:
    """The old era's `initialize`: the version asked for if it is one we know, else our newest of that era."""
    asked = params.get("protocolVersion")
    return Caller(False, asked if asked in LEGACY else LEGACY[-1], name_of(params.get("clientInfo")))


def name_of(info: Any) -> str:
    """What a client calls itself, as a principal can be written: lower case, plain signs, at most 32; "" for none."""
    name = info.get("name") if isinstance(info, Mapping) else ""
    text = name.lower() if isinstance(name, str) else ""
    plain = "".join(char if char.isascii() and (char.isalnum() or char in "._-") else "-" for char in text)
    return plain[:32].strip("-")


def dressed(method: str, value: dict[str, Any], who: Caller) -> dict[str, Any]:
    """A result as its era wants it."""
    if not who.modern:
        return value
    kept: dict[str, Any] = {}
    if method in _PUBLIC:
        kept = {"ttlMs": LIST_TTL_MS, "cacheScope": "public"}
    elif method in _PRIVATE:
        kept = {"ttlMs": 0, "cacheScope": "private"}
    meta = {**value.get("_meta", {}), SERVER_KEY: SERVER}
    return {"resultType": "complete", **value, **kept, "_meta": meta}
