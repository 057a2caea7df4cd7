"""A published memory served: read at its address like any other, never written, and its health says which it is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, Callable

import pytest

from memoranda import Memory
from memoranda.views.mcp.session import Session
from memoranda.views.serving.desk import Desk

pytest.importorskip("lance")
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


@pytest.fixture
def published(memory: Memory, environ: dict[str, str], work: Path) -> Path:
    """Where a memory of one record stands, published. The cache is this test's own."""
    shared = Path(environ["MEMORANDA_CACHE"])
    own = work / "cache"
    own.mkdir()
    for entry in shared.iterdir() if shared.is_dir() else ():
        if entry.name != "shared":
            (own / entry.name).symlink_to(entry)
    environ["MEMORANDA_CACHE"] = str(own)
    memory.remember("Retries are capped at 5: the gateway drops longer chains")
    memory.push(str(work / "there"), create=True)
    return work / "there"


@pytest.fixture
def ask(published: Path, build: Callable[..., Any], environ: dict[str, str], work: Path) -> Any:
    return build(make=lambda: Desk(environ, work, published))


def test_c24_a_published_memory_is_read_over_http_and_never_written(ask: Any, published: Path) -> None:
    before = {path: path.read_bytes() for path in published.rglob("*") if path.is_file()}
    (hit,) = ask("GET", "/v1/recall?text=retries&lexical=true").document["data"]["concluded"]
    assert (hit["memory"], hit["authority"]) == (str(published), "foreign")
    assert ask("GET", f"/v1/records/{hit['record']['id']}").status == 200
    stands = ask("GET", "/v1/status").document["data"]
    assert (stands["kind"], stands["address"]) == ("published", str(published))
    for method, path, body in (
        ("POST", "/v1/records", {"text": "Not here"}),
        ("DELETE", f"/v1/records/{hit['record']['id']}", None),
        ("POST", "/v1/forget", {"superseded": True, "yes": True}),
    ):
        refused = ask(method, path, body)
        assert (refused.status, refused.document["outcome"]) == (400, "invalid"), path
        assert "only read" in refused.document["data"]["message"]
    assert {path: path.read_bytes() for path in published.rglob("*") if path.is_file()} == before


def test_health_of_a_published_memory_is_that_it_is_read(ask: Any, published: Path) -> None:
    health = ask("GET", "/health")
    assert health.status == 200
    assert {name: health.document[name] for name in ("status", "reads", "writes", "only_read")} == {
        "status": "ok", "reads": True, "writes": False, "only_read": True,
    }  # fmt: skip
    assert "only read" in health.document["reasons"][0]


def test_health_is_none_where_nothing_is_published(published: Path, build: Any, environ: Any, work: Path) -> None:
    shutil.rmtree(published)
    health = build(make=lambda: Desk(environ, work, f"file://{published}"))("GET", "/health")
    assert (health.status, health.document["reads"]) == (503, False)


def test_c24_the_tools_read_a_published_memory_by_its_address(
    published: Path, environ: dict[str, str], work: Path
) -> None:
    sent: list[Any] = []
    session = Session(Desk(environ, work, str(published)), sent.append)
    for number, (name, arguments) in enumerate((("recall", {"text": "retries"}), ("remember", {"text": "Not here"}))):
        params = {"name": name, "arguments": {**arguments, "format": "json"}, "_meta": META}
        session.take(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode())
    session.end(60.0)
    read, refused = (got["result"]["structuredContent"] for got in sorted(sent, key=lambda got: got["id"]))
    assert [hit["memory"] for hit in read["data"]["concluded"]] == [str(published)]
    assert refused["outcome"] == "invalid"
