"""Copilot CLI's hooks. Written from version 1.0.102."""

from __future__ import annotations

from memoranda_agents.dialect import Dialect
from memoranda_agents.headless import Signs


def make() -> Dialect:
    """The dialect, for the entry point."""
    return Dialect(
        moments={
            "sessionStart": "start",
            "userPromptSubmitted": "prompt",
            "preCompact": "compacted",
            "agentStop": "stop",
        },
        speaks=frozenset({"sessionStart", "userPromptSubmitted"}),
        signs=Signs(("copilot",), ("-p", "--prompt")),
        form="additionalContext",
        session="sessionId",
        transcript="transcriptPath",
    )
