"""The Model Context Protocol over HTTP, in both eras at one path.

Since 2026-07-28 a POST is everything: it says who asks, and only `subscriptions/listen` is answered by a stream. Until
then a client introduces itself, gets a session id that is good for its own token alone, and may open one stream for
notifications. Nothing is sent twice: a client that lost its stream reads anew what it watches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

from memoranda.model.errors import Unavailable
from memoranda.views.mcp.eras import LEGACY, MODERN, VERSION_KEY, Caller, caller, dressed, introduction
from memoranda.views.mcp.headers import agree
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
    dump,
    failure,
    parse,
    result,
)
from memoranda.views.mcp.methods import LIGHT, answer, initialized
from memoranda.views.mcp.sessions import Session, Sessions
from memoranda.views.mcp.streams import SSE, Hall, event
from memoranda.views.serving.exchange import Answered, Asked, Overloaded, Service, ensure_written_safely

if TYPE_CHECKING:
    from memoranda.views.serving.desk import Desk

SESSION = "mcp-session-id"
VERSION = "mcp-protocol-version"
_BATCHING = "2025-03-26"
_MOST_TOGETHER = 20
_JSON = "application/json"


class Endpoint:
    """One path. `answer` is called on the event loop; memories are used on the service's threads."""

    def __init__(self, service: Service, make: Callable[[], Desk]) -> None:
        self._service = service
        self._sessions = Sessions()
        self._hall = Hall(make, service.ping_seconds)

    def end(self) -> None:
        """Tell every listener that we stop."""
        self._hall.end()

    def close(self, seconds: float) -> bool:
        """Let go of what listening opened; False when that took longer."""
        return self._hall.close(seconds)

    async def answer(self, asked: Asked) -> Answered:
        if asked.headers.get(VERSION) in MODERN and asked.method != "POST":
            return Answered(405, headers={"allow": "POST"})
        match asked.method:
            case "GET":
                return self._stream(asked)
            case "DELETE":
                found = self._sessions.end(asked.headers.get(SESSION), asked.door)
                if found is not None:
                    self._hall.leave(found)
                return Answered(204 if found else 404)
        return await self._posted(asked)

    # -- POST

    async def _posted(self, asked: Asked) -> Answered:
        accepted = accepts(asked.headers.get("accept", "*/*"))
        if not accepted:
            return _failed(406, None, INVALID_REQUEST, "accept application/json and text/event-stream")
        found = parse(asked.body)
        if isinstance(found, Batch):
            return await self._batch(asked, found.items, accepted)
        if isinstance(found, Flaw):
            return _failed(400, found.id, found.code, found.message)
        if found is None:
            return Answered(202)
        session = self._sessions.of(asked.headers.get(SESSION), asked.door)
        if found.id is None:
            return self._noted(asked, session)
        try:
            if _is_modern(found) or asked.headers.get(VERSION) in MODERN:
                return await self._modern(asked, found, found.id, accepted)
            if found.method == "initialize":
                return self._introduced(asked, found, found.id, accepted)
            refused = _unknown_session(asked, session, found.id)
            if refused is not None:
                return refused
            assert session is not None
            return _whole(200, await self._replied(asked, found, found.id, session.who, session), accepted)
        except ProtocolError as error:
            modern = _is_modern(found) or asked.headers.get(VERSION) in MODERN
            return _failed(_status(error, modern), found.id, error.code, error.message, error.data)

    def _noted(self, asked: Asked, session: Session | None) -> Answered:
        """A notification: accepted and, there being nothing that one could change, let go."""
        version = asked.headers.get(VERSION)
        if version is not None and version not in (*LEGACY, *MODERN):
            return _failed(400, None, INVALID_REQUEST, "this protocol version is not served")
        if SESSION in asked.headers and session is None:
            return Answered(404)
        return Answered(202)

    async def _modern(self, asked: Asked, message: Message, id: Id, accepted: Sequence[str]) -> Answered:
        if not _is_modern(message):
            raise ProtocolError(INVALID_PARAMS, f"_meta lacks {VERSION_KEY}")
        agree(asked.headers, asked.repeated, message)
        who = caller(message, None)
        if message.method == "subscriptions/listen":
            if SSE not in accepted:
                return _failed(406, id, INVALID_REQUEST, "accept text/event-stream to listen")
            if not asked.room():
                return _failed(429, id, INTERNAL_ERROR, "too many streams are open")
            return Answered(200, media_type=SSE, stream=self._hall.listen(message.params, id))
        return _whole(200, await self._replied(asked, message, id, who, None), accepted)

    def _introduced(self, asked: Asked, message: Message, id: Id, accepted: Sequence[str]) -> Answered:
        who = introduction(message.params)
        session = self._sessions.begin(who, asked.door)
        return _whole(200, result(id, initialized(who)), accepted, {SESSION: session.id})

    async def _batch(self, asked: Asked, items: Sequence[Message | Flaw | None], accepted: Sequence[str]) -> Answered:
        """Several messages as one, which only 2025-03-26 knew. One that would change something while nothing may be
        changed stops them all."""
        session = self._sessions.of(asked.headers.get(SESSION), asked.door)
        if session is None or session.who.version != _BATCHING:
            return _failed(400, None, INVALID_REQUEST, "one message at a time")
        if len(items) > _MOST_TOGETHER:
            return _failed(400, None, INVALID_REQUEST, f"at most {_MOST_TOGETHER} messages at a time")
        replies: list[Any] = []
        try:
            for item in items:
                if isinstance(item, Message) and item.id is not None:
                    await self._ensure_allowed(asked, item)
            for item in items:
                if isinstance(item, Flaw):
                    replies.append(failure(item.id, item.code, item.message))
                elif item is not None and item.id is not None:
                    replies.append(await self._one_of_many(asked, item, item.id, session))
        except ProtocolError as error:
            return _failed(_status(error, False), None, error.code, error.message, error.data)
        return _whole(200, replies, accepted) if replies else Answered(202)

    async def _one_of_many(self, asked: Asked, message: Message, id: Id, session: Session) -> Any:
        if message.method == "initialize":
            return failure(id, INVALID_REQUEST, "initialize stands alone")
        try:
            return await self._replied(asked, message, id, session.who, session)
        except ProtocolError as error:
            return failure(id, error.code, error.message, error.data)

    async def _replied(self, asked: Asked, message: Message, id: Id, who: Caller, session: Session | None) -> Any:
        """The reply to one request. Raises `ProtocolError`."""
        method, params = message.method, message.params
        if session is not None and method in ("resources/subscribe", "resources/unsubscribe"):
            value = await self._hall.subscribe(session, params.get("uri"), method.endswith("/subscribe"))
        elif method in LIGHT:
            value = answer(_NO_DESK, method, params, who, asked.door)
        else:
            await self._ensure_allowed(asked, message)
            value = await self._done(lambda desk: answer(desk, method, params, who, asked.door))
        return result(id, dressed(method, value, who))

    async def _ensure_allowed(self, asked: Asked, message: Message) -> None:
        """Before a call that would change something. Raises `ProtocolError` saying why it may not."""
        from memoranda.views.operations.tools import tool

        name = message.params.get("name")
        found = tool(name) if message.method == "tools/call" and isinstance(name, str) else None
        if found is None or found.read_only:
            return
        if not asked.writes:
            raise ProtocolError(FORBIDDEN, "this token may only read; a person decides in the settings what it may")
        given = message.params.get("arguments")
        project = isinstance(given, Mapping) and given.get("project") in (True, "true")
        layer = self._service.layer
        await self._done(lambda desk: _ensure(desk, project, asked, layer))

    async def _done(self, job: Callable[[Desk], Any]) -> Any:
        try:
            return await self._service.do(job)
        except (ProtocolError, TimeoutError, Overloaded) as error:
            raise _as_protocol(error) from error
        except Exception as error:
            from memoranda.views.commands.call import expected

            raise ProtocolError(INTERNAL_ERROR, expected(error, "").message) from error

    # -- GET

    def _stream(self, asked: Asked) -> Answered:
        """The one stream of an old session. Without a session there is nothing to hear here."""
        if SESSION not in asked.headers:
            return Answered(405, headers={"allow": "POST"})
        session = self._sessions.of(asked.headers[SESSION], asked.door)
        if session is None:
            return Answered(404)
        if SSE not in accepts(asked.headers.get("accept", "*/*")):
            return Answered(406)
        if session.stream is not None:
            return _failed(409, None, INVALID_REQUEST, "this session has a stream already")
        if not asked.room():
            return _failed(429, None, INTERNAL_ERROR, "too many streams are open")
        return Answered(200, media_type=SSE, stream=self._hall.hear(session))


