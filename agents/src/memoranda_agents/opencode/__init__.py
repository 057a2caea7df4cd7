"""OpenCode: its database as turns."""

from __future__ import annotations

TYPE_CHECKING = False  # importing this loads nothing: a hook needs one small module of it
if TYPE_CHECKING:
    from memoranda_agents.opencode.reader import OpenCodeReader


def make() -> OpenCodeReader:
    """The reader, for the entry point."""
    from memoranda_agents.opencode.reader import OpenCodeReader

    return OpenCodeReader()
