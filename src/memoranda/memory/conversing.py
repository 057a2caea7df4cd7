"""The part of the SDK for programs that keep their conversations here: what is said now, and what was said."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Sequence

from memoranda.memory.reading import span
from memoranda.memory.times import now
from memoranda.model.errors import Invalid
from memoranda.model.turn import Turn

if TYPE_CHECKING:
    from memoranda.memory.store import Store


class Conversing:
    """Part of `Memory`."""

    _store: Store

    def say(self, turns: Sequence[Turn]) -> tuple[Turn, ...]:
        """Keep turns of one session as they are said, screened as a capture screens them and durable when this
        returns; those that are new. They are found by words at once, and by meaning after the next `embed` or
        `capture`.

        `seq`, `captured` and `screened` are set here. Raises `Invalid` for a turn out of form and for a project
        memory, which holds no turns; `Busy`, `Unavailable`.
        """
        from memoranda.remember.echo import Echoes
        from memoranda.remember.said import keep

        store = self._store
        if store.project:
            raise Invalid("a project memory holds no turns", "keep conversations in the personal memory")
        store.recover()
        marked = [*map(Echoes(store.handed_out()).mark, turns)]
        return keep(marked, store.turn_store, store.index, store.screeners(), now())

    def conversation(self, harness: str, session: str) -> Sequence[Turn]:
        """Every turn of a session in order, as stored; none when nothing was kept of it."""
        return span(self._store.turn_store, harness, session, 0, sys.maxsize)
