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
_DOOR = Door(Channel.AGENT, None, "http")


async def answer(service: Service, known: bool, stopping: bool) -> Answered:
    """200 while memories can be read and written; 503 with what is amiss otherwise. Reasons name files, so that only
    who is `known` gets them."""
    try:
        if stopping:
            found: dict[str, Any] = {"reads": False, "writes": False, "reasons": ["stopping"]}
        else:
            async with asyncio.timeout(SECONDS):
                found = await service.do(lambda desk: _looked(desk, service))
    except TimeoutError:
        found = {"reads": False, "writes": False, "reasons": [f"no answer within {SECONDS:g} s: too much is asked"]}
    except MemorandaError as error:
        found = {"reads": False, "writes": False, "reasons": [error.message]}
    well = found["reads"] and found["writes"]
    shown = found if known else {name: found[name] for name in ("reads", "writes")}
    return document(200 if well else 503, {"status": "ok" if well else "degraded", **shown})


def _looked(desk: Desk, service: Service) -> dict[str, Any]:
    reasons: list[str] = []
    reads = writes = False
    try:
        with desk.one(_DOOR) as memory:
            index = memory.status().index
        reads = True
        if index.pending:
            reasons.append(f"{index.pending} files wait for the index")
        ensure_written_safely(desk, False, _DOOR, service.layer)
        writes = True
    except Exception as error:
        reasons.append(expected(error, "").message)
    return {"reads": reads, "writes": writes, "reasons": reasons}
