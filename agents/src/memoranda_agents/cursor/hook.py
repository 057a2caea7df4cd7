"""Cursor's hooks, after its documentation. Only a session's start may add to the context."""

from __future__ import annotations

from typing import Mapping

from memoranda.ports.hooks import Moment
from memoranda_agents.dialect import Dialect
from memoranda_agents.headless import Signs

#: Its events in our words.
MOMENTS: Mapping[str, Moment] = {"sessionStart": "start", "stop": "stop"}


def make() -> Dialect:
    """The dialect, for the entry point."""
    return Dialect(
        moments=MOMENTS,
        speaks=frozenset({"sessionStart"}),
        signs=Signs(("cursor-agent",), ("-p", "--print"), terminal=False),
        form="additional_context",
        session="conversation_id",
    )
