"""The official Python client, in both eras, against the server as it is installed."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from memoranda import Memory

pytest.importorskip("mcp", reason="the official client is not installed: pip install -r requirements-dev.txt")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a20_b76_every_tool_through_the_official_client(
    mode: str, environ: dict[str, str], work: Path, memory: Memory
) -> None:
    found = asyncio.run(walked(mode, environ, work))
    assert found["version"] == ("2026-07-28" if mode == "auto" else "2025-11-25")
    assert found["tools"] == [
        "recall", "get", "remember", "core", "history", "verify", "sessions", "forget", "status", "open"
    ]  # fmt: skip
    assert found["answers"]["remember"].startswith("stored mem_")
    assert "Retries are capped at 5" in found["answers"]["recall"]
    assert found["failed"] == ["get"]
    assert "is no longer recalled" in found["answers"]["forget"]
    assert "Retries are capped at 5" in found["resource"]
    assert found["prompts"] == ["start", "review"]


async def walked(mode: str, environ: dict[str, str], work: Path) -> dict[str, Any]:
    from mcp import Client, StdioServerParameters

    words = ["-m", "memoranda.views.cli", "mcp"]
    server = StdioServerParameters(command=sys.executable, args=words, env=environ, cwd=work)
    async with Client(server, mode=mode) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        answers: dict[str, str] = {}
        failed = []
        text = "Retries are capped at 5 because the gateway drops longer chains"
        calls: list[tuple[str, dict[str, Any]]] = [
            ("remember", {"text": text}),
            ("recall", {"text": "retries gateway"}),
        ]
        calls += [(name, {}) for name in ("core", "verify", "sessions", "status")]
        calls += [("get", {"locator": "turn:claude/none/1"})]
        for name, given in calls:
            result = await client.call_tool(name, given)
            answers[name] = result.content[0].text
            failed += [name] if result.is_error else []
        id = answers["remember"].split()[1]
        resource = await client.read_resource(f"memoranda://record/{id}")
        for name in ("history", "forget"):
            answers[name] = (await client.call_tool(name, {"id": id})).content[0].text
        prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
        return {
            "version": client.protocol_version, "tools": tools, "answers": answers, "failed": failed,
            "resource": resource.contents[0].text, "prompts": prompts,
        }  # fmt: skip


@pytest.mark.parametrize("kind", ["text", "image"])
def test_evidence_comes_as_what_it_is_and_leaves_no_file(
    kind: str, environ: dict[str, str], work: Path, memory: Memory
) -> None:
    source = work.parent / ("page.txt" if kind == "text" else "dot.png")
    if kind == "text":
        source.write_text("The ferry to the island leaves at noon.\n")
    else:
        image = pytest.importorskip("PIL.Image")
        image.new("RGB", (40, 30), "red").save(source)
    memory.add_evidence(source)
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    memory.close()
    before = sorted(work.iterdir())
    environ = {**environ, "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    words, piece = asyncio.run(opened(environ, work, f"evidence:sha256:{digest}"))
    assert sorted(work.iterdir()) == before
    assert "memoranda-open-" not in words
    if kind == "text":
        assert "leaves at noon" in words
        assert piece.type == "resource"
        assert b"leaves at noon" in base64.b64decode(piece.resource.blob)
    else:
        assert (piece.type, piece.mime_type) == ("image", "image/png")
        assert base64.b64decode(piece.data).startswith(b"\x89PNG")


async def opened(environ: dict[str, str], work: Path, locator: str) -> tuple[str, Any]:
    from mcp import Client, StdioServerParameters

    words = ["-m", "memoranda.views.cli", "mcp"]
    async with Client(StdioServerParameters(command=sys.executable, args=words, env=environ, cwd=work)) as client:
        result = await client.call_tool("open", {"locator": locator})
        assert not result.is_error, result.content[0].text
        return result.content[0].text, result.content[1]
