"""The tools as a client sees them, and that they answer as the command line does."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memoranda import Memory
from memoranda.views.operations import operation
from memoranda.views.operations.tools import MOST_TOOLS, TOOLS, Tool, arguments, definition

SCALARS = {"string", "integer", "number", "boolean"}


def test_there_are_at_most_ten_and_each_is_an_operation() -> None:
    assert len(TOOLS) <= MOST_TOOLS
    for tool in TOOLS:
        assert re.fullmatch("[a-z_]{1,30}", tool.name)
        op = operation(tool.name)
        assert op is not None
        assert op.name == {"open": "open_evidence"}.get(tool.name, tool.name)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_b57_each_is_documented_and_has_a_schema_that_every_client_takes(tool: Tool) -> None:
    shown = definition(tool)
    assert {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} <= shown["annotations"].keys()
    assert "Call it" in shown["description"]
    example = json.loads(shown["description"].rpartition("Example: ")[2])
    schema = shown["inputSchema"]
    assert example.keys() <= schema["properties"].keys()
    assert set(schema.get("required", ())) <= example.keys()
    for name, value in schema["properties"].items():
        assert re.fullmatch("[a-z_]+", name)
        assert value["description"]
        kind = value["items"]["type"] if value["type"] == "array" else value["type"]
        assert kind in SCALARS
        assert set(value) <= {"type", "description", "enum", "items"}
    assert list(schema["properties"]) == list(arguments(tool))


CASES: tuple[tuple[list[str], str, dict[str, Any]], ...] = (
    (["recall", "retries gateway", "--limit", "6", "--budget-tokens", "1600"], "recall", {"text": "retries gateway"}),
    (["core"], "core", {}),
    (["sessions"], "sessions", {"limit": 50}),
    (["history", "mem_000000000000"], "history", {"id": "mem_000000000000"}),
    (["get", "nonsense:1"], "get", {"locator": "nonsense:1"}),
    (["remember", "the password is hunter2hunter2"], "remember", {"text": "the password is hunter2hunter2"}),
    (["recall", "x", "--since", "yesteryear"], "recall", {"text": "x", "since": "yesteryear"}),
)


def test_a65_c24_equal_documents_and_equal_refusals_at_the_command_line_and_here(
    client: Any, memory: Memory, environ: dict[str, str], work: Path
) -> None:
    memory.remember("Retries are capped at 5 because the gateway drops longer chains")
    for words, name, given in CASES:
        command = [sys.executable, "-m", "memoranda.views.cli", "--json", *words]
        done = subprocess.run(command, check=False, cwd=work, env=environ, capture_output=True)
        result = client.ask("tools/call", name=name, arguments={**given, "format": "json"})["result"]
        assert result["structuredContent"] == json.loads(done.stdout), words
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


@pytest.mark.parametrize("given", [{"limit": "three"}, {"kind": ["nothing"]}, {"kind": "[1]"}, {"text": 7}, {}])
def test_bad_arguments_are_told_to_the_model_with_a_next_step(client: Any, memory: Memory, given: Any) -> None:
    text, failed = client.call("recall", **({"text": "x", **given} if given else {}))
    assert failed
    assert text.startswith("invalid: ")
    assert "\nnext: " in text


def test_numbers_and_lists_sent_as_text_are_taken_as_meant_and_unknown_arguments_ignored(
    client: Any, memory: Memory
) -> None:
    text, failed = client.call("recall", text="x", limit="3", kind='["record"]', weak="true", wait_for_previous=True)
    assert not failed, text
