"""The truth of one memory with everything that is derived from it when reading: links, standing, authority, effect.

`Store` is what the write line and the read line are given; it reads and never decides what a reader sees. What an
event or a link means for a record is said here once, for every door.
"""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from functools import cached_property
from heapq import nlargest
from pathlib import Path
from typing import Iterable, Iterator, Mapping, Sequence

from memoranda.index import EXTRACTS, Index, statement
from memoranda.memory.catalog import Catalog, build, chain, grow
from memoranda.memory.entities import joined
from memoranda.memory.footing import Footing
from memoranda.memory.kept import Kept
from memoranda.memory.reading import turns_at
from memoranda.model.errors import Busy, Corrupt, MemorandaError, Unavailable
from memoranda.model.event import Event
from memoranda.model.index import Search
from memoranda.model.locator import TurnLocator
from memoranda.model.outcome import Draft
from memoranda.model.problem import Problem
from memoranda.model.query import Ranked
from memoranda.model.record import CHANNEL_TABLE, Authority, Door, Durability, Record, own_authority
from memoranda.model.settings import Settings
from memoranda.model.standing import NOTHING, Standing, fold
from memoranda.model.turn import Turn
from memoranda.model.world import TurnFile
from memoranda.ports import Classifier, Embedder, Screener, discover
from memoranda.truth import sheet
from memoranda.truth.committer import Committer
from memoranda.truth.events import EventLog
from memoranda.truth.folder import Folder
from memoranda.truth.handed import Handed, Handout
from memoranda.truth.identity import Ledger, writer_id
from memoranda.truth.lock import WriteLock
from memoranda.truth.places import state_folder
from memoranda.truth.records import PLACES, Look, RecordStore
from memoranda.truth.sums import Sums
from memoranda.truth.tree import Checkouts
from memoranda.truth.turns import TurnStore
from memoranda.truth.watch import Watch

#: How long a recall may spend on taking in what the index lacks; beyond it the answer says what is pending.
QUICK_SECONDS = 0.2

#: Records that were written and wait for the index, at most.
_MOST_WAITING = 50


