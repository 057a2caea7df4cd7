"""How what lies in a file becomes memory: the write line, with a door that the file can lower and never raise."""

from __future__ import annotations

from memoranda.model.errors import Invalid, NotFound
from memoranda.model.outcome import Outcome, Refused
from memoranda.model.record import CHANNEL_TABLE, Candidate, Channel, Door
from memoranda.model.values import replace
from memoranda.remember.line import Bench, remember
from memoranda.screen import screen
from memoranda.truth.foreign import Written

#: What is taken in without a person who read it.
IMPORT = Channel.IMPORT


def adopt(written: Written, door: Door, bench: Bench, now: str, replaces: str | None = None) -> Outcome:
    """Take one statement of a file through the door; `replaces` is the id of the record it is an edit of.

    `door` is a person's where a person was shown the text, else `IMPORT`. What the file says of its channel counts
    only when it is worth less. A name it supersedes that is not here is dropped, and the outcome says so.
    """
    named = (*written.supersedes, *([replaces] if replaces else []))
    found, missing = [], []
    for name in dict.fromkeys(named):
        try:
            found.append(bench.find(name).id)
        except (Invalid, NotFound):
            missing.append(name)
    outcome = remember(replace(candidate(written), supersedes=tuple(found)), lowered(door, written), bench, now)
    notices = [f"it names {name}, which is not here: that link was left out" for name in missing]
    if written.anchored:
        notices.append("its anchors were left out, since nobody saw what stood there: give them anew with --anchor")
    if isinstance(outcome, Refused) or not notices:
        return outcome
    return replace(outcome, notices=(*outcome.notices, *notices))


def lowered(door: Door, written: Written) -> Door:
    """The door, or the channel that the file carries where that has less authority."""
    claimed = written.channel
    if claimed is None or CHANNEL_TABLE[claimed][0] >= CHANNEL_TABLE[door.channel][0]:
        return door
    return replace(door, channel=claimed)


def candidate(written: Written) -> Candidate:
    """The statement as one that asks to be remembered."""
    return Candidate(
        body=written.body,
        source=written.source,
        category=written.category,
        durability=written.durability,
        confidence=written.confidence,
        observed=written.observed,
        entities=written.entities,
        tags=written.tags,
        scope=written.scope,
        aliases=written.aliases,
    )


def refusal(written: Written, bench: Bench) -> Refused | None:
    """Why the screen would refuse it, None when it passes. Writes nothing."""
    found = screen(candidate(written), bench.screeners())
    return found if isinstance(found, Refused) else None
