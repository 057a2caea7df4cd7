"""A server like `memoranda serve`, for programs that can send no token: it is added to every request before ours sees
it. Everything else is as it is. Run as a program: `open_server.py FOLDER [LIMIT=NUMBER ...]`; prints the address.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

from memoranda.memory.settings import load
from memoranda.memory.tokens import open_tokens
from memoranda.views.http.app import Application
from memoranda.views.http.limits import Limits
from memoranda.views.http.server import listening, run
from memoranda.views.serving.desk import Desk


def main(folder: Path, changed: dict[str, float]) -> int:
    limits = Limits(**changed)  # type: ignore[arg-type]
    tokens = open_tokens(load(os.environ))
    sockets = listening(0)
    port = sockets[0].getsockname()[1]
    application = Application(lambda: Desk(os.environ, folder), tokens, port, limits=limits)
    inner, secret = application.asgi, tokens.known[0].file.read_bytes().strip()

    async def with_token(scope: Any, receive: Any, send: Any) -> None:
        named = any(name == b"authorization" for name, _ in scope["headers"])
        added = [] if named else [(b"authorization", b"Bearer " + secret)]
        await inner({**scope, "headers": [*scope["headers"], *added]}, receive, send)

    application.asgi = with_token  # type: ignore[assignment]
    print(f"http://127.0.0.1:{port}", flush=True)
    return asyncio.run(run(application, sockets, limits))


if __name__ == "__main__":
    pairs = [word.split("=") for word in sys.argv[2:]]
    kinds = {name: type(value) for name, value in Limits()._asdict().items()}
    sys.exit(main(Path(sys.argv[1]), {name: kinds[name](value) for name, value in pairs}))
