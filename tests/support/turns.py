"""Turns with texts of a test's own."""

from __future__ import annotations

from memoranda.model.turn import Block, Turn


def turn(*texts: str, name: str = "t1") -> Turn:
    return Turn("s1", name, "user", "claude", tuple(Block("text", text) for text in texts))
