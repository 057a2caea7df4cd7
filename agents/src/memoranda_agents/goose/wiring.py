"""Goose: the server as an extension in config.yaml, rules in its hints. After its documentation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Iterator, Sequence

from memoranda.ports import Edit, Wish
from memoranda_agents.wire import SERVER, rules


class GooseWiring:
    """See `AgentWiring` for the promises."""

    title = "Goose"
    program = ("goose", "brew install block-goose-cli")

    def edits(self, wish: Wish) -> Sequence[Edit]:
        return tuple(self._edits(wish))

    def _edits(self, wish: Wish) -> Iterator[Edit]:
        place = Path(wish.variables.get("XDG_CONFIG_HOME") or wish.home / ".config") / "goose"
        yield Edit(place / "config.yaml", "yaml", _entry(wish), ("extensions", SERVER))
        yield from rules(place / ".goosehints", wish)

    def notes(self, wish: Wish) -> Sequence[str]:
        return ("Goose is given no core block, and its sessions are not captured",)


def _entry(wish: Wish) -> str:
    """JSON strings and arrays of them are YAML's too."""
    lines = [f"{SERVER}:", "  type: stdio", f"  name: {SERVER}", "  enabled: true", "  timeout: 60"]
    lines += [f"  cmd: {json.dumps(wish.command[0])}", f"  args: {json.dumps([*wish.command[1:], 'mcp'])}"]
    lines += [f"  envs: {json.dumps(dict(wish.repeated))}"] if wish.repeated else []
    return "\n".join(lines) + "\n"


def make() -> GooseWiring:
    """The wiring, for the entry point."""
    return GooseWiring()
