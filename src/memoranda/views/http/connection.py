"""One connection: no more than so many at once, and a head that comes in time.

The rest is uvicorn's. What it lacks is a bound on how long a connection may take to say what it wants.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from memoranda.views.http.guard import overloaded
from memoranda.views.http.limits import Limits


def connection(limits: Limits) -> type[asyncio.Protocol]:
    """The class of a connection under these limits."""

    class Connection(H11Protocol):
        _late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            if len(self.connections) > limits.connections:
                self.app = overloaded
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            if self._late is not None:
                self._late.cancel()
            super().connection_lost(exc)

        def _watch(self) -> None:
            """From the first byte of a request, or from the start, until its head is whole."""
            asking = self.cycle is not None and not self.cycle.response_complete
            if asking and self._late is not None:
                self._late.cancel()
                self._late = None
            elif not asking and self._late is None:
                self._late = self.loop.call_later(limits.header_seconds, self._end)

        def _end(self) -> None:
            if not self.transport.is_closing():
                self.transport.close()

    return Connection
