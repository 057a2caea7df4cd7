"""`memoranda serve`: sockets on loopback, signals, and an orderly end."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence

from memoranda.model.errors import Conflict, Invalid, Unavailable
from memoranda.views.http.limits import Limits
from memoranda.views.serving.desk import Desk, project_folder
from memoranda.views.terminal import tell

if TYPE_CHECKING:
    from memoranda.views.http.app import Application

#: Our own, unassigned by IANA.
PORT = 7411
#: How long a thread that computes keeps the interpreter from the one that listens: a tenth of Python's default, since
#: each request passes from one to the other several times.
SWITCH_SECONDS = 0.0005
_HINT = 'pip install "memoranda[serve]"'


def serve(environ: Mapping[str, str], named: Path | str | None, project: bool, port: int) -> int:
    """Serve on loopback until SIGTERM or SIGINT; returns the exit code. The address is the one line on stdout.

    Raises `Unavailable` without the extra, `Conflict` when the port is taken, and what `open_tokens` raises.
    """
    try:
        import starlette
        import uvicorn
    except ImportError as error:
        raise Unavailable(f"memoranda serve needs {error.name}", _HINT) from None
    del starlette, uvicorn
    from memoranda.memory.settings import load
    from memoranda.memory.tokens import open_tokens
    from memoranda.views.http.app import Application

    folder = project_folder(environ)
    named = named.absolute() if isinstance(named, Path) else named
    tokens = open_tokens(load(environ))
    sockets = listening(port)
    port = sockets[0].getsockname()[1]
    os.chdir(folder)  # anchors are given as paths from there
    application = Application(lambda: Desk(environ, folder, named, project), tokens, port)
    tell(f"JSON at /v1, Model Context Protocol at /mcp; tokens in {tokens.known[0].file.parent}:", sys.stderr)
    for token in tokens.known:
        tell(f"  {token.name}: {token.channel.value}, {'reads and writes' if token.writes else 'reads'}", sys.stderr)
    with suppress(BrokenPipeError):
        print(f"http://127.0.0.1:{port}", flush=True)
    return asyncio.run(run(application, sockets))


def listening(port: int) -> Sequence[socket.socket]:
    """Sockets on 127.0.0.1 and, where there is IPv6, ::1, with the same port, so that nobody else answers at either.

    0 takes a free port. Raises `Conflict` when it is taken.
    """
    if port > 65_535:
        raise Invalid("a port is a number up to 65,535", "memoranda serve --port 0 takes a free one")
    taken = Conflict(f"port {port} is taken", "name another: memoranda serve --port 0 takes a free one")
    for _ in range(20 if port == 0 else 1):
        first = _bound(socket.AF_INET, "127.0.0.1", port)
        if first is None:
            raise taken
        if not _has_loopback6():
            return [first]
        second = _bound(socket.AF_INET6, "::1", first.getsockname()[1])
        if second is not None:
            return [first, second]
        first.close()
    raise taken


def _bound(family: int, host: str, port: int) -> socket.socket | None:
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            found.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        found.bind((host, port))
        found.listen(128)
    except OSError:
        found.close()
        return None
    return found


def _has_loopback6() -> bool:
    if not socket.has_ipv6:
        return False
    free = _bound(socket.AF_INET6, "::1", 0)
    if free is not None:
        free.close()
    return free is not None


async def run(application: Application, sockets: Sequence[socket.socket], limits: Limits = Limits()) -> int:  # noqa: B008
    """Serve until a signal comes, answer what was asked, let go of every memory."""
    server = _server(application, limits)
    sys.setswitchinterval(SWITCH_SECONDS)
    application.start()
    try:
        await server.serve(list(sockets))
    finally:
        ended = await asyncio.to_thread(application.stop)
    return 0 if ended else 1


def _server(application: Application, limits: Limits) -> Any:
    import uvicorn

    from memoranda.views.http.connection import connection

    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)  # what it prints may quote a request
    config = uvicorn.Config(
        application.asgi, http=connection(limits), ws="none", lifespan="off", loop="asyncio", log_config=None,
        access_log=False, server_header=False, proxy_headers=False, timeout_keep_alive=int(limits.idle_seconds),
        timeout_graceful_shutdown=int(limits.stop_seconds), h11_max_incomplete_event_size=limits.header_bytes,
    )  # fmt: skip

    class Server(uvicorn.Server):
        """Stops at the first signal, and says so to those who listen before it waits for them."""

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            loop = asyncio.get_running_loop()
            before: dict[int, Any] = {}

            def stop(number: int, frame: FrameType | None) -> None:
                self.force_exit = self.should_exit  # asked twice: wait no longer
                self.should_exit = True
                loop.call_soon_threadsafe(application.stopping)

            with suppress(ValueError):  # not on the main thread: somebody else handles signals
                for number in (signal.SIGTERM, signal.SIGINT):
                    before[number] = signal.signal(number, stop)
            try:
                yield
            finally:
                for known, handler in before.items():
                    signal.signal(known, handler)

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            application.stopping()
            await super().shutdown(sockets)

    return Server(config)
