"""Routes: each is an operation, answers with the same document as the command line, and refuses what it refuses."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any, Callable, Iterator
from urllib.parse import unquote

import pytest

from memoranda import Memory
from memoranda.memory import serving
from memoranda.model.errors import Unavailable
from memoranda.truth.lock import WriteLock
from memoranda.views.commands.call import SHARED
from memoranda.views.http.api import arguments
from memoranda.views.http.limits import Limits
from memoranda.views.operations.routes import ROUTES, Route, taken
from memoranda.views.operations.tools import tool
from memoranda.views.serving.exchange import STATUS

NOWHERE = "mem_000000000000"


def test_each_route_is_an_operation_that_needs_no_terminal() -> None:
    assert len({(route.method, route.path) for route in ROUTES}) == len(ROUTES)
    assert len({route.name for route in ROUTES}) == len(ROUTES)
    for route in ROUTES:
        assert route.command in SHARED
        assert taken(route)
        assert ("{" in route.path) == (route.place is not None)
        assert route.method in ("POST", "DELETE") or not route.mutates


# -- the same answers as the command line, whoever asks


@pytest.fixture
def command(
    environ: dict[str, str], work: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., bytes]:
    """What the command line prints, run in this process with an environment of its own."""
    from memoranda.views.cli.run import run

    def ran(*words: str) -> bytes:
        for name in set(os.environ) - environ.keys():
            monkeypatch.delenv(name)
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(work)
        run([*words, "--json"])
        return capfd.readouterr().out.encode()

    return ran


CASES: tuple[tuple[list[str], str, str, Any], ...] = (
    (["recall", "retries gateway"], "GET", "/v1/recall?text=retries%20gateway", None),
    (["recall", "retries", "--kind", "record", "--kind", "turn", "--limit", "1", "--weak"], "GET",
     "/v1/recall?text=retries&kind=record&kind=turn&limit=1&weak=true", None),
    (["recall", "nothing of the kind"], "GET", "/v1/recall?text=nothing+of+the+kind", None),
    (["recall", "x", "--since", "yesteryear"], "GET", "/v1/recall?text=x&since=yesteryear", None),
    (["core"], "GET", "/v1/core", None),
    (["sessions"], "GET", "/v1/sessions", None),
    (["status"], "GET", "/v1/status", None),
    (["check"], "GET", "/v1/problems", None),
    (["history", NOWHERE], "GET", f"/v1/records/{NOWHERE}/history", None),
    (["get", NOWHERE], "GET", f"/v1/records/{NOWHERE}", None),
    (["get", "turn:claude/none/1"], "GET", "/v1/turns/claude/none/1", None),
    (["get", "turn:nonsense"], "GET", "/v1/turns/nonsense", None),
    (["open", "evidence:sha256:" + "0" * 64], "GET", "/v1/evidence/sha256:" + "0" * 64, None),
    (["forget", NOWHERE, "--reason", "gone"], "DELETE", f"/v1/records/{NOWHERE}?reason=gone", None),
    (["forget", "--expired", "--superseded"], "POST", "/v1/forget", {"expired": True, "superseded": True}),
    (["forget"], "POST", "/v1/forget", {}),
    (["verify", NOWHERE], "POST", f"/v1/records/{NOWHERE}/verify", {}),
    (["verify"], "POST", "/v1/verify", {}),
    (["remember", "the password is hunter2hunter2"], "POST", "/v1/records", {"text": "the password is hunter2hunter2"}),
    (["remember", "x", "--supersedes", "nonsense"], "POST", "/v1/records", {"text": "x", "supersedes": ["nonsense"]}),
    (["remember", "x", "--observed", "never"], "POST", "/v1/records", {"text": "x", "observed": "never"}),
    (["--project", "core"], "GET", "/v1/core?project=true", None),
)  # fmt: skip


#: What the command line takes where nothing is said, and a model is given less.
AS_AT_THE_TERMINAL = {"recall": {"limit": 8, "budget_tokens": 4000}, "sessions": {"limit": 50}}


def as_tool_call(method: str, path: str, body: Any) -> tuple[str, dict[str, Any]]:
    """The tool that does the same and its arguments, "" where none does. What holds nothing opens nothing."""
    path, _, query = unquote(path).partition("?")
    for route in ROUTES:
        pattern = re.sub(
            r"\{(\w+)\}", r"(?P<\1>.+)" if route.place and route.place.deep else r"(?P<\1>[^/]+)", route.path
        )
        match = re.fullmatch(pattern, path)
        if match and route.method == method and tool(route.command):
            data = json.dumps(body).encode() if method == "POST" else b""
            given = arguments(route, data, match.groupdict(), query)
            return route.command, AS_AT_THE_TERMINAL.get(route.command, {}) | given
    return "", {}


@pytest.mark.parametrize(("words", "method", "path", "body"), CASES, ids=lambda value: str(value)[:40])
def test_a65_c24_the_bytes_are_those_of_the_command_line(
    words: list[str], method: str, path: str, body: Any, ask: Any, memory: Memory, command: Callable[..., bytes]
) -> None:
    memory.remember("Retries are capped at 5 because the gateway drops longer chains")
    memory.close()
    expected = command(*words)
    got = ask(method, path, body)
    assert got.body == expected
    document = json.loads(expected)
    name, given = as_tool_call(method, path, body)
    if name:
        made = called(ask, name, {**given, "format": "json"}).document["result"]
        assert made["structuredContent"] == document
    assert got.status == (422 if document["outcome"] == "refused" else STATUS.get(document["outcome"], 200))


def test_b75_the_sdk_and_every_server_give_equal_results_for_equal_input(ask: Any, memory: Memory) -> None:
    from memoranda.views.render.plain import plain

    for n in range(12):
        memory.remember(f"Service {n} retries {n % 7} times and then gives up", category="decision")
    found = plain(memory.recall("how often does service 3 retry", limit=5, lexical=True))
    block = plain(memory.core())
    memory.close()
    path = "/v1/recall?lexical=true&limit=5&text=how%20often%20does%20service%203%20retry"
    given = {"text": "how often does service 3 retry", "limit": 5, "lexical": True, "budget_tokens": 4000}
    tool = called(ask, "recall", {**given, "format": "json"}).document["result"]["structuredContent"]["data"]
    assert ask("GET", path).document["data"] == found == tool
    assert ask("GET", "/v1/core").document["data"] == block
    assert called(ask, "core", {"format": "json"}).document["result"]["structuredContent"]["data"] == block


def test_b78_one_record_at_every_door(ask: Any, memory: Memory, command: Callable[..., bytes]) -> None:
    text = "Deploys to staging are fine on any weekday"
    kept = ask("POST", "/v1/records", {"text": text, "category": "preference", "tag": ["deploy"]}).document["data"][
        "record"
    ]
    assert text in (memory.root / kept["path"]).read_text()
    assert memory.get(kept["id"]).body == text  # type: ignore[union-attr]
    assert json.loads(command("get", kept["id"]))["data"] == kept
    assert ask("GET", f"/v1/records/{kept['id']}").document["data"] == kept
    headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "get"}
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    params = {"name": "get", "arguments": {"locator": kept["id"], "format": "json"}, "_meta": meta}
    called = ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, headers)
    assert called.document["result"]["structuredContent"]["data"] == kept
    assert (kept["channel"], kept["principal"]) == ("agent", "agent")


def test_a_record_is_corrected_and_retired_over_http(ask: Any) -> None:
    first = ask("POST", "/v1/records", {"text": "Retries are capped at 5"}).document["data"]["record"]["id"]
    second = ask("POST", "/v1/records", {"text": "Retries are capped at 7", "supersedes": [first]}).document
    id = second["data"]["record"]["id"]
    chain = ask("GET", f"/v1/records/{first}/history").document["data"]
    assert [row["record"]["id"] for row in chain] == [id, first]
    assert ask("DELETE", f"/v1/records/{id}?reason=wrong").document["outcome"] == "retired"
    found = ask("GET", "/v1/recall?text=retries&lexical=true").document["data"]["concluded"]
    assert [hit["record"]["id"] for hit in found] == [first]  # what replaced it is void


def test_b76_what_a_filter_finds_is_shown_first_and_retired_when_that_is_said(ask: Any) -> None:
    first = ask("POST", "/v1/records", {"text": "Retries are capped at 5"}).document["data"]["record"]["id"]
    ask("POST", "/v1/records", {"text": "Retries are capped at 7", "supersedes": [first]})
    shown = ask("POST", "/v1/forget", {"superseded": True})
    assert (shown.status, shown.document["outcome"], shown.document["ok"]) == (200, "found", False)
    assert ask("GET", f"/v1/records/{first}/history").document["data"][1]["state"] == "superseded"
    assert ask("POST", "/v1/forget", {"superseded": True, "yes": True}).document["outcome"] == "retired"
    assert ask("GET", f"/v1/records/{first}/history").document["data"][1]["state"] == "retired"


def test_evidence_comes_as_a_document_and_as_bytes_to_be_saved(ask: Any, memory: Memory, work: Path) -> None:
    page = work / "page.html"
    page.write_text("<p>The ferry to the island leaves at noon.</p>\n")
    memory.add_evidence(page)
    place = "sha256:" + hashlib.sha256(page.read_bytes()).hexdigest()
    memory.close()
    shown = ask("GET", f"/v1/evidence/{place}")
    assert (shown.status, shown.document["outcome"]) == (200, "opened")
    assert "/" not in shown.document["data"]["path"]
    piece = ask("GET", f"/v1/pieces/{place}")
    assert piece.body == page.read_bytes()
    assert piece.headers["content-type"] == "application/octet-stream"
    assert piece.headers["content-disposition"] == "attachment"
    assert piece.headers["x-content-type-options"] == "nosniff"


# -- what is asked wrongly


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v1/recall", None), ("GET", "/v1/recall?text=", None), ("GET", "/v1/recall?text=a&text=b", None),
        ("GET", "/v1/recall?text=a&limit=51", None), ("GET", "/v1/recall?text=a&limit=-1", None),
        ("GET", "/v1/recall?text=a&limit=1.5", None), ("GET", "/v1/recall?text=a&weak=perhaps", None),
        ("GET", "/v1/recall?text=a&kind=nothing", None), ("GET", "/v1/recall?text=" + "a" * 2049, None),
        ("GET", "/v1/recall?text=%ff", None), ("GET", "/v1/recall?text=" + "0" * 2049, None),
        ("GET", "/v1/recall?text=a&memory=/etc", None),
        ("GET", "/v1/recall?text=a&json=true", None), ("GET", "/v1/recall?" + "kind=turn&" * 300, None),
        ("GET", "/v1/turns/a/b/1?locator=x", None), ("GET", "/v1/evidence/..%2f..%2fetc%2fpasswd", None),
        ("GET", "/v1/records/..%00", None), ("GET", "/v1/problems?repair=true", None),
        ("GET", "/v1/problems?deep=true", None),
        ("POST", "/v1/records", b""), ("POST", "/v1/records", b"{"), ("POST", "/v1/records", b"[]"),
        ("POST", "/v1/records", b"null"), ("POST", "/v1/records", b'{"text":"a","text":"b"}'),
        ("POST", "/v1/records", b'{"text":NaN}'), ("POST", "/v1/records", b"\xff"),
        ("POST", "/v1/records", b"[" * 5000),
        ("POST", "/v1/records", {}), ("POST", "/v1/records", {"text": 1}), ("POST", "/v1/records", {"text": ["a"]}),
        ("POST", "/v1/records", {"text": "a", "tag": "b"}), ("POST", "/v1/records", {"text": "a", "tag": [1]}),
        ("POST", "/v1/records", {"text": "a", "inferred": "true"}),
        ("POST", "/v1/records", {"text": "a", "unknown": 1}),
        ("POST", "/v1/records", {"text": "a", "category": "gossip"}), ("POST", "/v1/records?text=a", {"text": "a"}),
        ("POST", "/v1/verify", {"id": NOWHERE}), ("DELETE", f"/v1/records/{NOWHERE}?id=x", None),
    ],
    ids=lambda value: str(value)[:50],
)  # fmt: skip
def test_it_is_told_in_a_document_with_a_next_step(shared: Any, method: str, path: str, body: Any) -> None:
    got = shared(method, path, body)
    assert (got.status, got.document["outcome"]) == (400, "invalid")
    assert got.document["data"]["hint"]


def test_an_answer_that_is_too_long_for_a_document_is_refused_as_at_the_protocols_door(
    build: Callable[..., Any], memory: Memory
) -> None:
    for n in range(60):
        memory.remember(f"Service {n} keeps its retries in table {n}", tags=[f"label-{n}-{m}" for m in range(60)])
    memory.close()
    ask = build()
    got = ask("GET", "/v1/recall?lexical=true&text=service+retries+table&limit=50&budget_tokens=16000")
    assert (got.status, got.document["outcome"]) == (400, "invalid")
    given = {"text": "service retries table", "limit": 50, "budget_tokens": 16000, "lexical": True, "format": "json"}
    assert called(ask, "recall", given).document["result"]["structuredContent"] == got.document


# -- nothing is changed while nothing holds writers apart


MUTATING = [route for route in ROUTES if route.mutates]
CHANGES = [
    ("remember", {"text": "Staging deploys need a second pair of eyes"}),
    ("forget", {"id": "{id}"}),
    ("verify", {}),
    ("verify", {"id": "{id}"}),
]


def changed(ask: Any, route: Route, id: str) -> Any:
    body = {"text": "Staging deploys need a second pair of eyes"} if route.command == "remember" else {}
    return ask(route.method, route.path.replace("{id}", id), body if route.method == "POST" else None)


def called(ask: Any, name: str, arguments: dict[str, Any], session: str = "") -> Any:
    """One tool call: of the old era with a session, else of the new."""
    params: dict[str, Any] = {"name": name, "arguments": arguments}
    headers = {"mcp-session-id": session}
    if not session:
        headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name}
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}
        }  # fmt: skip
    return ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, headers)


def introduced(ask: Any, version: str = "2025-03-26") -> str:
    message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": version}}
    session: str = ask("POST", "/mcp", message).headers["mcp-session-id"]
    return session


def broken(memory: Memory) -> None:
    raise Unavailable("this file system has no working lock", "keep the memory on a local disk")


def test_there_is_something_to_refuse() -> None:
    assert {route.command for route in MUTATING} == {"remember", "forget", "verify"} == {name for name, _ in CHANGES}


@pytest.mark.parametrize("layer", [None, broken], ids=["built without one", "no working lock"])
def test_b20_every_mutating_call_is_refused_with_the_reason(
    layer: Any, build: Callable[..., Any], memory: Memory
) -> None:
    id = memory.remember("Retries are capped at 5").record.id  # type: ignore[union-attr]
    memory.close()
    files = sorted(path for path in memory.root.rglob("*") if path.suffix in (".md", ".jsonl"))
    ask = build(layer=layer)
    session = introduced(ask)
    for route in MUTATING:
        got = changed(ask, route, id)
        assert (got.status, got.document["outcome"]) == (503, "unavailable")
        assert "lock" in got.document["data"]["message"]
    for name, given in CHANGES:
        arguments = {key: value.format(id=id) for key, value in given.items()}
        for got in (called(ask, name, arguments), called(ask, name, arguments, session)):
            assert got.status == 503
            assert "lock" in got.document["error"]["message"]
    one = {"jsonrpc": "2.0", "method": "tools/call"}
    batch = [{**one, "id": 1, "params": {"name": "recall", "arguments": {"text": "retries"}}},
             {**one, "id": 2, "params": {"name": "forget", "arguments": {"id": id}}}]  # fmt: skip
    got = ask("POST", "/mcp", batch, {"mcp-session-id": session})
    assert (got.status, "lock" in got.document["error"]["message"]) == (503, True)
    assert sorted(path for path in memory.root.rglob("*") if path.suffix in (".md", ".jsonl")) == files
    assert ask("GET", "/v1/recall?text=retries&lexical=true").status == 200
    assert called(ask, "recall", {"text": "retries"}).status == 200
    health = ask("GET", "/health")
    assert (health.status, health.document["reads"], health.document["writes"]) == (503, True, False)
    assert "lock" in health.document["reasons"][0]


def test_b20_with_a_lock_each_is_done_inside_it(
    build: Callable[..., Any], memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a call writes is written while the lock of that memory is held, by its own thread."""

    from contextlib import contextmanager

    from memoranda.truth import events, records

    inside: list[Path] = []
    seen: list[tuple[str, bool]] = []
    hold, create, append = WriteLock.hold, records.create, events.append

    @contextmanager
    def watched(self: WriteLock) -> Iterator[None]:
        with hold(self):
            inside.append(self.path)
            yield
            inside.pop()

    def writes(name: str, own: Any) -> Any:
        return lambda root, *rest: seen.append((name, root / ".lock" in inside)) or own(root, *rest)

    memory.close()
    monkeypatch.setattr(WriteLock, "hold", watched)
    monkeypatch.setattr(records, "create", writes("record", create))
    monkeypatch.setattr(events, "append", writes("event", append))
    ask = build(limits=Limits(threads=1))
    session = introduced(ask)
    kept = changed(ask, MUTATING[0], "").document
    assert kept["outcome"] == "stored"
    one = {"jsonrpc": "2.0", "method": "tools/call"}
    batch = [{**one, "id": 1, "params": {"name": "remember", "arguments": {"text": "Backups run at four"}}},
             {**one, "id": 2, "params": {"name": "verify", "arguments": {}}}]  # fmt: skip
    got = ask("POST", "/mcp", batch, {"mcp-session-id": session})
    assert (got.status, [reply["result"]["isError"] for reply in got.document]) == (200, [False, False])
    assert ask("DELETE", f"/v1/records/{kept['data']['record']['id']}").status == 200
    assert seen == [("record", True), ("record", True), ("event", True)]


