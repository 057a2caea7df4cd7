"""One client on one pipe: who it is, what it asked, what it cancelled, what it listens to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Sequence

from memoranda.views.mcp.eras import Caller, caller, dressed, introduction
from memoranda.views.mcp.messages import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Batch,
    Flaw,
    Id,
    Message,
    ProtocolError,
    failure,
    parse,
    result,
)
from memoranda.views.mcp.methods import LIGHT, answer, initialized

if TYPE_CHECKING:
    from memoranda.views.mcp.listening import Ears, Listener
    from memoranda.views.mcp.worker import Worker
    from memoranda.views.serving.desk import Desk

Send = Callable[[Any], None]

#: The only versions in which several messages may come as one.
_BATCHING = frozenset({"2025-03-26"})


class Ticket:
    """A request that waits or runs. One that was cancelled is not answered."""

    def __init__(self) -> None:
        self.cancelled = False


class Session:
    """`take` is called by the thread that reads; everything that needs the memory is left to the worker."""

    def __init__(self, desk: Desk, send: Send) -> None:
        self._desk, self._send = desk, send
        self._who: Caller | None = None
        self._open: dict[Id, Ticket] = {}
        self._listening: dict[Id, Listener] = {}
        self._subscribed: Listener | None = None
        self._worker: Worker | None = None
        self._ears: Ears | None = None

    def take(self, frame: bytes) -> None:
        """One frame as it came."""
        found = parse(frame)
        if not isinstance(found, Batch):
            self._one(found, self._send)
        elif self._who is None or self._who.version not in _BATCHING:
            self._send(failure(None, INVALID_REQUEST, "one message at a time"))
        else:
            self._batch(found.items)

    def end(self, seconds: float) -> bool:
        """The client is gone: answer what waits, close the memory. False when that took longer."""
        for listener in self._listening.values():
            listener.tell_end()
        return self._worker is None or self._worker.stop(seconds)

    # -- messages

    def _batch(self, items: Sequence[Message | Flaw | None]) -> None:
        """Answer several together, when the last of them has its answer."""
        asked = [item for item in items if isinstance(item, Flaw) or (item is not None and item.id is not None)]
        answers: list[Any] = []

        def collect(reply: Any) -> None:
            answers.append(reply)
            if len(answers) == len(asked):
                self._send(answers)

        for item in items:
            if isinstance(item, Message) and item.method == "initialize" and item.id is not None:
                collect(failure(item.id, INVALID_REQUEST, "initialize stands alone"))
            else:
                self._one(item, collect)

    def _one(self, item: Message | Flaw | None, send: Send) -> None:
        if item is None:
            return
        if isinstance(item, Flaw):
            send(failure(item.id, item.code, item.message))
        elif item.id is None:
            self._noted(item)
        else:
            try:
                self._asked(item, item.id, send)
            except ProtocolError as error:
                send(failure(item.id, error.code, error.message, error.data))

    def _noted(self, note: Message) -> None:
        """A notification. All but a cancellation are only politeness."""
        if note.method != "notifications/cancelled":
            return
        id = note.params.get("requestId")
        if not isinstance(id, str | int):
            return
        if id in self._open:
            self._open[id].cancelled = True
        self._unheard(id)

    def _asked(self, request: Message, id: Id, send: Send) -> None:
        if id in self._open or id in self._listening:
            raise ProtocolError(INVALID_REQUEST, "a request with this id is still open")
        if request.method == "initialize":
            self._who = introduction(request.params)
            send(result(id, initialized(self._who)))
            return
        if request.method == "ping" and self._who is None and "_meta" not in request.params:
            send(result(id, {}))
            return
        who = caller(request, self._who)
        if request.method in LIGHT:
            send(result(id, dressed(request.method, answer(self._desk, request.method, request.params, who), who)))
            return
        ticket = self._open[id] = Ticket()
        if not self._started().submit(lambda: self._work(request, id, who, send, ticket)):
            del self._open[id]
            raise ProtocolError(INTERNAL_ERROR, "too many requests are waiting; ask again later")

    # -- on the worker's thread

    def _work(self, request: Message, id: Id, who: Caller, send: Send, ticket: Ticket) -> None:
        if not ticket.cancelled:
            reply = self._reply(request, id, who)
            if reply is not None and not ticket.cancelled:
                send(reply)
            if ticket.cancelled:  # it may have begun to listen since
                self._unheard(id)
        self._open.pop(id, None)

    def _unheard(self, id: Id) -> None:
        listener = self._listening.pop(id, None)
        if listener is not None and self._ears is not None:
            self._ears.drop(listener)

    def _reply(self, request: Message, id: Id, who: Caller) -> Any:
        try:
            if request.method == "subscriptions/listen" and who.modern:
                self._listen(request, id)
                return None
            if request.method in ("resources/subscribe", "resources/unsubscribe"):
                value = self._subscribe(request, who)
            else:
                value = answer(self._desk, request.method, request.params, who)
            return result(id, dressed(request.method, value, who))
        except ProtocolError as error:
            return failure(id, error.code, error.message, error.data)
        except Exception as error:
            from memoranda.views.commands.call import expected

            return failure(id, INTERNAL_ERROR, expected(error, "").message)

    def _listen(self, request: Message, id: Id) -> None:
        from memoranda.views.mcp.listening import opened

        listener = opened(request.params, id, self._send)
        assert self._ears is not None
        self._ears.add(listener)
        self._listening[id] = listener  # before it is told so: a client that goes away at once still gets its result
        listener.acknowledge()

    def _subscribe(self, request: Message, who: Caller) -> dict[str, Any]:
        from memoranda.views.mcp.listening import Listener

        if who.modern:
            raise ProtocolError(METHOD_NOT_FOUND, f"{request.method} is not part of {who.version}")
        uri = request.params.get("uri")
        if self._subscribed is None:
            self._subscribed = Listener(self._send, lists=True)
        if request.method == "resources/unsubscribe":
            if not isinstance(uri, str):
                raise ProtocolError(INVALID_PARAMS, "uri is a string")
            self._subscribed.seen.pop(uri, None)
        else:
            self._subscribed.want(uri)
            assert self._ears is not None
            self._ears.add(self._subscribed)
        return {}

    def _started(self) -> Worker:
        if self._worker is None:
            from memoranda.views.mcp.listening import Ears
            from memoranda.views.mcp.methods import door
            from memoranda.views.mcp.worker import Worker

            who = self._who or Caller(True, "", "")
            self._ears = Ears(lambda: self._desk.marks(door(who)))
            self._worker = Worker(self._ears.look, self._desk.close)
        return self._worker
