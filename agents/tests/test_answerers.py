"""What Claude Code and Codex print, read for their final answer."""

from __future__ import annotations

import json

import pytest

from memoranda.ports.protocols import Answerer
from memoranda_agents.claude import answer as claude
from memoranda_agents.codex import answer as codex


def events(*values: object) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


MESSAGE = {"type": "item.completed", "item": {"type": "agent_message", "text": "first"}}


@pytest.mark.parametrize(
    ("agent", "output", "wanted"),
    [
        (claude.make(), json.dumps({"is_error": False, "result": "yes"}), "yes"),
        (claude.make(), json.dumps({"is_error": True, "result": "no credit"}), None),
        (claude.make(), json.dumps({"is_error": False, "result": " "}), None),
        (claude.make(), "[]", None),
        (claude.make(), "Execution error", None),
        (
            codex.make(),
            events(MESSAGE, {"type": "item.completed", "item": {"type": "agent_message", "text": "b"}}),
            "b",
        ),
        (codex.make(), "warning\n" + events({"type": "turn.started"}, MESSAGE, {"type": "turn.completed"}), "first"),
        (codex.make(), events(MESSAGE, {"type": "turn.failed", "error": {"message": "x"}}), None),
        (codex.make(), events({"type": "item.completed", "item": {"type": "reasoning", "text": "hm"}}, 7), None),
    ],
)
def test_the_final_answer_or_none(agent: Answerer, output: str, wanted: str | None) -> None:
    assert agent.answer(output) == wanted


@pytest.mark.parametrize("agent", [claude.make(), codex.make()])
def test_a31_no_server_is_configured_and_the_text_comes_on_stdin(agent: Answerer) -> None:
    arguments = list(agent.arguments())
    assert any("mcp" in word.casefold() and "{" in word for word in arguments)
    assert arguments[0] in ("-p", "exec")