class Store(Footing):
    """One memory's rooms, wired. Catalog and standing are read once per operation: call `fresh()` between two."""

    def __init__(self, root: Path, settings: Settings, door: Door) -> None:
        self.folder = Folder.open(root)
        settings = settings.of(self.folder.root)
        self.settings, self.door = settings, door
        self.lock = WriteLock(self.folder.root / ".lock", settings.lock_seconds)
        self.ledger = Ledger(settings.state, self.folder.root)
        self.records = RecordStore(self.folder, self.lock)
        self.checkouts = Checkouts(settings.state)
        self._recovered = False
        self._log_stamp: object = None
        self._look: Look | None = None
        self._stamps: Mapping[str, str] | None = None  # of this operation
        self._kept: tuple[Mapping[str, str], Catalog] | None = None  # right for these stamps, whatever the operation
        self._taken: Mapping[str, str] | None = None  # by the last look at all files
        self._waiting: list[Record] = []
        self._wrote = False
        self._asked = 0
        self._kept_records = Kept(self.records)
        self._watch = Watch(self.folder.root, (*PLACES, "events", "turns", f".index/{EXTRACTS}"))
        self.index = Index(
            self.folder.root / ".index",
            discover.load("index_backends", settings.backend),
            self._open_embedder if settings.embedder else None,
            settings.cache,
            settings.lock_seconds,
        )

    @cached_property
    def writer(self) -> str:
        return writer_id(self.settings.state, self.folder.root)

    @cached_property
    def sums(self) -> Sums:
        return Sums(Path(state_folder(str(self.settings.state), str(self.folder.root))))

    @cached_property
    def turn_store(self) -> TurnStore:
        return TurnStore(self.folder, self.writer, self.lock, self.sums)

    @cached_property
    def events(self) -> EventLog:
        return EventLog(self.folder, self.writer, self.lock, sums=self.sums)

    @cached_property
    def committer(self) -> Committer | None:
        wanted = self.settings.commit and self.folder.kind == "personal"
        return Committer(self.folder, self.writer) if wanted else None

    @cached_property
    def handed(self) -> Handed:
        return Handed(self.settings.state, self.folder.root)

    def handed_out(self) -> Sequence[Handout]:
        return self.handed.all()

    def hand_out(self, texts: Iterable[tuple[str, str, Authority]]) -> None:
        """Remember, as hashes, what a reader is given: (record id or place, text, authority)."""
        self.handed.note(texts, int(time.time()))

    def classifier(self) -> Classifier | None:
        name = self.settings.classifier
        return discover.load("classifiers", name)() if name else None

    def _open_embedder(self) -> Embedder:
        embedder: Embedder = discover.load("embedders", self.settings.embedder)()
        return embedder

    def screeners(self) -> Sequence[Screener]:
        """Every screener that is installed. Compiled rules are kept in the user's cache, which holds no text."""
        return self._screeners

    @cached_property
    def _screeners(self) -> Sequence[Screener]:
        """What is installed. One that cannot be had is left out while another looks, and `status` says so."""
        found: list[Screener] = []
        for name in discover.names("screeners"):
            try:
                found.append(discover.load("screeners", name)(self.settings.cache))
            except Unavailable as error:
                self.missing_screeners.append(error)
        if not found:
            raise self.missing_screeners[0] if self.missing_screeners else Unavailable("no screener is installed")
        return found

    @cached_property
    def missing_screeners(self) -> list[Unavailable]:
        """Why a screener is missing, once `screeners` was asked: what passes meanwhile is marked `partial`."""
        return []

    @property
    def name(self) -> str:
        """How hits say where they came from."""
        return "personal" if self.folder.kind == "personal" else f"project {self.folder.root.parent.name}"

    @property
    def project(self) -> bool:
        return self.folder.kind == "project"

    @cached_property
    def own(self) -> bool:
        """A personal memory of ours: everything in it is trusted. A project memory never is, hash by hash instead."""
        at_home = self.folder.root == self.settings.home.resolve()
        return self.folder.kind == "personal" and (at_home or self.ledger.own)

    # -- derived when reading, once per operation

    def fresh(self) -> Store:
        """Forget what was derived, so that the next question reads the files again."""
        with suppress(MemorandaError):  # what waits is in the files; sync and status see it there
            self._take_in()
        for name in ("catalog", "standings", "_log", "newest", "renamed", "_passages"):
            self.__dict__.pop(name, None)
        self._stamps = None
        return self

    def renewed(self) -> Store:
        """As `fresh`, but only names are looked at, so that a write costs what came since and not what there is.

        A record edited in place since the last full look still counts as it was; its words are read anew anyhow.
        """
        if self.events.stamp() != self._log_stamp:
            for name in ("standings", "_log", "renamed"):
                self.__dict__.pop(name, None)
        if "catalog" in self.__dict__:
            look = self.records.look(self._look)
            if look.gone or look.came:
                self._kept = self._stamps = None
            if look.gone:
                del self.__dict__["catalog"]
            else:
                grow(self.catalog, self, look.came)
                self._look = look
        return self

    @cached_property
    def _log(self) -> tuple[list[Event], list[Problem]]:
        self._log_stamp = self.events.stamp()
        return self.events.read()

    @cached_property
    def standings(self) -> Mapping[str, Standing]:
        return fold(self._log[0], lambda event: self.trusted(event.digest))

    @cached_property
    def catalog(self) -> Catalog:
        if self._stamps is None:
            self._look = self.records.look(self._look)
            self._stamps = self.record_stamps()
        if self._kept is not None and self._kept[0] == self._stamps:
            return self._kept[1]
        found = build(self, self._stamps, self.index.notes)
        self._kept = None if found.lagging else (self._stamps, found)
        return found

    def standing(self, record: Record) -> Standing:
        return self.standings.get(record.digest, NOTHING)

    def trusted(self, digest: str) -> bool:
        """True for what was written or trusted here."""
        return self.own or self.ledger.knows(digest)

    def authority(self, record: Record) -> Authority:
        """At reading: the record's own, at most that of its memory and of all it rests on, at any distance.

        What a person endorsed is *reviewed*, whatever it rests on: they read this very text. A ground that is not
        here cannot be looked at and counts as external: else taking it away would raise all that rests on it.
        """
        found, seen, todo = Authority.OWNER, {record.id}, [record]
        while todo:
            ground = todo.pop()
            own, onward = self._alone(ground)
            found = min(found, own)
            for id in onward:
                id = self.renamed.get(id, id)
                if id not in seen:
                    seen.add(id)
                    below = self.read(id)
                    found = min(found, Authority.EXTERNAL) if below is None else found
                    todo += [below] if below is not None else []
        return found

    def _alone(self, record: Record) -> tuple[Authority, Sequence[str]]:
        """A record's authority without its grounds, and the grounds that may lower it."""
        if not self.trusted(record.digest):
            return Authority.FOREIGN, ()
        if self.standing(record).endorsed and record.intact:
            own = own_authority(record)
            return (Authority.REVIEWED if record.derived_from else max(own, Authority.REVIEWED)), ()
        return own_authority(record), record.derived_from

    @cached_property
    def renamed(self) -> Mapping[str, str]:
        """Ids of records that a rescan replaced by a redacted one -> id of that one."""
        events = (event for event in self._log[0] if event.kind == "erased" and self.trusted(event.digest))
        return {f"mem_{e.target[:12]}": f"mem_{now}" for e in events if (now := e.cause.partition(", now mem_")[2])}

    def held(self, record: Record) -> bool:
        """Waits for a person: marked by the door, or an outside voice replacing what weighs more; not yet released."""
        if self.standing(record).released:
            return False
        if record.hold:
            return True
        if not record.supersedes:
            return False
        own = self.authority(record)
        olds = [old for old in map(self.read, record.supersedes) if old is not None]
        return own.outside and any(own < self.authority(old) for old in olds)

    def in_effect(self, record: Record) -> bool:
        standing = self.standing(record)
        return not (standing.retired or standing.rejected or self.held(record))

    def superseders(self, id: str) -> list[str]:
        """The records in effect that name `id` as superseded, sorted."""
        found = [self.read(other) for other in sorted(self.catalog.successors.get(id, ())) if other != id]
        return [record.id for record in found if record is not None and self.in_effect(record)]

    def wanted(self, record: Record) -> bool:
        """Whether the index takes it in: durable (or promoted), and in effect."""
        durable = record.durability is Durability.DURABLE or self.standing(record).promoted or record.core
        return durable and self.in_effect(record)

    def state(self, record: Record, successors: Sequence[str] | None = None) -> str:
        """One word for how a record stands: contested, superseded, held, retired, rejected, or current."""
        standing = self.standing(record)
        if standing.retired or standing.rejected:
            return "retired" if standing.retired else "rejected"
        if self.held(record):
            return "held"
        successors = self.superseders(record.id) if successors is None else successors
        if successors:
            return "superseded"
        rivals = (set(self.superseders(old)) - {record.id} for old in record.supersedes)
        return "contested" if any(rivals) else "current"

    def rankings(self, search: Search) -> Mapping[str, Sequence[Ranked]]:
        """What the index finds, one ranking a signal, best first."""
        return self.index.rankings(search)

    def same_names(self) -> Sequence[Sequence[str]]:
        return joined(self)

    @cached_property
    def newest(self) -> str:
        """The latest time that a trusted event or record names: no clock that is right shows less."""
        events = (event.ts for event in self._log[0] if self.trusted(event.digest))
        if self.own:
            return max((*events, self.catalog.latest), default="")
        records = (entry.created for entry in self.catalog.entries.values() if self.trusted(entry.digest))
        return max((*events, *records), default="")

    def all_events(self) -> Sequence[Event]:
        return self._log[0]

    @property
    def door_authority(self) -> Authority:
        return CHANNEL_TABLE[self.door.channel][0]

    # -- reading records

    def read(self, id: str) -> Record | None:
        """The record of that full id from its file now; None when it is missing, broken, or two files claim the id."""
        entry = self.catalog.entries.get(id)
        return None if entry is None or id in self.catalog.doubled else self._kept_records.load(entry.path)

    def find(self, id_or_prefix: str) -> Record:
        id = self.catalog.find(id_or_prefix)
        record = self.read(id)
        if record is None:
            raise Corrupt(f"{id} cannot be read or is claimed by two files", "memoranda check names them")
        return record

    def chain(self, id: str) -> list[Record]:
        return chain(id, self.read, self.catalog.successors)

    def recent_bodies(self) -> Sequence[tuple[str, str]]:
        """Id and body of the newest eight records, newest first: half of a credential may stand in one."""
        newest = nlargest(8, self.catalog.entries.values(), key=lambda entry: (entry.created, entry.id))
        return [(record.id, record.body) for entry in newest if (record := self.read(entry.id)) is not None]

    def same_statement(self, body: str, scope: str | None) -> Iterable[Record]:
        wanted = statement(body, scope)
        for id in sorted(self.catalog.statements.get(wanted, ())):
            record = self.read(id)
            standing = self.standing(record) if record else NOTHING
            if record is None or statement(record.body, record.scope) != wanted:  # edited since it was looked at
                continue
            if not standing.retired and not standing.rejected and not self.superseders(id):
                yield record

    def current(self, id: str) -> Record | None:
        """The record of that full id if it is here, not retired, not rejected and not superseded."""
        record = self.read(id)
        standing = self.standing(record) if record else NOTHING
        gone = record is None or standing.retired or standing.rejected or self.superseders(id)
        return None if gone else record

    # -- the index's view of the truth

    def record_stamps(self) -> Mapping[str, str]:
        """Stamps of the record files, with what the events say, so that an event re-indexes its record."""
        self._taken = self._marked(self.records.stamps())
        return self._taken

    def _marked(self, stamps: Mapping[str, str]) -> Mapping[str, str]:
        marks = {
            digest: "".join(mark for mark, on in zip("xjpr", _flags(s), strict=True) if on)
            for digest, s in self.standings.items()
        }
        by_name = {f"mem_{digest[:12]}": f"+{mark}" for digest, mark in marks.items() if mark}
        if not by_name:
            return stamps
        return {path: stamp + by_name.get(_name(path), "") for path, stamp in stamps.items()}

    def record(self, path: str) -> Record | Problem:
        return self._kept_records.known(path) or self.records.load(path)

    def turn_files(self) -> Iterator[TurnFile]:
        return self.turn_store.files()

    def turns(self, path: str, start: int = 0) -> Iterator[tuple[Turn, int] | Problem]:
        return self.turn_store.read(path, start)

    # -- the world an anchor is held against

    def turns_at(self, locator: TurnLocator) -> Sequence[Turn] | None:
        """The turns a locator names, in order of seq; None when the session was never captured here."""
        return turns_at(self.turn_store, locator)

    def cited_turns(self, locator: TurnLocator) -> Sequence[Turn]:
        return self.turns_at(locator) or ()

    # -- writing

    def recover(self) -> None:
        """Once per handle, before the first write: what a crash left lying goes to lost+found."""
        if not self._recovered:
            self._recovered = True
            self._kept = None  # what is found now is told once
            self.catalog.problems.extend(self.folder.recover(self.lock))

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else writes here meanwhile, and what others wrote before is known."""
        with self.lock.hold():
            self.renewed()
            yield

    def write(self, draft: Draft) -> Record:
        record = self._kept_records.keep(self.records.write(draft))
        self._trust(record.digest)
        self._note(record.path)
        return record

    def _trust(self, digest: str) -> None:
        """What was written here is trusted here; in a memory of ours that needs no ledger."""
        if not self.own:
            self.ledger.trust([digest])

    def event(self, kind: str, target: str, cause: str) -> None:
        event = self.events.append(kind, target, self.door.principal or "", cause)
        self._trust(event.digest)
        self._note("events")

    def _note(self, path: str) -> None:
        self._wrote = True
        if self.committer is not None:
            self.committer.note(path)

    def moved(self) -> None:
        self._note("records")

    def catch_up(self, again: Iterable[str] | None = ()) -> None:
        """Bring the index up to date; `again` names records whose standing changed though their files did not."""
        self._waiting.clear()  # what waits is part of what differs
        self.fresh()
        self.index.sync(self, self.wanted, again=again)

    def take_in(self, record: Record) -> None:
        """Make a written record searchable: now if many wait, else when this handle is next asked, or closed.

        Another process that recalls meanwhile takes it in itself. A step of the index costs about as much for fifty
        records as for one.
        """
        self._waiting.append(record)
        if len(self._waiting) >= _MOST_WAITING:
            self._take_in()

    def _take_in(self) -> None:
        waiting, self._waiting = self._waiting, []
        found = []
        for record in waiting:
            with suppress(FileNotFoundError):  # moved or gone meanwhile: the next sync sees to it
                stamp = self._marked({record.path: self.records.stamp(record.path)})[record.path]
                found.append((record, stamp, self.wanted(record)))
        if found and not self.index.add_records(found):
            self.catch_up()

    def quick_sync(self) -> None:
        """Before a recall: take in what came since, if that is quick and nobody else is at it; else say so later."""
        look, self._taken = self.records.look(self._look), None
        with suppress(Busy, Unavailable):
            self.index.sync(self, self.wanted, seconds=QUICK_SECONDS)
        if "catalog" not in self.__dict__:  # then it need not look again
            self._look, self._stamps = look, self._taken

    def ready(self) -> Store:
        """Before a recall: as `fresh` and `quick_sync`, but free from the third time on while nothing is touched."""
        self._asked += 1
        if self._watch.quiet() and self.index.settled:
            return self
        if self._asked > 1:  # a command asks once, and watching costs 5 ms
            self._watch.arm()
        self.fresh().quick_sync()
        return self

    def close(self) -> None:
        self._watch.close()
        if "looked_at" in self.__dict__:
            self.looked_at.save()
        committer = self.__dict__.get("committer")
        if committer is not None:
            committer.close()
        with suppress(MemorandaError, OSError):  # a sheet that is not renewed is spoilt, and made anew by a hook
            self._take_in()
            if self._wrote and sheet.load(state_folder(str(self.settings.state), str(self.folder.root))):
                from memoranda.memory.sheets import renew

                renew(self)
        self.index.close()


def _flags(standing: Standing) -> tuple[bool, bool, bool, bool]:
    return standing.retired, standing.rejected, standing.promoted, standing.released


def _name(path: str) -> str:
    """The id that a record's file name begins with."""
    return path.rsplit("/", 1)[-1][:16]
