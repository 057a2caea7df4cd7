"""The operations that serve a memory to programs."""

from __future__ import annotations

from memoranda.views.operations.table import Argument, Operation

SERVING: tuple[Operation, ...] = (
    Operation(
        "",
        "mcp",
        "serve agents over the Model Context Protocol",
        "Speaks the Model Context Protocol on standard input and output, for an agent that starts it: ten tools "
        "(recall, get, remember, core, history, verify, sessions, forget, status, open), resources and prompts. It "
        "serves the personal memory and that of the project around the folder it is started in; --memory or --project "
        "serve one alone, also a published one, which is only read. Everything that comes through it is an agent's "
        "word.",
        mutates=True,
        examples=("memoranda mcp", "memoranda --memory ~/team-notes mcp"),
        group="serve",
    ),
    Operation(
        "",
        "serve",
        "serve programs over HTTP on this machine",
        "Serves a JSON API at /v1, described at /openapi.json, and the Model Context Protocol at /mcp, on loopback "
        "alone, until SIGTERM or Ctrl-C. Every request brings a token; tokens are files of your own, and what each may "
        "stands in your settings, [tokens.NAME]. No token speaks for a person. The address is printed when it is "
        "ready. --memory also takes the address of a published memory, which is only read. Needs the extra serve.",
        (Argument("--port", "the port; 0 takes a free one", "number", default=7411),),
        mutates=True,
        examples=("memoranda serve", "memoranda --memory ~/team-notes serve --port 0"),
        group="serve",
    ),
)
