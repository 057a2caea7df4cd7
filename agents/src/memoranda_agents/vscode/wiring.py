"""VS Code: the server in the user's mcp.json, hooks where its chat reads them. After its documentation."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Iterator, Sequence

from memoranda.ports import Edit, Wish
from memoranda_agents.wire import SERVER, server


class VSCodeWiring:
    """See `AgentWiring` for the promises."""

    title = "VS Code"
    program = ("", "")

    def edits(self, wish: Wish) -> Sequence[Edit]:
        return tuple(self._edits(wish))

    def _edits(self, wish: Wish) -> Iterator[Edit]:
        entry = {"type": "stdio", **server(wish)}
        yield Edit(_user(wish) / "mcp.json", "json", entry, ("servers", SERVER))

    def notes(self, wish: Wish) -> Sequence[str]:
        return ("VS Code reads the hooks of Claude Code and Copilot CLI: connect one of them for the core block",)


def _user(wish: Wish) -> Path:
    """The folder of the user's profile."""
    if sys.platform == "darwin":
        return wish.home / "Library" / "Application Support" / "Code" / "User"
    if sys.platform == "win32":
        return Path(wish.variables.get("APPDATA") or wish.home) / "Code" / "User"
    return Path(wish.variables.get("XDG_CONFIG_HOME") or wish.home / ".config") / "Code" / "User"


def make() -> VSCodeWiring:
    """The wiring, for the entry point."""
    return VSCodeWiring()
