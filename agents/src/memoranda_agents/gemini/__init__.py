"""Gemini CLI: its chats as turns."""

from __future__ import annotations

TYPE_CHECKING = False  # importing this loads nothing: a hook needs one small module of it
if TYPE_CHECKING:
    from memoranda_agents.gemini.reader import GeminiReader


def make() -> GeminiReader:
    """The reader, for the entry point."""
    from memoranda_agents.gemini.reader import GeminiReader

    return GeminiReader()
