"""pi: its session files as turns."""

from __future__ import annotations

from memoranda_agents.pi.reader import PiReader


def make() -> PiReader:
    """The reader, for the entry point."""
    return PiReader()


__all__ = ["PiReader", "make"]
