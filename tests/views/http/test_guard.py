"""What every request passes, and what every answer carries, whatever it is asked and whatever a record holds."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any, Callable

import pytest
from support.scripts import SCRIPTS

from memoranda import Memory
from memoranda.memory.tokens import Tokens
from memoranda.views.http.checks import Names
from memoranda.views.http.guard import KEY, Guard
from memoranda.views.http.limits import Limits
from memoranda.views.operations.routes import ROUTES

PATHS = [route.path.replace("{id}", "mem_000000000000").replace("{locator}", "a/b/1") for route in ROUTES]
EVERY = [*zip((route.method for route in ROUTES), PATHS, strict=True), ("GET", "/openapi.json"), ("POST", "/mcp"),
         ("GET", "/mcp"), ("DELETE", "/mcp"), ("GET", "/nowhere"), ("GET", "/")]  # fmt: skip


@pytest.mark.parametrize(("method", "path"), EVERY)
def test_nothing_but_health_is_answered_without_a_token_that_is_known(shared: Any, method: str, path: str) -> None:
    body = {} if method == "POST" else None
    for token in ("", "wrong", "x" * 43, shared.secret[:-1], shared.secret.upper()):
        got = shared(method, path, body, token=token)
        assert (got.status, got.document["outcome"]) == (401, "unauthorized")
        assert got.headers["www-authenticate"] == "Bearer"
    assert shared(method, path, body, {"host": "evil.example"}).status == 421
    assert shared(method, path, body, {"origin": "http://evil.example"}).status == 403
    assert shared(method, path, body, peer="10.0.0.1").status == 403
    assert shared("OPTIONS", path).status == 403


def test_a_token_in_the_address_is_none(shared: Any) -> None:
    for name in ("token", "access_token", "authorization"):
        assert shared("GET", f"/v1/status?{name}={shared.secret}", token="").status == 401


@pytest.mark.parametrize(("method", "path"), [*EVERY, ("GET", "/health")])
def test_no_answer_is_a_page_or_lets_another_origin_in(shared: Any, method: str, path: str) -> None:
    for changed in ({}, {"host": "evil.example"}, {"authorization": ""}):
        got = shared(method, path, {} if method == "POST" else None, changed)
        shown = got.headers
        assert shown.get("content-type", "application/json") in ("application/json", "text/event-stream")
        assert shown["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in shown["content-security-policy"]
        assert "sandbox" in shown["content-security-policy"]
        assert shown["cache-control"] == "no-store"
        assert shown["cross-origin-resource-policy"] == "same-origin"
        assert not [name for name in shown if name.startswith("access-control") or name in ("set-cookie", "server")]
        assert b"Traceback" not in got.body


def test_there_are_enough_of_them() -> None:
    assert len(set(SCRIPTS)) >= 100


@pytest.mark.parametrize("text", SCRIPTS)
def test_c32_what_looks_like_a_page_stays_a_string_in_a_document(shared: Any, text: str) -> None:
    """In the question, in the path, as an argument's name and value, as a record id, in a message of the protocol."""
    from urllib.parse import quote

    coded = quote(text, safe="")
    message = {"jsonrpc": "2.0", "id": text, "method": text, "params": {"name": text}}
    for got in (
        shared("GET", f"/v1/recall?lexical=true&text={coded}"),
        shared("GET", f"/v1/records/{coded}"),
        shared("GET", f"/v1/turns/{coded}"),
        shared("GET", f"/v1/status?{coded}={coded}"),
        shared("GET", f"/v1/sessions?since={coded}"),
        shared("DELETE", f"/v1/records/{coded}?reason={coded}"),
        shared("POST", "/v1/records", {text: text}),
        shared("GET", f"/{coded}"),
        shared("POST", "/mcp", message),
        shared("GET", "/health", headers={"x-forwarded-host": "evil.example", "referer": "http://evil.example"}),
    ):
        assert got.status in (200, 400, 404), got
        assert got.headers["content-type"] == "application/json"
        assert got.headers["x-content-type-options"] == "nosniff"
        assert re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", got.body) is None
        assert b"\xe2\x80\xa8" not in got.body
        assert b"\xe2\x80\xae" not in got.body or got.document.get("jsonrpc")
        json.loads(got.body)
    asked = shared("GET", f"/v1/recall?lexical=true&text={coded}")
    if asked.status == 200:
        assert asked.document["data"]["query"]["text"] == text


def test_c32_a_record_that_holds_a_page_leaves_as_the_same_text(ask: Any, memory: Memory) -> None:
    bodies = {f"The banner of the shop reads {text}" for text in SCRIPTS[::5]}
    kept = {
        body: ask("POST", "/v1/records", {"text": body, "tags": []} | {"tag": ["shop"]} if False else {"text": body})
        for body in bodies
    }
    stored = [got.document["data"]["record"] for got in kept.values() if got.document["outcome"] == "stored"]
    assert stored
    for record in stored:
        assert record["body"] in bodies
        assert ask("GET", f"/v1/records/{record['id']}").document["data"]["body"] == record["body"]


