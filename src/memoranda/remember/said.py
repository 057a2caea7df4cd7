"""The write line for turns that are handed over as they are said, by a program that keeps its conversations here.

    new turns → screen (redact) → truth (durable) → index, some at a time

The same as a capture without a history to read: nothing unscreened reaches the disk on the way, each turn is kept once
by its id, and a stop after any step is healed by the next sync.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Sequence

from memoranda.model.errors import Invalid, MemorandaError
from memoranda.model.turn import Turn
from memoranda.model.values import replace
from memoranda.ports import Screener
from memoranda.remember.capture import flaw_of
from memoranda.remember.known import grown, known
from memoranda.screen import redact, rules_of

if TYPE_CHECKING:
    from memoranda.index import Index
    from memoranda.truth.turns import TurnStore


#: Turns of a session that wait for the index, at most. Whoever recalls takes them in; a step of the index costs about
#: as much for fifty as for one, and more than all else that is done here.
_MOST_WAITING = 50


def keep(
    turns: Sequence[Turn], store: TurnStore, index: Index, screeners: Sequence[Screener], captured: str
) -> tuple[Turn, ...]:
    """Keep turns of one session in their order; those that are new, as they were stored.

    `captured` is UTC ISO with seconds. Raises `Invalid` for a turn out of form, `Busy`, `Unavailable`.
    """
    for turn in turns:
        if flaw := flaw_of(turn):
            raise Invalid(f"a turn cannot be kept: {flaw}", "docs/turns.md says what a turn is")
    if not turns:
        return ()
    if len({(turn.harness, turn.session) for turn in turns}) > 1:
        raise Invalid("turns of several sessions cannot be kept at once", "hand over one session after the other")
    rules = rules_of(screeners)
    while True:  # again only when somebody else wrote to this session meanwhile; screening holds no lock
        session = known(store, index, turns[0].harness, turns[0].session, cache(store.months))
        numbered = [(turn, session.admit(turn.turn)) for turn in turns]
        new = [replace(t, seq=seq, captured=captured, screened=rules) for t, seq in numbered if seq is not None]
        screened = redact(new, screeners)
        with store.lock.hold():
            if session.holds(store, cache(store.months)):
                files = store.append(screened) if screened else []
                break
    kept = [item.value for item in screened]
    waiting = [*session.unindexed, *kept]
    if len(waiting) >= _MOST_WAITING:
        reached = grown([session], files)
        with suppress(MemorandaError):  # they are kept: a capture that is running takes them in, or whoever asks next
            index.add_turns(waiting, reached, {session.name: session.note()})
    return tuple(kept)
