"""The application: paths, and what answers at each. Everything is behind the guard."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, Awaitable, Callable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route as Path

from memoranda.memory import Memory
from memoranda.memory.tokens import Tokens
from memoranda.model.errors import Unavailable
from memoranda.views.http import api
from memoranda.views.http.checks import Names
from memoranda.views.http.guard import KEY, Guard, envelope
from memoranda.views.http.health import Health
from memoranda.views.http.limits import Limits
from memoranda.views.http.openapi import openapi
from memoranda.views.mcp.streamable import Endpoint
from memoranda.views.operations.routes import ROUTES, Route
from memoranda.views.serving.desk import Desk
from memoranda.views.serving.exchange import Answered, Layer, Overloaded, Service, document
from memoranda.views.serving.pool import Job, Pool

Handler = Callable[[Request], Awaitable[Response]]


class Application:
    """What is served at one address. `make` gives a desk for each thread; without a `layer` nothing can be changed.

    `start` and `stop` are called on the event loop that serves.
    """

    def __init__(
        self,
        make: Callable[[], Desk],
        tokens: Tokens,
        port: int,
        layer: Layer | None = Memory.ensure_lock,
        limits: Limits = Limits(),  # noqa: B008 (a frozen value)
    ) -> None:
        self._make, self._limits = make, limits
        self._pool: Pool | None = None
        self._service = Service(self._do, layer, limits.ping_seconds)
        self._mcp, self._health = Endpoint(self._service, make), Health(self._service)
        self._stopping = False
        self._openapi = openapi()
        self.asgi = Guard(self._routed(), Names.at(port), tokens, limits)

    def start(self) -> None:
        self._pool = Pool(self._make, self._limits.threads, self._limits.waiting)

    def stopping(self) -> None:
        """No new work; whoever listens is told. Called before connections are waited for."""
        self._stopping = True
        self._mcp.end()

    def stop(self) -> bool:
        """Let go of every memory; False when that took too long."""
        ended = self._mcp.close(self._limits.stop_seconds)
        return (self._pool is None or self._pool.stop(self._limits.stop_seconds)) and ended

    async def _do(self, job: Job) -> Any:
        if self._pool is None or self._stopping:
            raise Unavailable("this server is stopping", "ask again when it has started anew")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()

        def done(result: Any, error: BaseException | None) -> None:
            with suppress(RuntimeError):  # the loop is gone: nobody waits
                loop.call_soon_threadsafe(_settle, future, result, error)

        if not self._pool.submit(job, done, lambda: not future.cancelled()):
            raise Overloaded("too many requests are waiting", "ask again later")
        async with asyncio.timeout(self._limits.answer_seconds):
            return await future

    def _routed(self) -> Starlette:
        paths = [Path(_template(route), self._operation(route), methods=[route.method]) for route in ROUTES]
        paths += [
            Path("/mcp", self._protocol, methods=["GET", "POST", "DELETE"]),
            Path("/health", self._how_well, methods=["GET"]),
            Path("/openapi.json", self._described, methods=["GET"]),
        ]
        for path in paths:
            path.methods = (path.methods or set()) - {"HEAD"}  # which the guard does not let in
        handlers = {404: _nowhere, 405: _not_so, 500: _fault}
        application = Starlette(routes=paths, exception_handlers=handlers)
        application.router.redirect_slashes = False  # one path is one thing, and nothing asked is said back in a header
        return application

    def _operation(self, route: Route) -> Handler:
        async def handler(request: Request) -> Response:
            asked, query = request.scope[KEY], request.scope["query_string"].decode("latin-1")
            return _response(await api.answer(self._service, route, asked, request.path_params, query))

        return handler

    async def _protocol(self, request: Request) -> Response:
        return _response(await self._mcp.answer(request.scope[KEY]))

    async def _how_well(self, request: Request) -> Response:
        return _response(await self._health.answer(request.scope[KEY] is not None, self._stopping))

    async def _described(self, request: Request) -> Response:
        return _response(document(200, self._openapi))


def _settle(future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)


def _template(route: Route) -> str:
    if route.place is None or not route.place.deep:
        return route.path
    variable = route.place.variable
    return route.path.replace(f"{{{variable}}}", f"{{{variable}:path}}")


def _response(answered: Answered) -> Response:
    headers = dict(answered.headers)
    if answered.stream is not None:
        headers |= {"x-accel-buffering": "no"}
        return StreamingResponse(answered.stream, answered.status, headers, answered.media_type)
    body, kind = answered.body, answered.media_type if answered.body else None
    return Response(body, answered.status, headers, kind)


async def _nowhere(request: Request, error: Exception) -> Response:
    return _response(document(404, envelope("not_found", "there is no such path", "GET /openapi.json names them")))


async def _not_so(request: Request, error: Exception) -> Response:
    allowed = dict(getattr(error, "headers", None) or {})
    message = "this path does not take that method"
    return _response(document(405, envelope("method_not_allowed", message, "GET /openapi.json"), allowed))


async def _fault(request: Request, error: Exception) -> Response:
    """A fault of ours, by its kind alone: a message may quote what was not screened."""
    return _response(document(500, envelope("internal", f"internal fault: {type(error).__name__}")))
