"""Receiving: a teammate's repository is fetched into quarantine, read, and each record goes through the door.

Order, so that a stop after any step loses nothing and repeats nothing: a record is durable first, then the event that
says where it came from. A record of which only the first is there is known by the name it keeps of its old one, and
the next run writes its event. What is refused is named and stays there; the good ones come in all the same.
"""

from __future__ import annotations

from typing import Callable, Iterator, Mapping, Sequence

from memoranda.index import statement
from memoranda.memory.grants import parse_tightening
from memoranda.memory.origins import Origin, Origins
from memoranda.memory.rehearsal import Rehearsal
from memoranda.memory.store import Store
from memoranda.model.errors import Conflict, Invalid, Unavailable
from memoranda.model.grant import Deed, Tightening, grant_of
from memoranda.model.outcome import Held, Outcome, Refused
from memoranda.model.problem import Problem
from memoranda.model.record import Channel, Record
from memoranda.model.standing import NOTHING, fold
from memoranda.model.values import dataclass, replace
from memoranda.remember.line import Bench, remember
from memoranda.screen.look import look
from memoranda.share.receive import Arrival, Sender, arrival, in_order
from memoranda.truth.git import GitFailed
from memoranda.truth.objects import Objects, is_object, reading
from memoranda.truth.offered import Offer, offered
from memoranda.truth.quarantine import Quarantine, fetched, root_commit
from memoranda.truth.remote import Source, parse_branch, parse_source
from memoranda.truth.signatures import Key, Signers, brought

Progress = Callable[[str, int, int], None]
_MOST_PROBLEMS = 200
#: Most records of one receive that may wait for a person: who sends thousands would make the person stop reading.
MOST_HELD = 200


@dataclass(frozen=True, slots=True)
class Arrived:
    """What became of one record of theirs: `id` is its name there, `principal` who signed it, None for nobody known."""

    id: str
    principal: str | None
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Receipt:
    """What came of one receive. `here` counts what was received or known before, `left` what is retired or waits there;
    `retired` are records here that their sender retired, `asked` those of which a person has to decide that.
    With `dry` nothing was written, and outcomes are what they would be."""

    remote: str
    commit: str
    arrived: tuple[Arrived, ...]
    here: int
    left: int
    retired: tuple[str, ...]
    asked: tuple[str, ...]
    problems: tuple[Problem, ...]
    dry: bool

    def count(self, word: str) -> int:
        """How many arrivals have this outcome: stored, known, held or refused."""
        return sum(1 for one in self.arrived if one.outcome.word == word)

    @property
    def nothing_came(self) -> bool:
        """True when something new was offered and none of it took effect."""
        return bool(self.problems or self.arrived) and not (self.here or self.count("stored") or self.count("known"))


def receive(
    store: Store, address: str, branch: str | None, dry: bool, now: str, progress: Progress | None = None
) -> Receipt:
    """Fetch, read, and take through the door what is new.

    Raises `Invalid` for an address or branch of another form, `NotFound` where there is no memory, `Unavailable` when
    it cannot be fetched, `Busy`, and `Corrupt` for a memory.toml whose bounds cannot be read.
    """
    source = _named(parse_source(address), store)
    ref = parse_branch(branch) if branch is not None else None
    own = parse_tightening(store.folder.table())
    keys = [Key(grant.principal, *key) for grant in store.settings.grants for key in grant.keys]
    with fetched(source, ref, store.settings.state, store.settings.variables, bool(keys)) as place:
        try:
            with reading(place.folder) as objects:
                offer = offered(objects)
                problems: list[Problem] = []
                senders = _senders(place, objects, offer, keys, source, problems)
                receiving = _Receiving(store, source, offer, senders, own, dry, now)
                problems += receiving.look_back(place, objects)
                return receiving.run(problems, progress)
        except GitFailed as failed:
            raise Unavailable(
                f"what was fetched cannot be read: {failed.reason}", "look at it with `git fsck`"
            ) from None


def _named(source: Source, store: Store) -> Source:
    """The source, unless its name holds what may not be told or recorded."""
    if any(finding.layer == "credentials" for finding in look(source.name, store.screeners())):
        raise Invalid("the address holds a credential", "let ssh or a netrc file hold it, and leave it out")
    return source


