"""Cline's command line has plug-ins that may add to a run; ours says in one word what happened. From version 3.0.65.

Its own hook files start beside the run, so that nothing they say is in time. What a plug-in adds stays in the session.
"""

from __future__ import annotations

from typing import Mapping

from memoranda.ports.hooks import Moment
from memoranda_agents.dialect import Dialect
from memoranda_agents.headless import Signs

#: Its events in our words.
MOMENTS: Mapping[str, Moment] = {"run": "prompt", "done": "stop"}


def make() -> Dialect:
    """The dialect, for the entry point."""
    return Dialect(
        moments=MOMENTS,
        speaks=frozenset({"run"}),
        signs=Signs(("cline",), ("--json", "-z", "--zen", "--acp")),
        form="additionalContext",
        inner=("parent",),
    )
