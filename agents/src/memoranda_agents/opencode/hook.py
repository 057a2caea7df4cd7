"""OpenCode has no hooks but plug-ins; ours says in one word what happened. Written from version 1.18.33.

It makes its system prompt anew for each request, so what is to stay in context is said at each prompt: `system`.
"""

from __future__ import annotations

from typing import Mapping

from memoranda.ports.hooks import Moment
from memoranda_agents.dialect import Dialect
from memoranda_agents.headless import Signs

#: Its events in our words.
MOMENTS: Mapping[str, Moment] = {"system": "start", "prompt": "prompt", "idle": "stop"}


def make() -> Dialect:
    """The dialect, for the entry point."""
    return Dialect(
        moments=MOMENTS,
        speaks=frozenset({"system", "prompt"}),
        signs=Signs(("opencode",), ("run", "serve", "github", "acp"), terminal=False),
        form="additionalContext",
        inner=("parent",),
    )
