"""ChatGPT: its export of all conversations as turns."""

from __future__ import annotations

from memoranda_agents.chatgpt.reader import ChatGptReader


def make() -> ChatGptReader:
    """The reader, for the entry point."""
    return ChatGptReader()


__all__ = ["ChatGptReader", "make"]
