"""Qwen Code: server and hooks in settings.json, rules in QWEN.md. From 0.24.4."""

from __future__ import annotations

from typing import Iterator, Sequence

from memoranda.ports import Edit, Wish
from memoranda_agents.qwen.hook import MOMENTS
from memoranda_agents.wire import SERVER, hooks, rules, server


class QwenWiring:
    """See `AgentWiring` for the promises."""

    title = "Qwen Code"
    program = ("qwen", "npm install -g @qwen-code/qwen-code")

    def edits(self, wish: Wish) -> Sequence[Edit]:
        return tuple(self._edits(wish))

    def _edits(self, wish: Wish) -> Iterator[Edit]:
        place = wish.home / ".qwen"
        yield Edit(place / "settings.json", "json", server(wish), ("mcpServers", SERVER))
        yield from hooks(place / "settings.json", wish, "qwen", MOMENTS, name="memoranda", timeout=10_000)
        yield from rules(place / "QWEN.md", wish)

    def notes(self, wish: Wish) -> Sequence[str]:
        return ()


def make() -> QwenWiring:
    """The wiring, for the entry point."""
    return QwenWiring()
