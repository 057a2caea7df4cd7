"""GitHub Copilot CLI: its event logs as turns."""

from __future__ import annotations

TYPE_CHECKING = False  # importing this loads nothing: a hook needs one small module of it
if TYPE_CHECKING:
    from memoranda_agents.copilot.reader import CopilotReader


def make() -> CopilotReader:
    """The reader, for the entry point."""
    from memoranda_agents.copilot.reader import CopilotReader

    return CopilotReader()
