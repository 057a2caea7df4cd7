"""What a record of somebody else's asks for here: one more candidate at the door, and what its sender may do.

Theirs is a claim throughout. Its words, dates, names and tags are taken along; its channel, principal, confidence and
place (core!) are not. Its links lead to what the named records are here, and a link that would silence what somebody
else sent is left out unless the settings grant that; one that would replace a record of ours stays, and has the door
hold the record for a person. Pure: the desk answers every question about this memory.
"""

from __future__ import annotations

from typing import Iterable, Protocol, Sequence

from memoranda.model.errors import Invalid
from memoranda.model.grant import Deed, Grant, Tightening, grant_of
from memoranda.model.locator import FileLocator, parse_anchor
from memoranda.model.outcome import Refused
from memoranda.model.record import Candidate, Channel, Door, Record
from memoranda.model.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class Sender:
    """Who sends a record: the principal whose key signed the commit that brought it, None when nobody known did, and
    the name of the repository it came from. `root` is that repository's root commit, "" where it is not known."""

    principal: str | None
    remote: str
    root: str = ""

    @property
    def name(self) -> str:
        """By what two records are known to have one sender. No remote has a name of this form."""
        return f"principal {self.principal}" if self.principal else self.remote


class Desk(Protocol):
    """What is asked of the memory that receives."""

    def kept_as(self, id: str) -> Record | None:
        """The record here that a record of theirs became, or that has this very id; None when it is not here."""

    def sent_by(self, record: Record) -> str | None:
        """The name of who sent a record that is here, None for one of ours."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A record of theirs as it comes to our door. `notices` say what of it was left out."""

    candidate: Candidate
    door: Door
    notices: tuple[str, ...] = ()


def arrival(record: Record, sender: Sender, desk: Desk, grants: Sequence[Grant], own: Tightening) -> Arrival | Refused:
    """The candidate and the door it comes through, or why this sender's word is not taken in at all."""
    grant = grant_of(sender.principal, grants)
    who = sender.principal or "whoever sent it unsigned"
    if not grant.allows(Deed.WRITE, record.scope):
        return Refused(f"{who} may not write in that scope", f"your settings say so: [grants.{_quoted(grant)}]")
    if not own.admits(sender.principal, record.scope):
        return Refused(f"this memory takes in nothing of {who} in that scope", "its memory.toml says so: [receive]")
    supersedes, notices = _replaced(record, sender, grant, desk)
    contradicts, more = _here(record.contradicts, desk)
    grounds, yet_more = _here(record.derived_from, desk)
    anchors = tuple(anchor for text in record.anchors if (anchor := _place(text, sender.root)))
    if len(anchors) < len(record.anchors):
        yet_more.append("anchors that can be looked at only where it was written were left out")
    candidate = Candidate(
        body=record.body,
        source=record.source,
        category=record.category,
        durability=record.durability,
        confidence=record.confidence,
        observed=record.observed or record.created,
        entities=record.entities,
        tags=record.tags,
        supersedes=tuple(supersedes),
        contradicts=tuple(contradicts),
        derived_from=tuple(grounds),
        anchors=anchors,
        scope=record.scope,
        aliases=(record.id,),
    )
    door = Door(Channel.RECEIVE, sender.principal, "receive", lasting=sender.principal is not None)
    return Arrival(candidate, door, (*notices, *more, *yet_more))


def in_order(records: Iterable[Record]) -> list[Record]:
    """What is superseded or stands below before what names it; otherwise by time of making, then id. Circles, which
    only crafted files have, as they come."""
    left = {record.id: record for record in sorted(records, key=lambda record: (record.created, record.id))}
    ordered: list[Record] = []
    waiting: list[Record] = []
    open_ids: set[str] = set()
    for first in list(left.values()):
        waiting.append(first)
        while waiting:
            record = waiting[-1]
            below = [left[id] for id in _named(record) if id in left and id not in open_ids and id != record.id]
            if record.id not in left:
                waiting.pop()
            elif below and record.id not in open_ids:
                open_ids.add(record.id)
                waiting += below
            else:
                waiting.pop()
                ordered.append(left.pop(record.id))
    return ordered


def _named(record: Record) -> tuple[str, ...]:
    return (*record.supersedes, *record.contradicts, *record.derived_from)


def _replaced(record: Record, sender: Sender, grant: Grant, desk: Desk) -> tuple[list[str], list[str]]:
    """The records here that it may ask to replace, and what is said about the others."""
    found, notices = [], []
    for id in dict.fromkeys(record.supersedes):
        old = desk.kept_as(id)
        if old is None:
            notices.append(f"it replaces {id}, which is not here: that link was left out")
            continue
        whose = desk.sent_by(old)
        both = grant.allows(Deed.SUPERSEDE, record.scope) and grant.allows(Deed.SUPERSEDE, old.scope)
        if whose is None or whose == sender.name or both:
            found.append(old.id)
        else:
            notices.append(f"it would replace {old.id}, which another sent: that link was left out")
    return list(dict.fromkeys(found)), notices


def _place(text: str, root: str) -> str:
    """An anchor on a file as it reads outside its repository; "" for what stands only there: turns, evidence, and
    files of a repository that has no name."""
    try:
        anchor = parse_anchor(text)
    except Invalid:
        return ""
    if not isinstance(anchor.locator, FileLocator) or not (anchor.locator.repo or root):
        return ""
    return str(replace(anchor, locator=replace(anchor.locator, repo=anchor.locator.repo or root)))


def _here(ids: Iterable[str], desk: Desk) -> tuple[list[str], list[str]]:
    found = {id: desk.kept_as(id) for id in ids}
    notices = [f"it names {id}, which is not here: that link was left out" for id, old in found.items() if old is None]
    return list(dict.fromkeys(old.id for old in found.values() if old is not None)), notices


def _quoted(grant: Grant) -> str:
    return grant.principal if grant.principal.replace("-", "").replace("_", "").isalnum() else f'"{grant.principal}"'
