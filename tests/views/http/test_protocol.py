"""The Model Context Protocol over a socket, through the official client, in both eras."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from typing import Any, AsyncIterator, Callable

import pytest

from memoranda import Memory

pytest.importorskip("mcp", reason="the official client is not installed: pip install -r requirements-dev.txt")

SECONDS = 60
TOOLS = ["recall", "get", "remember", "core", "history", "verify", "sessions", "forget", "status", "open"]


@asynccontextmanager
async def client_of(served: Any, mode: str, heard: list[Any] | None = None) -> AsyncIterator[Any]:
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    async def handler(message: Any) -> None:
        if heard is not None:
            heard.append(message)

    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {served.secret}"}, timeout=SECONDS) as http:
        transport = streamable_http_client(f"{served.url}/mcp", http_client=http)
        async with Client(transport, mode=mode, message_handler=handler) as client:
            yield client


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a20_b76_every_tool_through_the_official_client(mode: str, serve: Callable[..., Any], memory: Memory) -> None:
    async def walked() -> Any:
        async with client_of(served, mode) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            text = "Retries are capped at 5 because the gateway drops longer chains"
            calls = [("remember", {"text": text}), ("recall", {"text": "retries gateway"})]
            calls += [(name, {}) for name in ("core", "verify", "sessions", "status")]
            calls += [("get", {"locator": "turn:claude/none/1"}), ("open", {"locator": "evidence:sha256:" + "0" * 64})]
            answers, failed = {}, []
            for name, given in calls:
                result = await client.call_tool(name, given)
                answers[name] = result.content[0].text
                failed += [name] if result.is_error else []
            id = answers["remember"].split()[1]
            resource = (await client.read_resource(f"memoranda://record/{id}")).contents[0].text
            for name in ("history", "forget"):
                answers[name] = (await client.call_tool(name, {"id": id})).content[0].text
            prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
            return client.protocol_version, tools, answers, failed, resource, prompts

    served = serve()
    version, tools, answers, failed, resource, prompts = asyncio.run(walked())
    assert version == ("2026-07-28" if mode == "auto" else "2025-11-25")
    assert tools == TOOLS
    assert answers["remember"].startswith("stored mem_")
    assert "Retries are capped at 5" in answers["recall"]
    assert "Retries are capped at 5" in resource
    assert failed == ["get", "open"]
    assert "is no longer recalled" in answers["forget"]
    assert prompts == ["start", "review"]
    assert served.stop() == 0


def test_a20_two_clients_and_two_transports_get_equal_bytes(serve: Callable[..., Any], memory: Memory) -> None:
    """The official client in both eras, and a plain request; over HTTP and over standard input and output."""
    import subprocess
    import sys

    memory.remember("Retries are capped at 5 because the gateway drops longer chains")
    memory.close()
    served = serve()
    given = {"text": "retries gateway", "lexical": True}

    async def asked(mode: str) -> str:
        async with client_of(served, mode) as client:
            text: str = (await client.call_tool("recall", given)).content[0].text
            return text

    texts = {asyncio.run(asked(mode)) for mode in ("legacy", "auto")}
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    params = {"name": "recall", "arguments": given, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "recall"}
    texts.add(served("POST", "/mcp", message, **headers).document["result"]["content"][0]["text"])
    words = [sys.executable, "-m", "memoranda.views.cli", "mcp"]
    done = subprocess.run(
        words, input=json.dumps(message).encode() + b"\n", capture_output=True, env=served.environ, cwd=served.cwd,
        timeout=SECONDS, check=False,
    )  # fmt: skip
    texts.add(json.loads(done.stdout)["result"]["content"][0]["text"])
    assert len(texts) == 1
    assert "Retries are capped at 5" in texts.pop()


@pytest.mark.filterwarnings("ignore:resources/subscribe is removed")
def test_b77_a_client_of_the_old_era_is_told_of_a_hand_edit(serve: Callable[..., Any], memory: Memory) -> None:
    record = memory.remember("Retries are capped at 5").record  # type: ignore[union-attr]
    memory.promote(record.id, core=True)
    kept = memory.get(record.id)
    memory.close()
    served = serve()
    heard: list[Any] = []

    async def listened() -> None:
        async with client_of(served, "legacy", heard) as client:
            for uri in (f"memoranda://record/{record.id}", "memoranda://core"):
                await client.subscribe_resource(uri)
            path = memory.root / kept.path  # type: ignore[union-attr]
            path.chmod(0o600)
            path.write_text(path.read_text() + "\nAn afterthought.\n")
            await until(lambda: {getattr(n.params, "uri", "") for n in heard if n.method.endswith("/updated")} >= {
                f"memoranda://record/{record.id}", "memoranda://core"})  # fmt: skip

    asyncio.run(listened())
    assert served.stop() == 0


def test_b77_a_client_of_the_new_era_listens_and_is_told_when_we_stop(
    serve: Callable[..., Any], memory: Memory
) -> None:
    record = memory.remember("Retries are capped at 5").record  # type: ignore[union-attr]
    memory.close()
    served = serve()
    uri = f"memoranda://record/{record.id}"
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    wishes = {"notifications": {"resourceSubscriptions": [uri], "resourcesListChanged": True}, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": "l1", "method": "subscriptions/listen", "params": wishes}
    connection = served.connection()
    connection.request("POST", "/mcp", json.dumps(message), {
        "Authorization": f"Bearer {served.secret}", "Content-Type": "application/json",
        "Mcp-Method": "subscriptions/listen", "MCP-Protocol-Version": "2026-07-28",
        "Accept": "application/json, text/event-stream"})  # fmt: skip
    reply = connection.getresponse()
    assert reply.getheader("content-type", "").startswith("text/event-stream")
    events = (json.loads(line[6:]) for line in iter(reply.readline, b"") if line.startswith(b"data: "))
    assert next(events)["method"] == "notifications/subscriptions/acknowledged"
    path = memory.root / record.path
    path.chmod(0o600)
    path.write_text(path.read_text() + "\nAn afterthought.\n")
    told = next(events)
    assert (told["method"], told["params"]["uri"]) == ("notifications/resources/updated", uri)
    assert told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == "l1"
    assert served.stop() == 0
    last = next(events)
    assert (last["id"], last["result"]["resultType"]) == ("l1", "complete")
    assert next(events, None) is None
    connection.close()


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(SECONDS):
        while not true():
            await asyncio.sleep(0.02)


# -- the transport's own rules


META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
NEW = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list"}
CALL = {**NEW, "mcp-method": "tools/call"}
SUBSCRIBE = {**NEW, "mcp-method": "resources/subscribe"}


def message(method: str = "tools/list", **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": META, **more}}


@pytest.mark.parametrize(
    ("body", "headers", "status", "code"),
    [
        (message(), NEW, 200, None),
        (message(), {}, 400, -32020),
        (message(), CALL, 400, -32020),
        (message(), {**NEW, "mcp-protocol-version": "2025-06-18"}, 400, -32020),
        (message("tools/call", name="status"), CALL, 400, -32020),
        (message("tools/call", name="status"), {**CALL, "mcp-name": "core"}, 400, -32020),
        (message("tools/call", name="status"), {**CALL, "mcp-name": "=?base64?c3RhdHVz?="}, 200,
         None),
        (message("tools/call", name="status"), {**CALL, "mcp-name": "=?base64?%%?="}, 400, -32020),
        (message("tools/call", name="none"), {**CALL, "mcp-name": "none"}, 400, -32602),
        (message("nothing/here"), {**NEW, "mcp-method": "nothing/here"}, 404, -32601),
        (message("resources/subscribe", uri="memoranda://core"), SUBSCRIBE, 404, -32601),
        (message(_meta={**META, "io.modelcontextprotocol/protocolVersion": "2099-01-01"}),
         {**NEW, "mcp-protocol-version": "2099-01-01"}, 400, -32022),
        (message(_meta={}), NEW, 400, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {}, 400, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {"mcp-session-id": "x" * 43}, 404, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {"mcp-protocol-version": "1999-01-01"}, 400, -32600),
        ({"jsonrpc": "2.0", "method": "notifications/initialized"}, {}, 202, None),
        ({"jsonrpc": "2.0", "method": "notifications/x"}, {"mcp-session-id": "x" * 43}, 404, None),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, {}, 202, None),
        ([message()], {}, 400, -32600), ([], {}, 400, -32600), ("x", {}, 400, -32600), (b"{", {}, 400, -32700),
        (message(), {**NEW, "accept": "text/html"}, 406, -32600),
        (message("subscriptions/listen", notifications={}), {**NEW, "mcp-method": "subscriptions/listen",
                                                             "accept": "application/json"}, 406, -32600),
    ],
)  # fmt: skip
def test_each_post_is_answered_by_the_rules(
    shared: Any, body: Any, headers: dict[str, str], status: int, code: int | None
) -> None:
    got = shared("POST", "/mcp", body, headers)
    assert got.status == status
    if code is not None:
        assert got.document["error"]["code"] == code
    elif status == 200:
        assert "result" in got.document


def test_a_client_that_takes_streams_alone_gets_one_event(shared: Any) -> None:
    got = shared("POST", "/mcp", message(), {**NEW, "accept": "text/event-stream"})
    assert got.headers["content-type"].startswith("text/event-stream")
    first, data, *_ = got.body.split(b"\n")
    assert (first, "tools" in json.loads(data.removeprefix(b"data: "))["result"]) == (b"event: message", True)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_the_new_era_has_no_stream_and_nothing_to_end(shared: Any, method: str) -> None:
    got = shared(method, "/mcp", None, {"mcp-protocol-version": "2026-07-28"})
    assert (got.status, got.headers["allow"]) == (405, "POST")
    assert shared(method, "/mcp", None, {"mcp-session-id": "nobody"}).status == 404


def test_an_old_sessions_mistakes_are_messages_not_failures_of_the_transport(shared: Any) -> None:
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}
    session = {"mcp-session-id": shared("POST", "/mcp", hello).headers["mcp-session-id"]}
    for method, params in (("nothing", {}), ("tools/call", {"name": "none"}), ("resources/read", {"uri": "x"}),
                           ("resources/subscribe", {"uri": "x"}), ("resources/unsubscribe", {})):  # fmt: skip
        got = shared("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, session)
        assert (got.status, "error" in got.document) == (200, True)
    for method in ("ping", "tools/list", "prompts/list", "resources/templates/list"):
        got = shared("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": method}, session)
        assert (got.status, "result" in got.document) == (200, True)


def test_sessions_make_room_and_cannot_be_guessed(shared: Any) -> None:
    from memoranda.views.mcp.sessions import MOST_EACH

    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}
    ids = [shared("POST", "/mcp", hello).headers["mcp-session-id"] for _ in range(MOST_EACH + 3)]
    assert len(set(ids)) == len(ids)
    assert all(len(id) >= 43 for id in ids)
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    alive = [shared("POST", "/mcp", ping, {"mcp-session-id": id}).status for id in ids]
    assert alive == [404] * 3 + [200] * MOST_EACH
