"""Zed: the server in settings.json. After its documentation; it has no hooks."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator, Sequence

from memoranda.ports import Edit, Wish
from memoranda_agents.wire import SERVER, server


class ZedWiring:
    """See `AgentWiring` for the promises."""

    title = "Zed"
    program = ("", "")

    def edits(self, wish: Wish) -> Sequence[Edit]:
        return tuple(self._edits(wish))

    def _edits(self, wish: Wish) -> Iterator[Edit]:
        place = Path(wish.variables.get("XDG_CONFIG_HOME") or wish.home / ".config") / "zed"
        yield Edit(place / "settings.json", "json", server(wish), ("context_servers", SERVER))

    def notes(self, wish: Wish) -> Sequence[str]:
        return ("Zed has no hooks: no core block is put in, and its threads are not captured",)


def make() -> ZedWiring:
    """The wiring, for the entry point."""
    return ZedWiring()
