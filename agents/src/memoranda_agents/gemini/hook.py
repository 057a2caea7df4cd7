"""Gemini CLI's hooks. Written from version 0.61.0."""

from __future__ import annotations

from memoranda_agents.dialect import Dialect
from memoranda_agents.headless import Signs


def make() -> Dialect:
    """The dialect, for the entry point."""
    return Dialect(
        moments={"SessionStart": "start", "BeforeAgent": "prompt", "PreCompress": "compacted", "AfterAgent": "stop"},
        speaks=frozenset({"SessionStart", "BeforeAgent"}),
        signs=Signs(("gemini",), ("-p", "--prompt")),
    )