# -- bodies in time, and shares


def guarded(tokens: Tokens, limits: Limits, inner: Any) -> Guard:
    return Guard(inner, Names.at(7411), tokens, limits)


def scope_of(tokens: Tokens, method: str = "POST") -> dict[str, Any]:
    secret = tokens.known[0].file.read_bytes().strip()
    headers = [
        (b"host", b"127.0.0.1:7411"),
        (b"authorization", b"Bearer " + secret),
        (b"content-type", b"application/json"),
    ]
    return {"type": "http", "method": method, "path": "/mcp", "client": ("127.0.0.1", 1), "headers": headers}


async def reached(scope: Any, receive: Any, send: Any) -> None:
    body = json.dumps(len(scope[KEY].body)).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": body})


async def sent_to(guard: Guard, scope: Any, messages: list[Any], wait: float = 0) -> tuple[int, bytes]:
    sent: list[Any] = []
    given = iter(messages)

    async def receive() -> Any:
        await asyncio.sleep(wait)
        for message in given:
            return message
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    await guard(scope, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


def pieces(*data: bytes, ended: bool = True) -> list[Any]:
    last = len(data) - 1
    return [{"type": "http.request", "body": one, "more_body": not ended or n < last} for n, one in enumerate(data)]


@pytest.mark.parametrize(
    ("messages", "status"),
    [
        (pieces(b"{", b"}"), 200),
        (pieces(b"x" * 1001), 413),
        (pieces(*[b"x" * 100] * 11), 413),
        (pieces(*[b"x" * 100] * 11, ended=False), 413),
        (pieces(b"{", ended=False), 408),
        ([], 408),
        ([{"type": "http.disconnect"}], 400),
    ],
)
def test_a_body_is_whole_and_in_time_or_refused(tokens: Tokens, messages: list[Any], status: int) -> None:
    limits = Limits(body_bytes=1000, body_seconds=0.05, body_most=0.1)
    got = asyncio.run(sent_to(guarded(tokens, limits, reached), scope_of(tokens), messages))
    assert got[0] == status


def test_a_body_that_trickles_is_not_waited_for(tokens: Tokens) -> None:
    """A byte at a time, each well before the bound of a single wait."""
    limits = Limits(body_seconds=0.05, body_rate=1000, body_most=5.0)
    trickle = sent_to(guarded(tokens, limits, reached), scope_of(tokens), pieces(*[b"x"] * 10_000), wait=0.005)
    assert asyncio.run(trickle)[0] == 408


def test_each_has_a_share_and_what_is_too_much_is_told_to_come_later(tokens: Tokens) -> None:
    async def held() -> list[int]:
        gate = asyncio.Event()

        async def slow(scope: Any, receive: Any, send: Any) -> None:
            await gate.wait()
            await reached(scope, receive, send)

        guard = guarded(tokens, Limits(requests_each=3), slow)
        waiting = [asyncio.create_task(sent_to(guard, scope_of(tokens), pieces(b"{}"))) for _ in range(3)]
        await asyncio.sleep(0)
        refused = [(await sent_to(guard, scope_of(tokens), pieces(b"{}")))[0] for _ in range(5)]
        gate.set()
        done = [(await task)[0] for task in waiting]
        return [*refused, *done, (await sent_to(guard, scope_of(tokens), pieces(b"{}")))[0]]

    assert asyncio.run(held()) == [429] * 5 + [200] * 4


def test_a_stream_counts_as_one_and_no_longer_as_a_request(tokens: Tokens) -> None:
    async def streaming() -> list[Any]:
        gate, rooms = asyncio.Event(), []

        async def stream(scope: Any, receive: Any, send: Any) -> None:
            rooms.append(scope[KEY].room())
            await send(
                {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]}
            )
            await gate.wait()
            await send({"type": "http.response.body", "body": b""})

        guard = guarded(tokens, Limits(requests_each=1, streams_each=2), stream)
        tasks = []
        for _ in range(3):
            tasks.append(asyncio.create_task(sent_to(guard, scope_of(tokens), pieces(b"{}"))))
            for _ in range(5):
                await asyncio.sleep(0)
        gate.set()
        return [*rooms, *[(await task)[0] for task in tasks]]

    assert asyncio.run(streaming()) == [True, True, False, 200, 200, 200]


def test_overload_behind_the_guard_is_a_429_too(build: Callable[..., Any], memory: Memory) -> None:
    ask = build(limits=Limits(waiting=0))
    got = ask("GET", "/v1/status")
    assert (got.status, got.document["outcome"]) == (429, "overloaded")
    assert got.headers["retry-after"] == "1"
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}
    session = ask("POST", "/mcp", message).headers["mcp-session-id"]
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "status"}}
    assert ask("POST", "/mcp", call, {"mcp-session-id": session}).status == 429
