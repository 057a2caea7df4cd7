"""Commands that serve a memory to others: mcp, serve."""

from __future__ import annotations

import os

from memoranda.views.commands.call import Call
from memoranda.views.commands.reply import Reply


def mcp(call: Call) -> Reply:
    from memoranda.views.mcp.stdio import serve

    return Reply("closed", code=serve(os.environ, call.named or call.args.memory, call.args.project))


def serve(call: Call) -> Reply:
    from memoranda.views.http.server import serve as served

    return Reply("closed", code=served(os.environ, call.named or call.args.memory, call.args.project, call.args.port))
