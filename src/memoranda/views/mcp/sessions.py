"""Sessions of the old era over HTTP: who introduced themselves, under an id that cannot be guessed.

A session belongs to the token that began it; under any other it is not there.
"""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING

from memoranda.views.mcp.eras import Caller

if TYPE_CHECKING:
    from memoranda.model.record import Door
    from memoranda.views.mcp.listening import Listener
    from memoranda.views.mcp.streams import Stream

#: Sessions of one token; the one that was used longest ago makes room. A client whose session is gone begins anew.
MOST_EACH = 64
IDLE_SECONDS = 24 * 3600.0


class Session:
    """`stream` is the one that is open, None when none is."""

    def __init__(self, who: Caller, principal: str) -> None:
        self.id = secrets.token_urlsafe(32)
        self.who, self.principal = who, principal
        self.used = time.monotonic()
        self.listener: Listener | None = None
        self.stream: Stream | None = None


class Sessions:
    """All that are open. Used on one thread."""

    def __init__(self) -> None:
        self._all: dict[str, Session] = {}

    def begin(self, who: Caller, door: Door) -> Session:
        session = Session(who, door.principal or "")
        own = [other for other in self._all.values() if other.principal == session.principal and other.stream is None]
        own.sort(key=lambda other: other.used)
        stale = [other for other in own if other.used < session.used - IDLE_SECONDS]
        for other in {*stale, *own[: max(len(own) - MOST_EACH + 1, 0)]}:
            del self._all[other.id]
        self._all[session.id] = session
        return session

    def of(self, id: str | None, door: Door) -> Session | None:
        """The session of that id, if it is this caller's."""
        found = self._all.get(id or "")
        if found is None or found.principal != (door.principal or ""):
            return None
        found.used = time.monotonic()
        return found

    def end(self, id: str | None, door: Door) -> Session | None:
        found = self.of(id, door)
        if found is not None:
            del self._all[found.id]
        return found
