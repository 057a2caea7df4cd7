"""Cursor: server and hooks in files of its own. After its documentation; no version was run."""

from __future__ import annotations

from typing import Iterator, Sequence

from memoranda.ports import Edit, Wish
from memoranda_agents.cursor.hook import MOMENTS
from memoranda_agents.wire import SERVER, line, server, wanted


class CursorWiring:
    """See `AgentWiring` for the promises."""

    title = "Cursor"
    program = ("", "")

    def edits(self, wish: Wish) -> Sequence[Edit]:
        return tuple(self._edits(wish))

    def _edits(self, wish: Wish) -> Iterator[Edit]:
        place = wish.home / ".cursor"
        yield Edit(place / "mcp.json", "json", server(wish), ("mcpServers", SERVER))
        yield Edit(place / "hooks.json", "json", 1, ("version",))
        for event, says in wanted(wish, MOMENTS):
            hook = {"command": line(wish, "cursor", event, says), "timeout": 10}
            yield Edit(place / "hooks.json", "json", hook, ("hooks", event), append=True)

    def notes(self, wish: Wish) -> Sequence[str]:
        return ("Cursor keeps rules for all projects in its settings window; its server says when to recall",)


def make() -> CursorWiring:
    """The wiring, for the entry point."""
    return CursorWiring()