#: Codes of ours, outside the range that JSON-RPC keeps for itself.
FORBIDDEN, UNSAFE, OVERLOADED = 403, 503, 429
_NO_DESK: Any = None  # light methods look at no memory


def accepts(header: str) -> list[str]:
    """Which of our two kinds of answer a client takes, in the order JSON, stream."""
    kinds = {part.partition(";")[0].strip().lower() for part in header.split(",")}
    return [kind for kind in (_JSON, SSE) if {kind, kind.partition("/")[0] + "/*", "*/*"} & kinds]


def _ensure(desk: Desk, project: bool, asked: Asked, layer: Any) -> None:
    """Raises `ProtocolError` while nothing holds writers apart; what else is amiss the call itself will say."""
    from memoranda.model.errors import MemorandaError

    try:
        ensure_written_safely(desk, project, asked.door, layer)
    except Unavailable as error:
        raise ProtocolError(UNSAFE, error.message, {"hint": error.hint}) from error
    except MemorandaError:
        return


def _as_protocol(error: Exception) -> ProtocolError:
    if isinstance(error, ProtocolError):
        return error
    if isinstance(error, Overloaded):
        return ProtocolError(OVERLOADED, error.message)
    return ProtocolError(UNSAFE, "the answer took too long")


def _is_modern(message: Message) -> bool:
    meta = message.params.get("_meta")
    return isinstance(meta, Mapping) and VERSION_KEY in meta


