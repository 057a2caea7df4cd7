"""One request over HTTP and its answer, as values: what a handler needs to know of a server and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, AsyncIterator, Awaitable, Callable, Mapping, NamedTuple

from memoranda.model.errors import MemorandaError, Unavailable
from memoranda.views.commands.call import asked
from memoranda.views.terminal import to_json

if TYPE_CHECKING:
    from memoranda.memory import Memory
    from memoranda.model.record import Door
    from memoranda.views.serving.desk import Desk
    from memoranda.views.serving.pool import Job

#: What holds a memory's writers apart: raises `Unavailable` with the reason where nothing does.
Layer = Callable[["Memory"], None]

#: Error code -> HTTP status. Others are a fault of ours.
STATUS: Mapping[str, int] = {
    "invalid": 400, "forbidden": 403, "not_found": 404, "too_slow": 408, "conflict": 409, "overloaded": 429,
    "busy": 503, "unavailable": 503,
}  # fmt: skip


class Overloaded(MemorandaError):
    """More is asked than can be done now; nothing was done."""

    code = "overloaded"


class Forbidden(MemorandaError):
    """The settings do not let this caller do it."""

    code = "forbidden"


class Asked(NamedTuple):
    """A request that passed every check. `headers` have names in lower case; those in `repeated` came twice.

    `writes` says whether the caller may change something, `room` whether one more stream may be opened for them.
    """

    method: str
    headers: Mapping[str, str]
    repeated: frozenset[str]
    body: bytes
    door: Door
    writes: bool
    room: Callable[[], bool]


class Answered(NamedTuple):
    """An answer: whole, or a stream that goes on until somebody ends it."""

    status: int
    body: bytes = b""
    media_type: str = "application/json"
    headers: Mapping[str, str] = {}
    stream: AsyncIterator[bytes] | None = None


class Service(NamedTuple):
    """What handlers are given. `do` runs a job on a thread that may use memories, and raises what the job raises,
    `Overloaded`, or `TimeoutError`. `layer` is None where nothing holds writers apart."""

    do: Callable[[Job], Awaitable[Any]]
    layer: Layer | None
    ping_seconds: float


def document(status: int, value: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Answered:
    """A JSON document, the same bytes as the command line prints."""
    return Answered(status, (to_json(dict(value)) + "\n").encode(), headers=headers or {})


def status_of(error: MemorandaError) -> int:
    return STATUS.get(error.code, 500)


def ensure_written_safely(desk: Desk, project: bool, door: Door, layer: Layer | None) -> None:
    """Called before anything is changed. Raises `Unavailable` with the reason while nothing holds writers apart."""
    if layer is None:
        raise Unavailable(
            "this server was started without a write lock", "nothing is changed through it; reading works"
        )
    with desk.opened(asked(desk.named, project or desk.only_project, desk.cwd), door) as memory:
        layer(memory)
