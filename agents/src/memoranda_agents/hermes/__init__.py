"""Hermes: its database as turns."""

from __future__ import annotations

TYPE_CHECKING = False  # importing this loads nothing: a hook needs one small module of it
if TYPE_CHECKING:
    from memoranda_agents.hermes.reader import HermesReader


def make() -> HermesReader:
    """The reader, for the entry point."""
    from memoranda_agents.hermes.reader import HermesReader

    return HermesReader()
