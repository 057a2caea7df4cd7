"""Streams of notifications over HTTP: who listens, on the event loop, and who looks for changes, on a thread.

A listener that does not read what it is sent loses its stream, not we our memory.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, AsyncIterator, Awaitable, Callable, Mapping

from memoranda.views.mcp.listening import Ears, Listener, opened
from memoranda.views.mcp.messages import INTERNAL_ERROR, INVALID_PARAMS, Id, ProtocolError, dump, failure
from memoranda.views.mcp.worker import Worker

if TYPE_CHECKING:
    from memoranda.views.mcp.sessions import Session
    from memoranda.views.serving.desk import Desk

SSE = "text/event-stream"
#: Messages that may wait for a slow reader.
MOST_WAITING = 1_000
_PING = b": ping\n\n"
_TOO_MANY = "too many requests are waiting; ask again later"


def event(message: Any) -> bytes:
    """One message as an event; as JSON it holds no line end."""
    return b"event: message\ndata: " + dump(message) + b"\n\n"


class Stream:
    """Messages on their way to one client. `send` may be called by any thread."""

    def __init__(self, ping_seconds: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._ping = ping_seconds
        self._messages: asyncio.Queue[bytes | None] = asyncio.Queue()

    def send(self, message: Any) -> None:
        with suppress(RuntimeError):  # the loop is gone, and so is who listened
            self._loop.call_soon_threadsafe(self._put, event(message))

    def end(self) -> None:
        """Nothing more comes."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._put, None)

    def _put(self, piece: bytes | None) -> None:
        if self._messages.qsize() >= MOST_WAITING:
            piece = None
        self._messages.put_nowait(piece)

    async def pieces(self, opening: Callable[[], Awaitable[None]], closed: Callable[[], None]) -> AsyncIterator[bytes]:
        """Until it ends or the client goes away; `closed` is called either way."""
        try:
            yield b": open\n\n"
            await opening()
            while True:
                try:
                    piece = await asyncio.wait_for(self._messages.get(), self._ping)
                except TimeoutError:
                    piece = _PING
                if piece is None:
                    return
                yield piece
        finally:
            closed()


class Hall:
    """All listeners of one server. Used on the event loop; `Ears` on the worker's thread."""

    def __init__(self, make: Callable[[], Desk], ping_seconds: float) -> None:
        self._make, self._ping = make, ping_seconds
        self._worker: Worker | None = None
        self._ears: Ears | None = None
        self._streams: dict[Stream, Listener | None] = {}

    def listen(self, params: Mapping[str, Any], id: Id) -> AsyncIterator[bytes]:
        """The stream that answers `subscriptions/listen`. Raises `ProtocolError`."""
        stream = Stream(self._ping)
        listener = opened(params, id, stream.send)

        async def opening() -> None:
            if await self._hears(listener):
                self._streams[stream] = listener
                listener.acknowledge()
            else:
                stream.send(failure(id, INTERNAL_ERROR, _TOO_MANY))
                stream.end()

        def closed() -> None:
            self._streams.pop(stream, None)
            self._drop(listener)

        return stream.pieces(opening, closed)

    def hear(self, session: Session) -> AsyncIterator[bytes]:
        """The one stream of an old session: what it subscribed to before or will."""
        stream = session.stream = Stream(self._ping)
        listener = self._of(session)
        listener.send, listener.gone = stream.send, False

        async def opening() -> None:
            self._streams[stream] = None
            if not await self._hears(listener):
                stream.end()

        def closed() -> None:
            session.stream, listener.send = None, _nowhere
            self._streams.pop(stream, None)
            self._drop(listener)

        return stream.pieces(opening, closed)

    async def subscribe(self, session: Session, uri: Any, wanted: bool) -> dict[str, Any]:
        """An old session's subscription to one resource, or its end. Raises `ProtocolError`."""
        listener = self._of(session)
        if not isinstance(uri, str):
            raise ProtocolError(INVALID_PARAMS, "uri is a string")
        if not wanted:
            listener.seen.pop(uri, None)
            return {}
        listener.want(uri)
        if session.stream is not None and not await self._hears(listener):
            raise ProtocolError(INTERNAL_ERROR, _TOO_MANY)
        return {}

    def leave(self, session: Session) -> None:
        """A session is over."""
        if session.stream is not None:
            session.stream.end()

    def end(self) -> None:
        """Every stream ends, those that answer a request with their result."""
        streams, self._streams = self._streams, {}
        for stream, listener in streams.items():
            if listener is not None:
                listener.tell_end()
            stream.end()

    def close(self, seconds: float) -> bool:
        return self._worker is None or self._worker.stop(seconds)

    def _of(self, session: Session) -> Listener:
        if session.listener is None:
            session.listener = Listener(_nowhere, lists=True)
        return session.listener

    def _drop(self, listener: Listener) -> None:
        if self._ears is not None:
            self._ears.drop(listener)

    async def _hears(self, listener: Listener) -> bool:
        """Have it listen from now on: what stands there at this moment is known when this returns. False when too
        many wait."""
        if self._worker is None:
            from memoranda.model.record import Channel, Door

            desk = self._make()
            self._ears = Ears(lambda: desk.marks(Door(Channel.AGENT, None, "http")))
            self._worker = Worker(self._ears.look, desk.close)
        ears, loop = self._ears, asyncio.get_running_loop()
        assert ears is not None
        known: asyncio.Future[None] = loop.create_future()

        def tell() -> None:
            if not known.done():
                known.set_result(None)

        def add() -> None:
            try:
                ears.add(listener)
            finally:
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(tell)

        if not self._worker.submit(add):
            return False
        await known
        return True


def _nowhere(message: Any) -> None:
    """Where the notifications of a session without a stream go."""
