"""Finds a text in a session, letter for letter: literal, absolute within what it covered, and it says what that was.

It reads the stored turns and no index, so nothing that is cut, ranked or embedded there can hide a place.
"""

from __future__ import annotations

import re
from typing import Iterator

from memoranda.memory.browse import turns_of
from memoranda.memory.results import ScanHit, ScanView
from memoranda.model.errors import Invalid
from memoranda.model.locator import TurnLocator
from memoranda.model.turn import Turn
from memoranda.truth.turns import TurnStore

_ABSENT = ("redacted:", "elided:")


def scan(
    store: TurnStore,
    harness: str,
    session: str,
    needle: str,
    *,
    ignore_case: bool = False,
    first: int = 0,
    last: int | None = None,
    context: int = 100,
    limit: int = 200,
) -> ScanView:
    """Every place of `needle` in the turns `first`..`last`. Places do not overlap.

    Stops before a turn whose places would pass `limit`, never inside one (the first turn with any is always whole),
    and names the seq to go on from. Raises `Invalid` for an empty needle.
    """
    if not needle:
        raise Invalid("there is nothing to look for", "give the text as it stands in the session")
    pattern = re.compile(re.escape(needle), re.IGNORECASE if ignore_case else 0)
    hits = list[ScanHit]()
    turns = blocks = characters = redacted = 0
    seen, total, follow = first - 1, 0, None
    for turn in turns_of(store, harness, session):
        total = turn.seq + 1
        if follow is not None or turn.seq < first or (last is not None and turn.seq > last):
            continue
        found = list(_places(turn, pattern, context))
        if hits and len(hits) + len(found) > limit:
            follow = turn.seq
            continue
        hits += found
        seen, turns, blocks = turn.seq, turns + 1, blocks + len(turn.blocks)
        characters += sum(len(block.text) for block in turn.blocks)
        redacted += sum(mark.startswith(_ABSENT) for block in turn.blocks for mark in block.marks)
    return ScanView(
        harness, session, needle, tuple(hits), first, seen, total, turns, blocks, characters, redacted, follow
    )


def _places(turn: Turn, pattern: re.Pattern[str], context: int) -> Iterator[ScanHit]:
    offset = 0  # of the block in the turn's text, which a locator counts in
    for number, block in enumerate(turn.blocks):
        text = block.text
        for match in pattern.finditer(text):
            start, end = match.span()
            place = TurnLocator(turn.harness, turn.session, turn.turn, char=(offset + start, offset + end))
            yield ScanHit(
                locator=str(place),
                seq=turn.seq,
                turn=turn.turn,
                ts=turn.ts,
                role=turn.role,
                type=block.type,
                block=number,
                start=start,
                end=end,
                before=text[max(0, start - context) : start],
                match=match[0],
                after=text[end : end + context],
            )
        offset += len(text) + 1
