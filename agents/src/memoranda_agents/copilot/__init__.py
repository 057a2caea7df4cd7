"""GitHub Copilot CLI: its event logs as turns."""

from __future__ import annotations

from memoranda_agents.copilot.reader import CopilotReader


def make() -> CopilotReader:
    """The reader, for the entry point."""
    return CopilotReader()


__all__ = ["CopilotReader", "make"]
