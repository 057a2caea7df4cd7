"""Gemini CLI's hooks. Written from version 0.61.0."""

from __future__ import annotations

from typing import Mapping

from memoranda.ports.hooks import Moment
from memoranda_agents.dialect import Dialect
from memoranda_agents.headless import Signs

#: Its events in our words.
MOMENTS: Mapping[str, Moment] = {
    "SessionStart": "start",
    "BeforeAgent": "prompt",
    "PreCompress": "compacted",
    "AfterAgent": "stop",
}


def make() -> Dialect:
    """The dialect, for the entry point."""
    return Dialect(
        moments=MOMENTS,
        speaks=frozenset({"SessionStart", "BeforeAgent"}),
        signs=Signs(("gemini",), ("-p", "--prompt")),
    )
