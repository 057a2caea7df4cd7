"""Claude Code: its history files as turns."""

from __future__ import annotations

from memoranda_agents.claude.reader import ClaudeReader


def make() -> ClaudeReader:
    """The reader, for the entry point."""
    return ClaudeReader()


__all__ = ["ClaudeReader", "make"]
