"""The write line: candidate → screen → references → classify → anchors → known? → hold? → file → index.

One function calls the rooms in order, once. What it decides is a value; what it writes is durable before it answers.
If it stops after any step, nothing is half there: the file is whole or absent, and the index catches up by itself.
"""

from __future__ import annotations

import unicodedata
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Callable, Iterable, Protocol, Sequence

from memoranda.anchor import take
from memoranda.model.errors import Busy, Invalid, MemorandaError, NotFound
from memoranda.model.locator import Locator, TurnLocator, parse_locator
from memoranda.model.outcome import Draft, Held, Known, Outcome, Refused, Screened, Stored
from memoranda.model.record import CHANNEL_TABLE, Authority, Candidate, Channel, Confidence, Door, Record, own_authority
from memoranda.model.turn import Turn
from memoranda.model.world import World
from memoranda.ports import Screener
from memoranda.remember.classify import classify
from memoranda.screen import screen

#: Format characters that ordinary writing needs: joiners (Indic, Persian, emoji), soft hyphen, direction marks.
_PLAIN_FORMAT = "\u200c\u200d\u00ad\u200e\u200f\u061c"


class Bench(Protocol):
    """What the line needs of one memory; `memory` implements it, and no room is reached but through it."""

    @property
    def project(self) -> bool: ...

    def screeners(self) -> Sequence[Screener]: ...

    def find(self, id_or_prefix: str) -> Record:
        """The record of that name, read now. Raises NotFound or Invalid."""

    def authority(self, record: Record) -> Authority:
        """Its authority at reading."""

    def same_statement(self, body: str, scope: str | None) -> Iterable[Record]:
        """Active and held records that say the same."""

    def cited_turns(self, locator: TurnLocator) -> Sequence[Turn]: ...

    def world(self) -> World: ...

    def alone(self) -> AbstractContextManager[None]:
        """Keep every other writer out, and know what they wrote before. Raises Busy."""

    def write(self, draft: Draft) -> Record:
        """Durable on disk, and known as ours, when this returns."""

    def event(self, kind: str, target: str, cause: str) -> None: ...

    def take_in(self, record: Record) -> None:
        """Make a written record searchable. Raises Busy while another process writes the index."""


@dataclass(frozen=True, slots=True)
class _References:
    """The records a candidate names, read from their files."""

    supersedes: tuple[Record, ...]
    contradicts: tuple[Record, ...]
    derived_from: tuple[Record, ...]


def remember(candidate: Candidate, door: Door, bench: Bench, now: str) -> Outcome:
    """Take one candidate through the door. `now` is UTC ISO with seconds. Raises only what cannot be done."""
    screened = screen(candidate, bench.screeners())
    if isinstance(screened, Refused):
        return screened
    try:
        references = _references(candidate, bench)
        locators = [parse_locator(text) for text in candidate.anchors]
        door = _quoted(candidate, door, locators, bench)
        same = list(bench.same_statement(candidate.body, candidate.scope))
        if same:
            return _known(same, candidate, references, bench)
        anchors = tuple(_anchor(locator, bench) for locator in locators)
    except (Invalid, NotFound) as error:
        return Refused(error.message, error.hint)
    draft, reasons = _draft(screened, door, references, anchors, bench, now)
    with bench.alone():  # two who say the same at once: the second one finds the first
        same = list(bench.same_statement(candidate.body, candidate.scope))
        if same:
            return _known(same, candidate, references, bench)
        record = bench.write(draft)
    notices = _after(record, references, bench)
    if record.hold:
        return Held(record, (*reasons, *record.hold), notices)
    return Stored(record, reasons, notices)


def _references(candidate: Candidate, bench: Bench) -> _References:
    def read(ids: Iterable[str]) -> tuple[Record, ...]:
        found = {record.id: record for record in map(bench.find, ids)}
        return tuple(found.values())

    return _References(read(candidate.supersedes), read(candidate.contradicts), read(candidate.derived_from))


