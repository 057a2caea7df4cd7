"""Gemini CLI: server and hooks in settings.json, rules in GEMINI.md. From 0.61.0."""

from __future__ import annotations

from typing import Iterator, Sequence

from memoranda.ports import Edit, Wish
from memoranda_agents.gemini.hook import MOMENTS
from memoranda_agents.wire import SERVER, hooks, rules, server


class GeminiWiring:
    """See `AgentWiring` for the promises."""

    title = "Gemini CLI"
    program = ("gemini", "npm install -g @google/gemini-cli")

    def edits(self, wish: Wish) -> Sequence[Edit]:
        return tuple(self._edits(wish))

    def _edits(self, wish: Wish) -> Iterator[Edit]:
        place = wish.home / ".gemini"
        yield Edit(place / "settings.json", "json", server(wish), ("mcpServers", SERVER))
        # Its hooks count time in milliseconds.
        yield from hooks(place / "settings.json", wish, "gemini", MOMENTS, name="memoranda", timeout=10_000)
        yield from rules(place / "GEMINI.md", wish)

    def notes(self, wish: Wish) -> Sequence[str]:
        return ("Gemini CLI starts servers only in folders that you trust",)


def make() -> GeminiWiring:
    """The wiring, for the entry point."""
    return GeminiWiring()
