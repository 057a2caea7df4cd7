"""Turns files, ours and funes': what any other program can write for memoranda to take in."""

from __future__ import annotations

from memoranda_agents.turns.reader import TurnsReader


def make() -> TurnsReader:
    """The reader, for the entry point."""
    return TurnsReader()


__all__ = ["TurnsReader", "make"]