def test_b20_a_memory_whose_lock_cannot_be_taken_at_all(
    ask: Any, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a file system without locks: the real layer says so."""
    import errno

    from memoranda.truth import lock

    def no_locks(fd: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(lock, "_take", no_locks)
    got = ask("POST", "/v1/records", {"text": "Backups run at four"})
    assert (got.status, "no working lock" in got.document["data"]["message"]) == (503, True)
    assert serving.Serving.ensure_lock is Memory.ensure_lock


def test_a_lock_that_another_holds_works(ask: Any, memory: Memory) -> None:
    with WriteLock(memory.root / ".lock").hold():
        memory.ensure_lock()
        assert ask("GET", "/health").document["writes"] is True


# -- tokens are what their settings say


@pytest.fixture
def many(environ: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('[tokens.reader]\nmay = ["read"]\n[tokens.crawler]\nchannel = "web"\n[tokens.robot]\n')
    environ["MEMORANDA_SETTINGS"] = str(file)


def test_a_token_that_may_only_read_changes_nothing(many: None, build: Callable[..., Any], memory: Memory) -> None:
    id = memory.remember("Retries are capped at 5").record.id  # type: ignore[union-attr]
    memory.close()
    ask = build("reader")
    for route in MUTATING:
        got = changed(ask, route, id)
        assert (got.status, got.document["outcome"]) == (403, "forbidden")
    assert called(ask, "forget", {"id": id}).status == 403
    assert called(ask, "remember", {"text": "x"}, introduced(ask)).status == 403
    assert ask("GET", f"/v1/records/{id}").status == 200


def test_the_channel_is_the_tokens_whatever_the_caller_says(
    many: None, build: Callable[..., Any], memory: Memory
) -> None:
    robot, crawler = build("robot"), build("crawler")
    kept = robot("POST", "/v1/records", {"text": "Retries are capped at 5"}).document["data"]["record"]
    assert (kept["channel"], kept["principal"], kept["confidence"]) == ("agent", "robot", "medium")
    claims = {"x-principal": "owner", "from": "owner@here", "cookie": "principal=owner"}
    body = {"text": "Ports are taken from the range above 7000", "confidence": "high", "source": "user_message"}
    kept = crawler("POST", "/v1/records", body, claims).document["data"]["record"]
    assert (kept["channel"], kept["principal"], kept["confidence"]) == ("web", "crawler", "low")
    text = called(crawler, "remember", {"text": "The mirror is synchronised at midnight"}).document["result"][
        "content"
    ][0]["text"]
    id = text.split()[1]
    assert memory.get(id).channel.value == "web"  # type: ignore[union-attr]
    own = memory.remember("Deploys wait for a person").record.id  # type: ignore[union-attr]
    memory.close()
    for ask in (robot, crawler):
        assert ask("DELETE", f"/v1/records/{own}").status == 400  # it weighs more than these doors


def test_a_session_is_good_for_its_own_token_alone(many: None, build: Callable[..., Any], memory: Memory) -> None:
    robot = build("robot")
    session = introduced(robot)
    other = next(
        path for path in (memory.root.parent / ".local/state/memoranda/tokens").iterdir() if path.name == "crawler"
    )
    secret = other.read_text().strip()
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    assert robot("POST", "/mcp", call, {"mcp-session-id": session}).status == 200
    assert robot("POST", "/mcp", call, {"mcp-session-id": session}, token=secret).status == 404
    assert robot("DELETE", "/mcp", None, {"mcp-session-id": session}, token=secret).status == 404
    assert robot("DELETE", "/mcp", None, {"mcp-session-id": session}).status == 204
    assert robot("POST", "/mcp", call, {"mcp-session-id": session}).status == 404
