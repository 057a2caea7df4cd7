"""Gemini CLI: its chats as turns."""

from __future__ import annotations

from memoranda_agents.gemini.reader import GeminiReader


def make() -> GeminiReader:
    """The reader, for the entry point."""
    return GeminiReader()


__all__ = ["GeminiReader", "make"]
