"""The section *said*: passages in fused order, their words read from the turns files at this moment."""

from __future__ import annotations

from collections import Counter
from typing import Iterable, Mapping, Sequence

from memoranda.model.locator import TurnLocator, parse_locator
from memoranda.model.query import Hit, Neighbour, Query, Ranked, Said
from memoranda.model.turn import Turn
from memoranda.model.values import replace
from memoranda.recall.facts import live_ends
from memoranda.recall.readable import Readable

#: A neighbour is a glimpse: its first characters, folded to one line.
GLIMPSE_CHARACTERS = 160

#: Shorter passages are only the same when they are the same turn: "yes" is said in many places and means many things.
REPEAT_CHARACTERS = 40


def quote(
    hits: Sequence[Hit], owners: Mapping[str, Readable], query: Query, withheld: Counter[str]
) -> list[tuple[Said, Hit]]:
    """At most `query.limit` passages, one a turn, in the order of `hits`; counts what it leaves out.

    A passage that repeats one before it shares its place, and both turns are named.
    """
    shown: list[tuple[Said, Hit]] = []
    ranges = _Ranges()
    places: dict[tuple[str, str], int] = {}
    for position, hit in enumerate(hits):
        if len(shown) == query.limit:
            withheld["more"] += len(hits) - position
            break
        said = _passage(hit, owners[hit.row.doc], query.neighbours, ranges)
        if said is None:
            withheld["unreadable"] += 1
            continue
        key = (said.role, " ".join(said.text.split()))
        if key in places and (len(key[1]) >= REPEAT_CHARACTERS or _same_turn(shown[places[key]][0], said)):
            first, of = shown[places[key]]
            shown[places[key]] = (replace(first, also=(*first.also, said.locator)), of)
        else:
            places.setdefault(key, len(shown))
            shown.append((said, hit))
    return shown


def _same_turn(one: Said, other: Said) -> bool:
    """A fork keeps the ids of the turns it begins with."""
    return (one.harness, one.turn) == (other.harness, other.turn)


def _passage(hit: Hit, memory: Readable, neighbours: int, ranges: _Ranges) -> Said | None:
    """The passage as it stands in the turns file; None when it is no longer there."""
    row = hit.row
    locator = parse_locator(row.doc)
    assert isinstance(locator, TurnLocator)
    around = _around(row, locator, memory, neighbours)
    turn = next((t for t in around if t.turn == locator.turn), None)
    if turn is None or row.block >= len(turn.blocks):
        return None
    block = turn.blocks[row.block]
    text = block.text[row.start : row.end]
    if not text.strip():
        return None
    cited_by = _citing(locator, turn.seq, memory, ranges)
    successors = {end for id in cited_by for end in live_ends(id, memory)}
    return Said(
        locator=row.doc,
        memory=memory.name,
        harness=turn.harness,
        session=turn.session,
        turn=turn.turn,
        seq=turn.seq,
        ts=turn.ts,
        role=turn.role,
        type=block.type,
        text=text,
        start=row.start,
        end=row.end,
        score=hit.score,
        ranks=hit.ranks,
        before=tuple(_glimpse(t) for t in around if t.seq < turn.seq),
        after=tuple(_glimpse(t) for t in around if t.seq > turn.seq),
        cited_by=tuple(sorted(cited_by)),
        successors=tuple(sorted(successors)),
        cwd=turn.cwd,
        flags=turn.flags,
    )


def _around(row: Ranked, locator: TurnLocator, memory: Readable, neighbours: int) -> Sequence[Turn]:
    """The turn with those before and after: by number, which is quick, and by its own id where numbers mislead."""
    first, last = max(0, row.seq - neighbours), row.seq + neighbours
    span = memory.turns_at(TurnLocator(locator.harness, locator.session, seq=first, last=last)) or ()
    if any(turn.turn == locator.turn for turn in span):
        return span
    found = memory.turns_at(locator) or ()
    if not found or not neighbours:
        return found
    first, last = max(0, found[0].seq - neighbours), found[0].seq + neighbours
    return memory.turns_at(TurnLocator(locator.harness, locator.session, seq=first, last=last)) or found


def _glimpse(turn: Turn) -> Neighbour:
    place = TurnLocator(turn.harness, turn.session, turn=turn.turn)
    return Neighbour(str(place), turn.role, turn.seq, " ".join(turn.words.split())[:GLIMPSE_CHARACTERS])


def _citing(locator: TurnLocator, seq: int, memory: Readable, ranges: _Ranges) -> set[str]:
    """The records in effect or replaced whose anchors name this turn: by id, by number, or within a range."""
    cites = memory.catalog.cites
    ids = {*cites.get(str(locator), ()), *ranges.holding(memory, locator, seq)}
    ids |= {*cites.get(str(TurnLocator(locator.harness, locator.session, seq=seq)), ())}
    records = (memory.read(id) for id in ids)
    return {record.id for record in records if record is not None and memory.in_effect(record)}


class _Ranges:
    """The citations that name a range of turns, parsed once a recall and memory."""

    def __init__(self) -> None:
        self._by_memory: dict[Readable, list[tuple[TurnLocator, Iterable[str]]]] = {}

    def holding(self, memory: Readable, locator: TurnLocator, seq: int) -> set[str]:
        if memory not in self._by_memory:
            ranged = [(parse_locator(text), ids) for text, ids in memory.catalog.cites.items() if ".." in text]
            self._by_memory[memory] = [(place, ids) for place, ids in ranged if isinstance(place, TurnLocator)]
        return {
            id
            for place, ids in self._by_memory[memory]
            if (place.harness, place.session) == (locator.harness, locator.session)
            and place.seq is not None
            and place.last is not None
            and place.seq <= seq <= place.last
            for id in ids
        }
