"""Whether this server can do its work right now. What it cannot find out in time it does not call healthy."""

from __future__ import annotations

import asyncio
from typing import Any

from memoranda.model.errors import MemorandaError
from memoranda.model.record import Channel, Door
from memoranda.views.commands.call import expected
from memoranda.views.serving.desk import Desk
from memoranda.views.serving.exchange import Answered, Service, document, ensure_written_safely

#: Somebody who looks at health waits for no queue.
SECONDS = 5.0
#: Anybody on this machine may look, as often as they like: it is found out this often at most.
FRESH_SECONDS = 1.0
_DOOR = Door(Channel.AGENT, None, "http")


class Health:
    """Of one server. Used on the event loop."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._last: tuple[float, dict[str, Any]] | None = None

    async def answer(self, known: bool, stopping: bool) -> Answered:
        """200 while memories can be read and, but for a published one, written; 503 with what is amiss otherwise.
        Reasons name files, so that only who is `known` gets them."""
        found = _bad("stopping") if stopping else await self._now()
        well = found["reads"] and (found["writes"] or found["only_read"])
        shown = found if known else {name: found[name] for name in ("reads", "writes", "only_read")}
        return document(200 if well else 503, {"status": "ok" if well else "degraded", **shown})

    async def _now(self) -> dict[str, Any]:
        loop = asyncio.get_running_loop()
        if self._last is None or loop.time() - self._last[0] > FRESH_SECONDS:
            self._last = loop.time(), await self._looked()
        return self._last[1]

    async def _looked(self) -> dict[str, Any]:
        try:
            async with asyncio.timeout(SECONDS):
                found: dict[str, Any] = await self._service.do(lambda desk: _look(desk, self._service))
                return found
        except TimeoutError:
            return _bad(f"no answer within {SECONDS:g} s: too much is asked")
        except MemorandaError as error:
            return _bad(error.message)


def _bad(reason: str) -> dict[str, Any]:
    return {"reads": False, "writes": False, "only_read": False, "reasons": [reason]}


def _look(desk: Desk, service: Service) -> dict[str, Any]:
    reasons: list[str] = []
    reads = writes = only_read = False
    try:
        with desk.one(_DOOR) as memory:
            index, only_read = memory.status().index, memory.only_read
        reads = True
        if index.pending:
            reasons.append(f"{index.pending} files wait for the index")
        ensure_written_safely(desk, False, _DOOR, service.layer)
        writes = True
    except Exception as error:
        reasons.append(expected(error, "").message)
    return {"reads": reads, "writes": writes, "only_read": only_read, "reasons": reasons}
