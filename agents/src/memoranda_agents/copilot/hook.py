"""Copilot CLI's hooks. Written from version 1.0.102."""

from __future__ import annotations

from typing import Mapping

from memoranda.ports.hooks import Moment
from memoranda_agents.dialect import Dialect
from memoranda_agents.headless import Signs

#: Its events in our words.
MOMENTS: Mapping[str, Moment] = {
    "sessionStart": "start",
    "userPromptSubmitted": "prompt",
    "preCompact": "compacted",
    "agentStop": "stop",
}


def make() -> Dialect:
    """The dialect, for the entry point."""
    return Dialect(
        moments=MOMENTS,
        speaks=frozenset({"sessionStart", "userPromptSubmitted"}),
        signs=Signs(("copilot",), ("-p", "--prompt")),
        form="additionalContext",
        session="sessionId",
        transcript="transcriptPath",
    )
