"""Cline: its sessions and tasks as turns."""

from __future__ import annotations

TYPE_CHECKING = False  # importing this loads nothing: a hook needs one small module of it
if TYPE_CHECKING:
    from memoranda_agents.cline.reader import ClineReader


def make() -> ClineReader:
    """The reader, for the entry point."""
    from memoranda_agents.cline.reader import ClineReader

    return ClineReader()
