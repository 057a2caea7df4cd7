"""What a request of 2026-07-28 repeats in its headers, so that what stands between need not read bodies: it must say
there what it says inside."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Mapping

from memoranda.views.mcp.eras import VERSION_KEY
from memoranda.views.mcp.messages import Message, ProtocolError

HEADER_MISMATCH = -32020

#: Method -> the parameter that `Mcp-Name` repeats.
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_ROUTING = ("mcp-protocol-version", "mcp-method", "mcp-name")
_coded = re.compile(r"=\?base64\?(.*)\?=").fullmatch


def agree(headers: Mapping[str, str], repeated: frozenset[str], message: Message) -> None:
    """Raises `ProtocolError` where headers and body do not agree."""
    doubled = [name for name in _ROUTING if name in repeated]
    if doubled:
        raise ProtocolError(HEADER_MISMATCH, f"{doubled[0]} stands more than once")
    meta = message.params.get("_meta")
    said = {"mcp-protocol-version": meta.get(VERSION_KEY) if isinstance(meta, Mapping) else None}
    said["mcp-method"] = message.method
    name = NAMED.get(message.method)
    if name is not None and message.params.get(name) is not None:
        said["mcp-name"] = message.params[name]
    for header, value in said.items():
        if header not in headers or decoded(headers[header]) != value:
            raise ProtocolError(HEADER_MISMATCH, f"{header} does not say what the request says")


def decoded(value: str) -> str | None:
    """A header's value; in the form `=?base64?…?=` it is UTF-8. None for one that cannot be read."""
    match = _coded(value)
    if match is None:
        return value
    try:
        return base64.b64decode(match[1], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
