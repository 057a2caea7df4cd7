"""Hermes has no hooks but memory providers; ours says in one word what happened. Written from version 0.19.0."""

from __future__ import annotations

from typing import Mapping

from memoranda.ports.hooks import Moment
from memoranda_agents.dialect import Dialect
from memoranda_agents.headless import Signs

#: Its events in our words. Its system prompt is made when a session begins, and after its context was cut.
MOMENTS: Mapping[str, Moment] = {"system": "start", "prompt": "prompt", "turn": "stop"}


def make() -> Dialect:
    """The dialect, for the entry point."""
    return Dialect(
        moments=MOMENTS,
        speaks=frozenset({"system", "prompt"}),
        signs=Signs(("hermes",), ("-q", "--query", "-z", "--oneshot")),
        form="additionalContext",
        inner=("inner",),
    )
