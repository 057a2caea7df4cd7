"""OpenCode: its database as turns."""

from __future__ import annotations

from memoranda_agents.opencode.reader import OpenCodeReader


def make() -> OpenCodeReader:
    """The reader, for the entry point."""
    return OpenCodeReader()


__all__ = ["OpenCodeReader", "make"]