def _unknown_session(asked: Asked, session: Session | None, id: Id) -> Answered | None:
    version = asked.headers.get(VERSION)
    if version is not None and version not in LEGACY:
        return _failed(400, id, INVALID_REQUEST, "this protocol version is not served", {"supported": list(LEGACY)})
    if SESSION not in asked.headers:
        return _failed(400, id, INVALID_REQUEST, "say initialize first, or name the protocol version in _meta")
    return _failed(404, id, INVALID_REQUEST, "there is no such session; say initialize") if session is None else None


def _status(error: ProtocolError, modern: bool) -> int:
    """The old era says 200 to whatever it could read; what is wrong stands in the message."""
    if error.code in (FORBIDDEN, UNSAFE, OVERLOADED):
        return error.code
    if not modern:
        return 200
    return {METHOD_NOT_FOUND: 404, INVALID_PARAMS: 400, INTERNAL_ERROR: 500}.get(error.code, 400)


def _failed(status: int, id: Id | None, code: int, message: str, data: Any = None) -> Answered:
    headers = {"retry-after": "1"} if status == 429 else {}
    return Answered(status, dump(failure(id, code, message, data)), headers=headers)


def _whole(status: int, reply: Any, accepted: Sequence[str], headers: Mapping[str, str] | None = None) -> Answered:
    """A reply as JSON, or for a client that takes streams alone as one with a single event."""
    if _JSON in accepted:
        return Answered(status, dump(reply), headers=headers or {})
    return Answered(status, event(reply), SSE, headers or {})
