"""Claude.ai: its export of all conversations as turns."""

from __future__ import annotations

from memoranda_agents.claude_ai.reader import ClaudeAiReader


def make() -> ClaudeAiReader:
    """The reader, for the entry point."""
    return ClaudeAiReader()


__all__ = ["ClaudeAiReader", "make"]
