"""Qwen Code: its chats as turns."""

from __future__ import annotations

from memoranda_agents.qwen.reader import QwenReader


def make() -> QwenReader:
    """The reader, for the entry point."""
    return QwenReader()


__all__ = ["QwenReader", "make"]
