"""Reading turns back, exactly as stored: by seq without reading the session, by the harness's id with one scan.

A session may lie in several files (several writers captured it): then the union by turn id is read, in order of the
writer's own seq.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, Sequence

from memoranda.model.errors import NotFound
from memoranda.model.locator import TurnLocator
from memoranda.model.problem import Problem
from memoranda.model.turn import Turn
from memoranda.truth.seek import between, last_seq, with_id
from memoranda.truth.turns import TurnStore

if TYPE_CHECKING:  # a recall makes none, and to load them takes as long as to read ten turns
    from memoranda.memory.results import TurnsView

#: A result never holds more text than this unless a single turn does (funes stops at the same size).
CEILING_CHARACTERS = 40_000


def turns_at(store: TurnStore, locator: TurnLocator) -> Sequence[Turn] | None:
    """The turns a locator names, in order of seq; None when the session was never captured here."""
    files = store.session_files(locator.harness, locator.session)
    if not files:
        return None
    if locator.turn is not None:
        turns = [t for t in _scan(store, files, locator.turn) if _is_of(t, locator)]
        if locator.last is not None and turns:
            return span(store, locator.harness, locator.session, turns[0].seq, locator.last)
        return turns[:1]
    first = locator.seq or 0
    return span(store, locator.harness, locator.session, first, first if locator.last is None else locator.last)


def span(store: TurnStore, harness: str, session: str, first: int, last: int) -> Sequence[Turn]:
    """The session's turns with seq in first..last."""
    files = store.session_files(harness, session)
    if len(files) == 1:
        found = between(store.folder.root / files[0], first, last)
        return [t for t in found if t.session == session]
    union: dict[str, Turn] = {}
    for path in files:
        for item in store.read(path):
            if not isinstance(item, Problem) and item[0].session == session:
                union.setdefault(item[0].turn, item[0])
    ordered = sorted(union.values(), key=lambda t: (t.seq, t.turn))
    return [t for t in ordered if first <= t.seq <= last]


def view(store: TurnStore, locator: TurnLocator, before: int, after: int) -> TurnsView:
    """The named turns with some before and after, cut at the ceiling between turns, never inside one."""
    from memoranda.memory.results import TurnsView

    named = turns_at(store, locator)
    if named is None:
        raise NotFound(
            f"session {locator.session} of {locator.harness} was not captured here",
            "memoranda status shows what was; memoranda capture takes in more",
        )
    if not named:
        raise NotFound(f"no such turn in session {locator.session}", f"it has turns 0..{_last(store, locator)}")
    ranged = locator.last is not None
    first = named[0].seq if ranged else max(0, named[0].seq - before)
    last = named[-1].seq if ranged else named[-1].seq + after
    turns = list(span(store, locator.harness, locator.session, first, last))
    kept = _fitting(turns, named[0].seq)
    end = _last(store, locator)
    follow = kept[-1].seq + 1
    return TurnsView(
        harness=locator.harness,
        session=locator.session,
        turns=tuple(kept),
        asked=named[0].seq,
        total=end + 1,
        next=str(TurnLocator(locator.harness, locator.session, seq=follow, last=min(end, follow + 19)))
        if follow <= end
        else None,
        shortened=len(kept) < len(turns),
    )


def _fitting(turns: Sequence[Turn], asked: int) -> list[Turn]:
    """As many turns as fit the ceiling; the asked one is always among them, later ones go before earlier ones."""
    size = sum(len(t.text) for t in turns)
    kept = list(turns)
    while size > CEILING_CHARACTERS and len(kept) > 1:
        gone = kept.pop() if kept[-1].seq > asked else kept.pop(0)
        size -= len(gone.text)
    return kept


def captured_at(store: TurnStore, harness: str, session: str, turn: str, seq: int) -> str:
    """When a turn was first captured, by any writer; "" when it is not here. `seq` is where it is looked for first."""
    times = []
    for path in store.session_files(harness, session):
        near = [t for t in between(store.folder.root / path, seq, seq) if (t.session, t.turn) == (session, turn)]
        found = near or [t for t in with_id(store.folder.root / path, turn) if t.session == session]
        times += [t.captured for t in found[:1]]
    return min(times, default="")


def _last(store: TurnStore, locator: TurnLocator) -> int:
    return max(
        (last_seq(store.folder.root / path) for path in store.session_files(locator.harness, locator.session)),
        default=-1,
    )


def _scan(store: TurnStore, files: Sequence[str], turn: str) -> Iterator[Turn]:
    for path in files:
        yield from with_id(store.folder.root / path, turn)


def _is_of(turn: Turn, locator: TurnLocator) -> bool:
    return turn.session == locator.session and turn.turn == locator.turn
