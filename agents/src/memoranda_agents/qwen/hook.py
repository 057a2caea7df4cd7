"""Qwen Code's hooks: Claude Code's dialect. Written from version 0.24.4."""

from __future__ import annotations

from typing import Mapping

from memoranda.ports.hooks import Moment
from memoranda_agents.dialect import Dialect
from memoranda_agents.headless import Signs

#: Its events in our words.
MOMENTS: Mapping[str, Moment] = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "PreCompact": "compacted",
    "Stop": "stop",
}


def make() -> Dialect:
    """The dialect, for the entry point."""
    return Dialect(
        moments=MOMENTS,
        speaks=frozenset({"SessionStart", "UserPromptSubmit"}),
        signs=Signs(("qwen",), ("-p", "--prompt")),
    )
