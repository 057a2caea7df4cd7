"""Claude Code's hooks: their events in our words. Written from version 2.1.332."""

from __future__ import annotations

from typing import Mapping

from memoranda.ports.hooks import Moment
from memoranda_agents.dialect import Dialect
from memoranda_agents.headless import Signs

#: Its events in our words.
MOMENTS: Mapping[str, Moment] = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "Stop": "stop",
}


def make() -> Dialect:
    """The dialect, for the entry point."""
    # SessionStart comes again after compaction and with what it is a start of.
    return Dialect(
        moments=MOMENTS,
        speaks=frozenset({"SessionStart", "UserPromptSubmit"}),
        signs=Signs(
            ("claude", "cli"),
            ("-p", "--print"),
            variable="CLAUDE_CODE_ENTRYPOINT",
            values=("sdk", "mcp", "claude-code-github"),
        ),
    )
