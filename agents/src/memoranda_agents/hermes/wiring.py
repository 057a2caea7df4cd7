"""Hermes: server and memory provider in config.yaml, the provider in a file of its own. From 0.19.0."""

from __future__ import annotations

import json
from typing import Iterator, Sequence

from memoranda.ports import Edit, Wish
from memoranda_agents.hermes.provider import PLUGIN, provider
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

        yield Edit(place / "plugins" / "memoranda" / "plugin.yaml", "file", PLUGIN)
        yield Edit(place / "plugins" / "memoranda" / "__init__.py", "file", provider(wish))
        yield Edit(place / "config.yaml", "yaml", "provider: memoranda\n", ("memory", "provider"))

    def notes(self, wish: Wish) -> Sequence[str]:
        return (
            "Hermes has one memory provider beside its own; another that you chose stays, and ours is told by hand",
        )


def _entry(wish: Wish) -> str:
    """JSON strings and arrays of them are YAML's too."""
    lines = [f"{SERVER}:", f"  command: {json.dumps(wish.command[0])}"]
    lines += [f"  args: {json.dumps([*wish.command[1:], 'mcp'])}"]
    lines += [f"  env: {json.dumps(dict(wish.repeated))}"] if wish.repeated else []
    return "\n".join(lines) + "\n"


def make() -> HermesWiring:
    """The wiring, for the entry point."""
    return HermesWiring()
