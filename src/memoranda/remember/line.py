"""The write line: candidate → screen → references → classify → anchors → known? → hold? → file → index.

One function calls the rooms in order, once. What it decides is a value; what it writes is durable before it answers.
If it stops after any step, nothing is half there: the file is whole or absent, and the index catches up by itself.
"""

from __future__ import annotations

import unicodedata
from contextlib import AbstractContextManager
from typing import Callable, Iterable, Protocol, Sequence

from memoranda.anchor import take
from memoranda.model.errors import Busy, Invalid, MemorandaError, NotFound
from memoranda.model.locator import Locator, TurnLocator, parse_locator
from memoranda.model.outcome import Draft, Held, Known, Outcome, Refused, Screened, Stored
from memoranda.model.record import CHANNEL_TABLE, Authority, Candidate, Channel, Confidence, Door, Record, own_authority
from memoranda.model.turn import Turn
from memoranda.model.values import dataclass, replace
from memoranda.model.world import World
from memoranda.ports import Classifier, Screener
from memoranda.remember.classify import classify
from memoranda.remember.echo import Overlap, overlaps, says_nothing_new
from memoranda.remember.suspicion import suspicions
from memoranda.screen import reasons_to_hold, screen
from memoranda.truth.handed import Handout

#: Grounds that are added for shared words, those of the least authority first: phrases that everybody uses would name
#: a hundred records, and the least of a few is the least of all.
_GROUNDS = 8
_PERSON = (Channel.DIRECT_SESSION, Channel.QUOTED)
#: A person may say again what they read; what is received weighs least already, whatever it repeats.
_NO_ECHO = (*_PERSON, Channel.RECEIVE)


class Bench(Protocol):
    """What the line needs of one memory; `memory` implements it, and no room is reached but through it."""

    @property
    def project(self) -> bool: ...

    def screeners(self) -> Sequence[Screener]: ...

    def recent_bodies(self) -> Sequence[tuple[str, str]]:
        """Id and body of the newest few records, newest first."""

    def find(self, id_or_prefix: str) -> Record:
        """The record of that name, read now. Raises NotFound or Invalid."""

    def authority(self, record: Record) -> Authority:
        """Its authority at reading."""

    def same_statement(self, body: str, scope: str | None) -> Iterable[Record]:
        """Active and held records that say the same."""

    def held(self, record: Record) -> bool:
        """True while it waits for a person."""

    def current(self, id: str) -> Record | None:
        """The record of that full id if it is here, not retired, not rejected and not superseded."""

    def handed_out(self) -> Sequence[Handout]:
        """What recall gave to readers before."""

    def classifier(self) -> Classifier | None:
        """Who is asked when the rules contradict each other, if the user chose one."""

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
    elsewhere: tuple[str, ...] = ()  # records of another memory, from outside, whose words are in it

    @property
    def grounds(self) -> tuple[str, ...]:
        return (*(record.id for record in self.derived_from), *self.elsewhere)


def remember(candidate: Candidate, door: Door, bench: Bench, now: str) -> Outcome:
    """Take one candidate through the door. `now` is UTC ISO with seconds. Raises only what cannot be done."""
    screened = screen(candidate, bench.screeners(), bench.recent_bodies())
    if isinstance(screened, Refused):
        return screened
    try:
        references = _references(candidate, bench)
        received = door.channel is Channel.RECEIVE  # its anchors were taken elsewhere, and say what stood there then
        locators = [] if received else [parse_locator(text) for text in candidate.anchors]
        door = _quoted(candidate, door, locators, bench)
        same = _same(candidate, door, bench)
        if same:
            return _known(same, candidate, references, bench)
        if door.channel not in _NO_ECHO:
            found = overlaps(candidate.body, bench.handed_out())
            repeated = [overlap for overlap in found if overlap.source]
            if len(repeated) < len(found):  # what media said stays what media said
                door = replace(door, channel=Channel.MEDIA)
            echo = _echo(repeated, candidate, references, bench)
            if echo is not None:
                return echo
            references = _with_grounds(references, repeated, bench)
        anchors = candidate.anchors if received else tuple(_anchor(locator, bench) for locator in locators)
    except (Invalid, NotFound) as error:
        return Refused(error.message, error.hint)
    draft, reasons = _draft(screened, door, references, anchors, bench, now)
    with bench.alone():  # two who say the same at once: the second one finds the first
        same = _same(candidate, door, bench)
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


