"""Hermes: its database as turns."""

from __future__ import annotations

from memoranda_agents.hermes.reader import HermesReader


def make() -> HermesReader:
    """The reader, for the entry point."""
    return HermesReader()


__all__ = ["HermesReader", "make"]
