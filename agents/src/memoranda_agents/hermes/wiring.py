"""Hermes: the server in config.yaml. Written from the sources of 0.19.0; it was not run."""

from __future__ import annotations

import json
from typing import Iterator, Sequence

from memoranda.ports import Edit, Wish
from memoranda_agents.wire import SERVER, folder


class HermesWiring:
    """See `AgentWiring` for the promises."""

    title = "Hermes"
    program = ("hermes", "pip install hermes-agent")

    def edits(self, wish: Wish) -> Sequence[Edit]:
        return tuple(self._edits(wish))

    def _edits(self, wish: Wish) -> Iterator[Edit]:
        place = folder(wish, "HERMES_HOME", ".hermes")
        yield Edit(place / "config.yaml", "yaml", _entry(wish), ("mcp_servers", SERVER))

    def notes(self, wish: Wish) -> Sequence[str]:
        return ("Hermes is given no core block; its sessions are taken in by `memoranda capture`",)


def _entry(wish: Wish) -> str:
    """JSON strings and arrays of them are YAML's too."""
    lines = [f"{SERVER}:", f"  command: {json.dumps(wish.command[0])}"]
    lines += [f"  args: {json.dumps([*wish.command[1:], 'mcp'])}"]
    lines += [f"  env: {json.dumps(dict(wish.repeated))}"] if wish.repeated else []
    return "\n".join(lines) + "\n"


def make() -> HermesWiring:
    """The wiring, for the entry point."""
    return HermesWiring()
