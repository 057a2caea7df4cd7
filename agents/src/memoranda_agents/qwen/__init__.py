"""Qwen Code: its chats as turns."""

from __future__ import annotations

TYPE_CHECKING = False  # importing this loads nothing: a hook needs one small module of it
if TYPE_CHECKING:
    from memoranda_agents.qwen.reader import QwenReader


def make() -> QwenReader:
    """The reader, for the entry point."""
    from memoranda_agents.qwen.reader import QwenReader

    return QwenReader()