def _same(candidate: Candidate, door: Door, bench: Bench) -> list[Record]:
    """Records that say the same already. What waits for a person, or came from outside, does not stand in the way of
    a person's own word: else whoever plants a statement first could keep it from ever being believed."""
    same = list(bench.same_statement(candidate.body, candidate.scope))
    if door.channel in _PERSON:
        same = [record for record in same if not bench.held(record) and not bench.authority(record).outside]
    elif door.lasting:  # nor what nobody known sent in the way of what somebody known sends
        same = [r for r in same if not bench.held(r) and (r.principal or not bench.authority(r).outside)]
    return same


def _echo(repeated: Sequence[Overlap], candidate: Candidate, references: _References, bench: Bench) -> Known | None:
    """What recall handed out and is now given back, adding nothing, is the record it came from."""
    named = {record.id for record in (*references.supersedes, *references.contradicts)}
    for overlap in repeated:
        record = bench.current(overlap.source) if overlap.echo and overlap.source not in named else None
        if record is not None and record.scope == candidate.scope and says_nothing_new(candidate.body, record.body):
            bench.event("known", record.digest, "echo")
            note = f"recall gave these words out as {record.id}; if they say something else now, supersede it"
            return Known(record, ("echo",), (note,))
    return None


def _with_grounds(references: _References, repeated: Sequence[Overlap], bench: Bench) -> _References:
    """With what recall handed out, and is partly given back, as further ground.

    A correction repeats most of what it corrects and does not rest on it, unless that came from outside: else to
    correct an outside statement by a word would make it one of ours.
    """
    derived = {record.id: record for record in references.derived_from}
    corrected = {record.id for record in references.supersedes}
    elsewhere = []
    for overlap in sorted(repeated, key=lambda overlap: (overlap.authority, -overlap.share))[:_GROUNDS]:
        try:
            record = bench.find(overlap.source)
        except (Invalid, NotFound):
            if overlap.authority.outside:
                elsewhere.append(overlap.source)
            continue
        if record.id not in corrected or bench.authority(record).outside:
            derived.setdefault(record.id, record)
    return replace(references, derived_from=tuple(derived.values()), elsewhere=tuple(elsewhere))


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
    authority = _authority(door, references, bench)
    replaced = next((record.category for record in references.supersedes), None)
    kind = classify(screened, door, now, authority.outside, bench.classifier(), replaced)
    confidence, reasons = kind.confidence, kind.reasons
    if not authority.outside and _verified(candidate, door, anchors):
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
        derived_from=references.grounds,
    )
    hold = (*_reasons_to_hold(candidate, authority, references, bench.authority), *reasons_to_hold(screened))
    return replace(draft, hold=hold), reasons


def _authority(door: Door, references: _References, bench: Bench) -> Authority:
    """The door's, or less: no more than that of anything it is derived from."""
    grounds = [bench.authority(record) for record in references.derived_from]
    grounds += [Authority.EXTERNAL] if references.elsewhere else []
    return min([CHANNEL_TABLE[door.channel][0], *grounds])


def _verified(candidate: Candidate, door: Door, anchors: tuple[str, ...]) -> bool:
    """An agent's word with ground that can be looked at again (a file) is as sure as a person's; a guess is not."""
    claimed = candidate.confidence in (None, Confidence.HIGH)
    proof = any(anchor.startswith("file:") for anchor in anchors)
    return door.channel is Channel.AGENT and claimed and proof and not candidate.inferred


def _reasons_to_hold(
    candidate: Candidate, own: Authority, references: _References, authority: Callable[[Record], Authority]
) -> Iterable[str]:
    """An outside voice that would replace what weighs more, and named suspicions."""
    if own.outside and any(own < authority(old) for old in references.supersedes):
        yield "outside-supersedes-higher"
    yield from suspicions(candidate, own)


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
