"""Claude Code: the server in its state file, hooks in its settings, rules in a file of their own. From 2.1.332."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator, Sequence

from memoranda.ports import Edit, Wish
from memoranda_agents.claude.hook import MOMENTS
from memoranda_agents.wire import RULES, SERVER, hooks, server


class ClaudeWiring:
    """See `AgentWiring` for the promises."""

    title = "Claude Code"
    program = ("claude", "npm install -g @anthropic-ai/claude-code")

    def edits(self, wish: Wish) -> Sequence[Edit]:
        return tuple(self._edits(wish))

    def _edits(self, wish: Wish) -> Iterator[Edit]:
        moved = wish.variables.get("CLAUDE_CONFIG_DIR")
        folder = Path(moved) if moved else wish.home / ".claude"
        file = folder / ".claude.json" if moved else wish.home / ".claude.json"
        yield Edit(file, "json", {"type": "stdio", **server(wish)}, ("mcpServers", SERVER))
        yield from hooks(folder / "settings.json", wish, "claude", MOMENTS, timeout=10)
        if wish.rules:
            yield Edit(folder / "rules" / "memoranda.md", "file", RULES + "\n")

    def notes(self, wish: Wish) -> Sequence[str]:
        return ()


def make() -> ClaudeWiring:
    """The wiring, for the entry point."""
    return ClaudeWiring()