def _senders(
    place: Quarantine, objects: Objects, offer: Offer, keys: list[Key], source: Source, problems: list[Problem]
) -> Mapping[str, Sender]:
    """Who sends each record, by its id."""
    commits: Mapping[str, tuple[str, ...]] = {}
    if place.whole:
        try:
            commits = brought(place.folder, offer.below)
        except GitFailed as failed:  # too long to be read: then nobody's word counts for more, and it is said
            hint = "a memory in a repository of its own has a short history"
            problems.append(Problem(source.name, f"nobody's signature counts: {failed.reason}", hint))
    signers = Signers(objects, keys, place.folder)
    root = root_commit(place) if offer.below else ""
    return {one.record.id: Sender(signers.of(commits.get(one.oid, ())), source.name, root) for one in offer.records}


class _Receiving:
    """One receive under way. It is the desk of `share.receive` too."""

    def __init__(
        self,
        store: Store,
        source: Source,
        offer: Offer,
        senders: Mapping[str, Sender],
        own: Tightening,
        dry: bool,
        now: str,
    ) -> None:
        self._store, self._source, self._offer, self._senders = store, source, offer, senders
        self._own, self._dry, self._now = own, dry, now
        self._bench: Bench = Rehearsal(store) if dry else store
        self._theirs = fold(offer.events, lambda event: True)
        trusted = (event for event in store.all_events() if store.trusted(event.digest))
        self._log = [event for event in trusted if event.kind in ("received", "erased", "dropped")]
        self._origins = Origins(self._log)
        self._gone = {event.target for event in self._log if event.kind != "received"}
        self._tried: dict[str, Record] = {}
        self._new: list[tuple[Origin, str]] = []
        self._wrote = False
        self._held = 0

    def look_back(self, place: Quarantine, objects: Objects) -> Iterator[Problem]:
        """Notice a history that no longer holds what was received from it last; told where it was fetched whole."""
        last = self._origins.last(self._source.name)
        if place.whole and last is not None and is_object(last) and objects.facts(last) is None:
            what = f"its history no longer holds {last[:12]}, at which something was received last"
            hint = "another branch, or it was rewritten; what was received stays"
            yield Problem(self._source.name, what, hint)

    def run(self, problems: Sequence[Problem], progress: Progress | None) -> Receipt:
        records = in_order(one.record for one in self._offer.records)
        arrived, here, left = [], 0, 0
        try:
            for number, record in enumerate(records, 1):
                standing = self._theirs.get(record.digest, NOTHING)
                if self._is_here(record):
                    here += 1
                elif standing.retired or standing.rejected or (record.hold and not standing.released):
                    left += 1
                else:
                    arrived.append(Arrived(record.id, self._senders[record.id].principal, self._one(record)))
                if progress is not None:
                    progress("receiving", number, len(records))
        finally:
            self._note()
        retired, asked = self._follow(records)
        if self._wrote:
            self._store.moved()
        if not self._dry:  # also when nothing came: what a killed run wrote may wait for the index
            self._store.catch_up()
        told = (*problems, *_told(self._offer.problems, self._store))
        commit, name = self._offer.commit, self._source.name
        return Receipt(name, commit, tuple(arrived), here, left, retired, asked, told, self._dry)

    # -- the desk

    def kept_as(self, id: str) -> Record | None:
        store = self._store
        if id in self._tried:
            return self._tried[id]
        digest = self._origins.named(id)
        name = f"mem_{digest[:12]}" if digest else id
        found = store.read(store.renamed.get(name, name))
        return found or next(self._by_alias(id), None)

    def sent_by(self, record: Record) -> str | None:
        if record.channel is not Channel.RECEIVE:
            return None
        origin = self._origins.of(record)
        return Sender(record.principal, origin.remote if origin else "?").name

    # -- the steps

    def _by_alias(self, id: str) -> Iterator[Record]:
        """Records that were received under this name there."""
        for other in sorted(self._store.catalog.aliases.get(id, ())):
            found = self._store.read(other)
            if found is not None and found.channel is Channel.RECEIVE:
                yield found

    def _is_here(self, record: Record) -> bool:
        """Received before, or one of ours that comes back. What lacks its event after a crash gets it now."""
        ours = self._store.catalog.entries.get(record.id)
        if ours is not None and ours.digest == record.digest:
            return True
        digest = self._origins.here(record.digest)
        if digest is not None and digest not in self._gone:
            kept = self._store.read(f"mem_{digest[:12]}")
            return kept is not None and not self._outgrown(record, kept)
        wanted = statement(record.body, record.scope)
        same = (one for one in self._by_alias(record.id) if statement(one.body, one.scope) == wanted)
        found = None if digest is not None else next(same, None)
        if found is not None:
            self._came(record, found)
        return found is not None

    def _outgrown(self, theirs: Record, kept: Record) -> bool:
        """Whether what came unsigned now comes from somebody known. What a person decided about stays as it is."""
        unsigned = kept.channel is Channel.RECEIVE and kept.principal is None
        return unsigned and self._senders[theirs.id].principal is not None and self._store.state(kept) == "current"

    def _one(self, record: Record) -> Outcome:
        store = self._store
        gone = self._origins.here(record.digest) in self._gone or record.digest in self._gone
        if gone:
            return Refused("it was taken out of this memory", f"memoranda history {record.id}")
        if record.id in store.catalog.entries:
            return Refused("another record here has its name", "look at both: memoranda check")
        store.renewed()
        came = arrival(record, self._senders[record.id], self, store.settings.grants, self._own)
        if isinstance(came, Refused):
            return came
        digest = self._origins.here(record.digest)
        kept = self._store.read(f"mem_{digest[:12]}") if digest else None
        if kept is not None and self._outgrown(record, kept):
            came = replace(came, candidate=replace(came.candidate, supersedes=(*came.candidate.supersedes, kept.id)))
        try:
            if self._held >= MOST_HELD and self._would_wait(came):
                return Refused(f"{MOST_HELD} records of this receive wait for you already", "memoranda held")
            outcome = remember(came.candidate, came.door, self._bench, self._now)
        except (Conflict, Invalid) as error:
            return Refused(error.message, error.hint)
        if isinstance(outcome, Refused):
            return outcome
        self._held += isinstance(outcome, Held)
        self._came(record, outcome.record)
        return replace(outcome, notices=(*outcome.notices, *came.notices))

    def _would_wait(self, came: Arrival) -> bool:
        return isinstance(remember(came.candidate, came.door, Rehearsal(self._store), self._now), Held)

    def _came(self, record: Record, here: Record) -> None:
        origin = Origin(self._source.name, self._offer.commit, record.digest, record.channel.value)
        self._origins.add(origin, here.digest)
        self._tried[record.id] = here
        self._new.append((origin, here.digest))

    def _note(self) -> None:
        """The events of what came. Written together: each makes whoever reads on read all events again."""
        if not self._dry:
            for origin, digest in self._new:
                self._store.event("received", digest, str(origin))
                self._wrote = True
        self._new.clear()

    def _follow(self, records: list[Record]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Records here whose sender has retired them since.

        Events are not signed one by one. So what was sent unsigned goes as it came, and of all else a person is asked.
        """
        retired, asked = [], []
        if not self._dry:
            self._store.fresh()
        for record in records:
            if not self._theirs.get(record.digest, NOTHING).retired:
                continue
            here = self.kept_as(record.id) if self._origins.here(record.digest) else None
            if here is None or here.channel is not Channel.RECEIVE or not self._store.in_effect(here):
                continue
            sender = self._senders[record.id]
            free = here.principal is None and self.sent_by(here) == sender.remote
            grant = grant_of(None, self._store.settings.grants)
            if not (free and self._store.authority(here).outside and grant.allows(Deed.FORGET, here.scope)):
                asked.append(here.id)
                continue
            if not self._dry:
                self._store.event("retired", here.digest, f"{self._source.name} {self._offer.commit}")
                self._wrote = True
            retired.append(here.id)
        return tuple(retired), tuple(asked)


def _told(problems: tuple[Problem, ...], store: Store) -> Iterator[Problem]:
    """Their problems without anything in them that may not be repeated, and not more than anyone reads."""
    for problem in problems[:_MOST_PROBLEMS]:
        if any(finding.layer == "credentials" for finding in look(str(problem), store.screeners())):
            yield Problem(problem.locator[:40], "holds what is not repeated here", "it is left there")
        else:
            yield problem
    if len(problems) > _MOST_PROBLEMS:
        yield Problem("", f"and {len(problems) - _MOST_PROBLEMS:,} more", "they are left there")