def _quoted(candidate: Candidate, door: Door, locators: Sequence[Locator], bench: Bench) -> Door:
    """An agent's word becomes *quoted* when the whole body stands verbatim in a person's turn that it cites."""
    if door.channel is not Channel.AGENT:
        return door
    wanted = _fold(candidate.body)
    for locator in locators:
        if not isinstance(locator, TurnLocator) or not locator.harness:
            continue
        for turn in bench.cited_turns(locator):
            if turn.role != "user" or set(turn.flags) & {"meta", "summary", "sidechain", "echo"}:
                continue
            if any(b.type == "text" and "echo" not in b.marks and wanted in _fold(b.text) for b in turn.blocks):
                return replace(door, channel=Channel.QUOTED)
    return door


def _fold(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _known(same: Sequence[Record], candidate: Candidate, references: _References, bench: Bench) -> Outcome:
    record = same[0]
    if any(old.id == record.id for old in references.supersedes):
        return Refused(
            f"a record cannot supersede itself: {record.id} already says this word for word",
            f"memoranda history {record.id}",
        )
    bench.event("known", record.digest, candidate.source)
    return Known(record, ("same-statement",))


def _anchor(locator: Locator, bench: Bench) -> str:
    anchor = take(locator, bench.world())
    if bench.project and isinstance(anchor.locator, TurnLocator):
        # a project memory holds no session ids: the hash of the quoted words is enough for whoever has the turn
        anchor = replace(anchor, locator=TurnLocator("", ""))
    return str(anchor)


def _draft(
    screened: Screened[Candidate],
    door: Door,
    references: _References,
    anchors: tuple[str, ...],
    bench: Bench,
    now: str,
) -> tuple[Draft, tuple[str, ...]]:
    candidate = screened.value
    kind = classify(screened, door, now)
    confidence, reasons = kind.confidence, kind.reasons
    if _verified(candidate, door, anchors):
        confidence, reasons = Confidence.HIGH, (*reasons[:2], "confidence:verified")
    draft = Draft(
        candidate=screened,
        created=now,
        category=kind.category,
        source=kind.source,
        channel=door.channel,
        principal=door.principal,
        durability=kind.durability,
        confidence=confidence,
        anchors=anchors,
        supersedes=tuple(r.id for r in references.supersedes),
        contradicts=tuple(r.id for r in references.contradicts),
        derived_from=tuple(r.id for r in references.derived_from),
    )
    hold = tuple(_reasons_to_hold(candidate, draft, references, bench.authority))
    return replace(draft, hold=hold), reasons


def _verified(candidate: Candidate, door: Door, anchors: tuple[str, ...]) -> bool:
    """An agent's word with ground that can be looked at again (a file) is as sure as a person's; a guess is not."""
    claimed = candidate.confidence in (None, Confidence.HIGH)
    proof = any(anchor.startswith("file:") for anchor in anchors)
    return door.channel is Channel.AGENT and claimed and proof and not candidate.inferred


def _reasons_to_hold(
    candidate: Candidate, draft: Draft, references: _References, authority: Callable[[Record], Authority]
) -> Iterable[str]:
    """Named suspicions, and an outside voice that would replace what weighs more."""
    own = min([CHANNEL_TABLE[draft.channel][0], *(authority(r) for r in references.derived_from)])
    if own.outside and any(own < authority(old) for old in references.supersedes):
        yield "outside-supersedes-higher"
    if any(c not in _PLAIN_FORMAT and unicodedata.category(c) in ("Cf", "Co") for c in candidate.body):
        yield "hidden-characters"


def _after(record: Record, references: _References, bench: Bench) -> tuple[str, ...]:
    """What follows a durable record and may fail without taking it back."""
    notices = []
    if not record.hold and not own_authority(record).outside:
        for other in references.contradicts:
            bench.event("contradicted", other.digest, record.id)
    try:
        bench.take_in(record)
    except Busy:
        notices.append("kept, and searchable as soon as the capture that is running ends")
    except MemorandaError as error:
        notices.append(f"kept, but not indexed yet: {error.message}")
    return tuple(notices)
