"""What every request passes before a handler sees it: checks, the token, its share of the server, its body in time.

An ASGI application around another. Every answer leaves with the same headers, and an answer that was given before the
body was read closes the connection.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, Awaitable, Callable, MutableMapping

from memoranda.memory.tokens import Token, Tokens
from memoranda.model.record import Door
from memoranda.views.http.checks import Names, Refusal, bearer, refusal
from memoranda.views.http.limits import Limits
from memoranda.views.serving.exchange import Asked
from memoranda.views.terminal import to_json

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

#: Nothing of ours is ever a page, whatever a record holds.
HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"cache-control", b"no-store"),
    (
        b"content-security-policy",
        b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox",
    ),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
)
#: Answered without a token, and then with little.
OPEN_PATHS = frozenset({"/health"})
KEY = "memoranda"

_OVERLOADED = (429, "overloaded", "too much is asked at once", "ask again later", (("retry-after", "1"),))
_UNKNOWN = (401, "unauthorized", "a token is needed", "send Authorization: Bearer with the token of your settings",
            (("www-authenticate", "Bearer"),))  # fmt: skip


class Guard:
    """`app` finds the request as `scope[KEY]`, an `Asked`, or None on an open path without a token."""

    def __init__(self, app: App, names: Names, tokens: Tokens, limits: Limits) -> None:
        self._app, self._names, self._tokens, self._limits = app, names, tokens, limits
        self._requests: Counter[str] = Counter()
        self._streams: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError(f"{scope['type']} is not served")
        peer, headers = (scope.get("client") or ("",))[0], scope["headers"]
        refused = refusal(peer, scope["method"], headers, self._names, self._limits)
        token = None
        if refused is None:
            secret = bearer(headers)
            token = self._tokens.holder(secret) if secret else None
            if token is None and (secret or scope["path"] not in OPEN_PATHS):
                refused = Refusal(*_UNKNOWN)
        if refused is None and not self._free(token):
            refused = Refusal(*_OVERLOADED)
        if refused is not None:
            await _refuse(refused, send)
            return
        await self._admitted(token, scope, receive, send)

    def _free(self, token: Token | None) -> bool:
        limits = self._limits
        return self._requests.total() < limits.requests and self._requests[_name(token)] < limits.requests_each

    def _room(self, token: Token) -> bool:
        limits = self._limits
        return self._streams.total() < limits.streams and self._streams[token.name] < limits.streams_each

    async def _admitted(self, token: Token | None, scope: Scope, receive: Receive, send: Send) -> None:
        counted = self._requests
        name = _name(token)
        counted[name] += 1

        async def sent(message: Message) -> None:
            nonlocal counted
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *HEADERS]
                if any(
                    key == b"content-type" and kind.startswith(b"text/event-stream") for key, kind in message["headers"]
                ):
                    counted[name] -= 1
                    counted = self._streams
                    counted[name] += 1
            await send(message)

        try:
            body = await _body(receive, self._limits) if scope["method"] == "POST" else b""
            if isinstance(body, Refusal):
                await _refuse(body, send)
                return
            scope[KEY] = None if token is None else self._asked(token, scope, body)
            await self._app(scope, receive, sent)
        finally:
            counted[name] -= 1

    def _asked(self, token: Token, scope: Scope, body: bytes) -> Asked:
        names = Counter(key.decode("latin-1") for key, _ in scope["headers"])
        headers = {key.decode("latin-1"): value.decode("latin-1").strip() for key, value in scope["headers"]}
        headers.pop("authorization", None)  # nobody behind needs it
        repeated = frozenset(name for name, times in names.items() if times > 1)
        door = Door(token.channel, token.name, "http")
        return Asked(scope["method"], headers, repeated, body, door, token.writes, lambda: self._room(token))


async def overloaded(scope: Scope, receive: Receive, send: Send) -> None:
    """The application of a connection too many."""
    await _refuse(Refusal(*_OVERLOADED), send)


def _name(token: Token | None) -> str:
    return token.name if token else ""


async def _body(receive: Receive, limits: Limits) -> bytes | Refusal:
    """The body, whole and in time, or why not. What a client that went away had sent is as good as nothing."""
    start = asyncio.get_running_loop().time()
    body = bytearray()
    while True:
        allowed = min(limits.body_seconds + len(body) / limits.body_rate, limits.body_most)
        try:
            async with asyncio.timeout_at(start + allowed):
                message = await receive()
        except TimeoutError:
            return Refusal(408, "too_slow", "the body did not come in time")
        if message["type"] == "http.disconnect":
            return Refusal(400, "invalid", "the body ended early")
        body += message.get("body", b"")
        if len(body) > limits.body_bytes:
            return Refusal(413, "too_large", f"a body may have {limits.body_bytes:,} bytes")
        if not message.get("more_body"):
            return bytes(body)


async def _refuse(refused: Refusal, send: Send) -> None:
    """Answer and hang up: the rest of what was sent is not read."""
    text = to_json(envelope(refused.code, refused.message, refused.hint)) + "\n"
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(text.encode())).encode()),
        (b"connection", b"close"),
        *((name.encode(), value.encode()) for name, value in refused.headers),
        *HEADERS,
    ]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode()})


def envelope(code: str, message: str, hint: str = "") -> dict[str, Any]:
    """What HTTP itself refuses, in the document that every operation answers with."""
    return {"format": 1, "ok": False, "outcome": code, "data": {"message": message, "hint": hint}, "problems": [],
            "notices": [], "index": {}}  # fmt: skip
