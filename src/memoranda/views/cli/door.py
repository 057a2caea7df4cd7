"""Says through which door a command came, and nothing more: what a door may do is decided elsewhere.

A person is at the terminal when standard input and output are one, a controlling terminal exists, and no agent has
left its mark in the environment. Everything else is an agent. When unsure, it is an agent: that door may do less.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Mapping

if TYPE_CHECKING:
    from memoranda.model.record import Door

# Variables that agents set for the commands they run (not those a person sets to configure an agent).
_AGENTS: tuple[tuple[str, str], ...] = (
    ("CLAUDECODE", "claude"),
    ("CLAUDE_CODE_SESSION_ID", "claude"),
    ("CLAUDE_CODE_ENTRYPOINT", "claude"),
    ("CODEX_SANDBOX", "codex"),
    ("CODEX_SANDBOX_NETWORK_DISABLED", "codex"),
    ("CODEX_THREAD_ID", "codex"),
    ("CODEX_CI", "codex"),
    ("GEMINI_CLI", "gemini"),
    ("CURSOR_AGENT", "cursor"),
    ("OPENCODE", "opencode"),
    ("OPENCODE_CLIENT", "opencode"),
    ("CLINE_ACTIVE", "cline"),
    ("AUGMENT_AGENT", "augment"),
    ("GOOSE_TERMINAL", "goose"),
    ("COPILOT_CLI", "copilot"),
    ("ANTIGRAVITY_AGENT", "antigravity"),
)
_NAMED = ("AI_AGENT", "AGENT")  # conventions whose value is the agent's name


def agent(environ: Mapping[str, str]) -> str:
    """The name of the agent in whose environment we run, "" when none left a mark."""
    for variable, name in _AGENTS:
        if environ.get(variable):
            return name
    for variable in _NAMED:
        if environ.get(variable):
            kept = "".join(c for c in environ[variable].lower() if c.isascii() and (c.isalnum() or c in "._-"))
            return kept[:32] or "agent"
    return ""


def door(environ: Mapping[str, str], terminal: bool) -> Door:
    """The door. `terminal`: standard input and output are a terminal that controls this process."""
    from memoranda.model.record import Channel, Door

    name = agent(environ)
    if terminal and not name:
        return Door(Channel.DIRECT_SESSION, "owner", "cli")
    return Door(Channel.AGENT, name or None, "cli")


def at_terminal() -> bool:
    """Whether standard input and output are a terminal, and one that controls this process."""
    try:
        if not (os.isatty(0) and os.isatty(1)):
            return False
        if os.name != "posix":
            return True
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True
