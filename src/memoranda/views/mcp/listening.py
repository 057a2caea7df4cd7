"""Who wants to know of changes, and telling them: in the old era by `resources/subscribe`, since 2026-07-28 by a
`subscriptions/listen` request that stays open.

Changes are seen by looking again at names, sizes and times: what a person edits by hand counts like what we write.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Callable, Mapping

from memoranda.views.mcp.eras import SERVER, SERVER_KEY, SUBSCRIPTION_KEY
from memoranda.views.mcp.messages import INVALID_PARAMS, Id, ProtocolError, notification, result
from memoranda.views.mcp.resources import watchable, watched

if TYPE_CHECKING:
    from memoranda.memory.serving import Marks

#: Between two looks: the first while things change, longer and longer while nothing does. A look that takes long is
#: followed by a longer rest, so that looking never takes 1 % of a core.
LOOK_SECONDS = 0.5
IDLE_SECONDS = 5.0
SLOWER = 1.25
REST = 100
MOST_URIS = 1_000

Send = Callable[[Any], None]
_UPDATED, _LISTED = "notifications/resources/updated", "notifications/resources/list_changed"


class Listener:
    """One set of wishes. `id` is that of a `subscriptions/listen` request, None for an old client's subscriptions."""

    def __init__(self, send: Send, id: Id | None = None, lists: bool = False) -> None:
        self.send, self.id, self.lists = send, id, lists
        self.seen: dict[str, str | None] = {}  # uri -> its mark at the last look, None before the first
        self.ids: frozenset[str] | None = None
        self.gone = False  # cancelled, perhaps while it is being looked for

    @property
    def idle(self) -> bool:
        return not (self.lists or self.seen)

    def want(self, uri: Any) -> None:
        """Raises `ProtocolError` for what is no resource of ours, and for too many."""
        if not watchable(uri):
            raise ProtocolError(INVALID_PARAMS, "there is no such resource to listen to")
        if len(self.seen) >= MOST_URIS:
            raise ProtocolError(INVALID_PARAMS, f"at most {MOST_URIS} resources can be listened to")
        self.seen.setdefault(uri, None)

    def look(self, marks: Marks) -> bool:
        """Tell what changed since the last look; whether anything did."""
        told = False
        for uri, before in list(self.seen.items()):
            now = watched(uri, marks)
            self.seen[uri] = now
            if before is not None and now != before:
                self.tell(_UPDATED, {"uri": uri})
                told = True
        ids = frozenset(marks.records)
        if self.lists and self.ids is not None and ids != self.ids:
            self.tell(_LISTED, {})
            told = True
        self.ids = ids
        return told

    def acknowledge(self) -> None:
        """Say what it will be told: the first message of its stream."""
        accepted: dict[str, Any] = {"resourcesListChanged": True} if self.lists else {}
        if self.seen:
            accepted["resourceSubscriptions"] = list(self.seen)
        self.tell("notifications/subscriptions/acknowledged", {"notifications": accepted})

    def tell_end(self) -> None:
        """End its request gracefully: we stop, nobody cancelled."""
        if self.id is not None:
            meta = {SUBSCRIPTION_KEY: self.id, SERVER_KEY: SERVER}
            self.send(result(self.id, {"resultType": "complete", "_meta": meta}))

    def tell(self, method: str, params: dict[str, Any]) -> None:
        if self.gone:
            return
        if self.id is not None:
            params = {**params, "_meta": {SUBSCRIPTION_KEY: self.id}}
        self.send(notification(method, params))


def opened(params: Mapping[str, Any], id: Id, send: Send) -> Listener:
    """A `subscriptions/listen` request as a listener that is still to be acknowledged. Unknown wishes are left out."""
    wishes = params.get("notifications")
    if not isinstance(wishes, Mapping):
        raise ProtocolError(INVALID_PARAMS, "notifications is an object")
    listener = Listener(send, id, lists=wishes.get("resourcesListChanged") is True)
    uris = wishes.get("resourceSubscriptions")
    if isinstance(uris, list):
        for uri in filter(watchable, uris):
            listener.want(uri)
    return listener


class Ears:
    """All who listen. Used by the thread that may use the memory, but for `drop`."""

    def __init__(self, marks: Callable[[], Marks]) -> None:
        self._marks = marks
        self._all: list[Listener] = []
        self._next = 0.0
        self._pause = LOOK_SECONDS

    def add(self, listener: Listener) -> None:
        """From now on it is told of changes: what stands there at this moment is what later looks are held against."""
        listener.look(self._marks())
        if listener not in self._all:
            self._all = [*self._all, listener]

    def drop(self, listener: Listener) -> None:
        listener.gone = True
        self._all = [other for other in self._all if other is not listener]

    def look(self) -> float | None:
        """Look if it is time; the seconds until the next look, None when nobody listens."""
        wanting = [listener for listener in self._all if not listener.idle]
        if not wanting:
            return None
        start = time.monotonic()
        if start >= self._next:
            marks = self._marks()
            told = [listener.look(marks) for listener in wanting]
            self._pause = LOOK_SECONDS if any(told) else min(self._pause * SLOWER, IDLE_SECONDS)
            self._next = time.monotonic() + max(self._pause, REST * (time.monotonic() - start))
        return max(self._next - time.monotonic(), 0.0)
