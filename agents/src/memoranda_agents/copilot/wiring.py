"""Copilot CLI: the server in mcp-config.json, hooks in a file of ours, rules in its instructions. From 1.0.102."""

from __future__ import annotations

import json
from typing import Iterator, Sequence

from memoranda.ports import Edit, Wish
from memoranda_agents.copilot.hook import MOMENTS
from memoranda_agents.wire import SERVER, folder, line, rules, server, wanted


class CopilotWiring:
    """See `AgentWiring` for the promises."""

    title = "Copilot CLI"
    program = ("copilot", "npm install -g @github/copilot")

    def edits(self, wish: Wish) -> Sequence[Edit]:
        return tuple(self._edits(wish))

    def _edits(self, wish: Wish) -> Iterator[Edit]:
        place = folder(wish, "COPILOT_HOME", ".copilot")
        entry = {"type": "local", **server(wish), "tools": ["*"]}
        yield Edit(place / "mcp-config.json", "json", entry, ("mcpServers", SERVER))
        yield Edit(place / "hooks" / "memoranda.json", "file", json.dumps(_hooks(wish), indent=2) + "\n")
        yield from rules(place / "copilot-instructions.md", wish)

    def notes(self, wish: Wish) -> Sequence[str]:
        return ()


def _hooks(wish: Wish) -> dict[str, object]:
    events = {
        event: [{"type": "command", "bash": line(wish, "copilot", event, says), "timeoutSec": 10}]
        for event, says in wanted(wish, MOMENTS)
    }
    return {"version": 1, "hooks": events}


def make() -> CopilotWiring:
    """The wiring, for the entry point."""
    return CopilotWiring()
