"""Codex: its rollout files as turns."""

from __future__ import annotations

from memoranda_agents.codex.reader import CodexReader


def make() -> CodexReader:
    """The reader, for the entry point."""
    return CodexReader()


__all__ = ["CodexReader", "make"]
