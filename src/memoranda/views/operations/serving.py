"""The operations that serve a memory to programs."""

from __future__ import annotations

from memoranda.views.operations.table import Operation

SERVING: tuple[Operation, ...] = (
    Operation(
        "",
        "mcp",
        "serve agents over the Model Context Protocol",
        "Speaks the Model Context Protocol on standard input and output, for an agent that starts it: ten tools "
        "(recall, get, remember, core, history, verify, sessions, forget, status, open), resources and prompts. It "
        "serves the personal memory and that of the project around the folder it is started in; --memory or --project "
        "serve one alone. Everything that comes through it is an agent's word.",
        mutates=True,
        examples=("memoranda mcp", "memoranda --memory ~/team-notes mcp"),
        group="serve",
    ),
)
