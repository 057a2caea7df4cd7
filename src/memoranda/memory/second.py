"""The second in which a statement can be written: never one in which the same statement was written and retired."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Callable

from memoranda.index import statement

if TYPE_CHECKING:
    from memoranda.memory.store import Store

_PAUSE_SECONDS = 0.05
#: A clock that stands still is not waited for.
_MOST_PAUSES = 30


def free_second(store: Store, body: str, scope: str | None, now: Callable[[], str]) -> str:
    """What the clock `now` says, UTC ISO; waits for its next second where it must.

    Said, retired and said again within one second, a statement would be the same bytes under the same name, and what
    retired the old one would retire the new one.
    """
    wanted = statement(body, scope)
    at = now()
    for _ in range(_MOST_PAUSES):
        same = [store.read(id) for id in store.catalog.statements.get(wanted, ())]
        gone = (r for r in same if r is not None and (store.standing(r).retired or store.standing(r).rejected))
        if not any(record.created == at for record in gone):
            break
        time.sleep(_PAUSE_SECONDS)
        at = now()
    return at
