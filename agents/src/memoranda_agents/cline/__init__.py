"""Cline: its sessions and tasks as turns."""

from __future__ import annotations

from memoranda_agents.cline.reader import ClineReader


def make() -> ClineReader:
    """The reader, for the entry point."""
    return ClineReader()


__all__ = ["ClineReader", "make"]
