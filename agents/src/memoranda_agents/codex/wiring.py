"""Codex: the server in config.toml, hooks in hooks.json, rules in AGENTS.md. From 0.171.0."""

from __future__ import annotations

import json
from typing import Iterator, Sequence

from memoranda.ports import Edit, Wish
from memoranda_agents.codex.hook import MOMENTS
from memoranda_agents.wire import SERVER, folder, hooks, rules


class CodexWiring:
    """See `AgentWiring` for the promises."""

    title = "Codex"
    program = ("codex", "npm install -g @openai/codex")

    def edits(self, wish: Wish) -> Sequence[Edit]:
        return tuple(self._edits(wish))

    def _edits(self, wish: Wish) -> Iterator[Edit]:
        place = folder(wish, "CODEX_HOME", ".codex")
        yield Edit(place / "config.toml", "toml", _table(wish), ("mcp_servers", SERVER))
        yield from hooks(place / "hooks.json", wish, "codex", MOMENTS, timeout=10)
        yield from rules(place / "AGENTS.md", wish)

    def notes(self, wish: Wish) -> Sequence[str]:
        return ("Codex runs a new hook only after you trust it: it asks when it is started next",)


def _table(wish: Wish) -> str:
    """JSON strings and arrays of them are TOML's too."""
    lines = [f"[mcp_servers.{SERVER}]", f"command = {json.dumps(wish.command[0])}"]
    lines.append(f"args = {json.dumps([*wish.command[1:], 'mcp'])}")
    if wish.repeated:
        pairs = ", ".join(f"{name} = {json.dumps(value)}" for name, value in wish.repeated.items())
        lines.append(f"env = {{ {pairs} }}")
    return "\n".join(lines) + "\n"


def make() -> CodexWiring:
    """The wiring, for the entry point."""
    return CodexWiring()
