"""Record files: written once, read when asked, moved but never changed."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Iterator, Literal, Mapping

from memoranda.model.errors import Conflict, Invalid, NotFound
from memoranda.model.locator import parse_anchor
from memoranda.model.outcome import Draft
from memoranda.model.problem import Problem, Unread
from memoranda.model.record import Record
from memoranda.model.values import dataclass, replace
from memoranda.truth.files import (
    create,
    explained,
    make_folders,
    read_capped,
    require_writable,
    sync_folder,
    unavailable,
)
from memoranda.truth.folder import Folder, sorted_entries
from memoranda.truth.grammar import RECORD_BYTES, RecordFlaw, parse_record, print_record, seal, utc
from memoranda.truth.lock import WriteLock
from memoranda.truth.names import record_folder, record_name

Place = Literal["core", "records", "held"]
#: An empty file that keeps a folder in git.
KEEP = ".keep"
#: In this order a record that lies in two places is read: the place with an effect first.
PLACES: tuple[Place, ...] = ("core", "records", "held")


#: A folder that changed less than this before it was listed is listed again: its time of change ticks coarsely (up to
#: 10 ms on Linux, 2 s on FAT), so that a later change may leave it as it is.
_SETTLED_NS = 2_100_000_000


@dataclass(frozen=True, slots=True)
class _Listing:
    """What a folder held when its time was `changed`: names of record files, and paths of the folders below."""

    changed: int
    settled: bool
    names: frozenset[str]
    folders: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """The names of all record files at one moment; what `came` since the look before, and whether any is `gone`."""

    folders: Mapping[str, _Listing]
    came: tuple[str, ...]
    gone: bool


class RecordStore:
    """The records of one memory."""

    def __init__(self, folder: Folder, lock: WriteLock) -> None:
        self.folder = folder
        self.lock = lock

    def write(self, draft: Draft) -> Record:
        """Make the draft a record, durable when this returns. The same draft again gives the same record.

        Raises `Invalid` for a value the grammar forbids, `Conflict` when another file has the name, `Busy`,
        `Unavailable`.
        """
        record = as_record(draft)
        name = record_name(record)
        folder = "held" if record.hold else record_folder(record)
        with self.lock.hold():
            for place in dict.fromkeys(("core", "held", record_folder(record))):
                for path in self._named(place, record.id):
                    return self._already(record, path)
            path = f"{folder}/{name}"
            create(self.folder.root, path, print_record(record), self.folder.private)
        return replace(record, path=path)

    def stamps(self) -> Mapping[str, str]:
        """path -> stamp of every record file, without opening one. A stamp changes whenever the file may have.

        Raises `Unavailable` when the disk does not answer: what cannot be listed now is not gone.
        """
        stamps = {}
        todo: list[str] = list(PLACES)
        while todo:  # on the way of every recall, so no more is done for a file than must be
            folder = todo.pop()
            try:
                entries = os.scandir(f"{self.folder.root}/{folder}")
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                raise unavailable(self.folder.root / folder, error) from error
            with entries, explained(self.folder.root / folder):
                for entry in entries:
                    name = entry.name
                    if entry.is_dir(follow_symlinks=False):
                        todo.append(f"{folder}/{name}")
                    elif name.endswith(".md") and not name.startswith("."):
                        try:
                            stamps[f"{folder}/{name}"] = _stamp(entry.stat(follow_symlinks=False))
                        except FileNotFoundError:  # moved while we looked
                            continue
        return stamps

    def stamp(self, path: str) -> str:
        """The stamp of one record file. Raises `OSError`."""
        return _stamp(os.stat(f"{self.folder.root}/{path}", follow_symlinks=False))

    def look(self, before: Look | None = None) -> Look:
        """What came since an earlier look, by names alone and only in folders that changed. Edits go unnoticed."""
        folders: dict[str, _Listing] = {}
        came: list[str] = []
        gone = False
        todo: list[str] = list(PLACES)
        known = before.folders if before else {}
        while todo:
            folder = todo.pop()
            try:
                changed = os.stat(f"{self.folder.root}/{folder}").st_mtime_ns
                listing = known.get(folder)
                if listing is None or listing.changed != changed or not listing.settled:
                    listing = self._listed(folder, changed)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                raise unavailable(self.folder.root / folder, error) from error
            folders[folder] = listing
            todo += listing.folders
            names = known[folder].names if folder in known else frozenset()
            came += [f"{folder}/{name}" for name in listing.names - names]
            gone = gone or bool(names - listing.names)
        return Look(folders, tuple(sorted(came)), gone or bool(known.keys() - folders.keys()))

    def _listed(self, folder: str, changed: int) -> _Listing:
        looked = time.time_ns()
        names = os.listdir(f"{self.folder.root}/{folder}")
        records = frozenset(name for name in names if name.endswith(".md") and not name.startswith("."))
        below = [f"{folder}/{name}" for name in names if "." not in name]
        folders = tuple(path for path in below if os.path.isdir(f"{self.folder.root}/{path}"))
        return _Listing(changed, looked - changed > _SETTLED_NS, records, folders)

    def load(self, path: str) -> Record | Problem:
        """The record in a file as it is now, or what is wrong with it."""
        try:
            data = read_capped(f"{self.folder.root}/{path}", RECORD_BYTES)
        except FileNotFoundError:
            return Problem(path, "the file is gone", "run `memoranda check`")
        except OSError as error:
            return Unread(path, f"cannot be read ({error.strerror})", "check the file's owner and mode")
        if data is None:
            return Problem(path, f"is not a regular file of at most {RECORD_BYTES} bytes", "a record is one statement")
        try:
            return parse_record(data, path)
        except RecordFlaw as flaw:
            return flaw.problem

    def scan(self) -> tuple[list[Record], list[Problem]]:
        """Every record and everything wrong, both in the order of paths.

        Files with different digests under one id are problems, and none of them is among the records. Of equal files
        the first by place (core, records, held) counts and the others are problems.
        """
        by_id: dict[str, list[Record]] = {}
        problems: list[Problem] = []
        for _, path in self._entries():
            found = self.load(path)
            if isinstance(found, Problem):
                problems.append(found)
            else:
                by_id.setdefault(found.id, []).append(found)
        records = []
        for same in by_id.values():
            if len({record.digest for record in same}) > 1:
                problems += [_under_one_name(record, same) for record in same]
                continue
            records.append(same[0])
            problems += [
                Problem(r.path, f"the same record as {same[0].path}", "delete one of the two") for r in same[1:]
            ]
        return records, problems

    def by_prefix(self, hex_digits: str) -> list[str]:
        """Paths of the record files whose name begins with these hex digits (more than 12: of that digest)."""
        wanted = f"mem_{hex_digits[:12]}"
        paths = [path for entry, path in self._entries() if entry.name.startswith(wanted)]
        if len(hex_digits) <= 12:
            return paths
        return [path for path in paths if self._digest(path).startswith(hex_digits)]

    def move(self, record: Record, place: Place) -> Record:
        """Put a record's file in another place, its bytes untouched.

        Raises `NotFound` when it is gone, `Conflict` when it is no longer the file that was read.
        """
        root = self.folder.root
        folder = record_folder(record) if place == "records" else place
        path = f"{folder}/{record.path.rpartition('/')[2]}"
        with self.lock.hold():
            require_writable(root)
            with explained(root / record.path):
                try:
                    data = read_capped(root / record.path, RECORD_BYTES)
                except FileNotFoundError:
                    raise NotFound(f"{record.path} is gone", "run `memoranda check`") from None
                if data is None or _digest_of(data, record.path) != record.digest:
                    raise Conflict(f"{record.path} was changed since it was read", "look at it and try again")
                if path != record.path:
                    self._rename(record.path, path, data)
        return replace(record, path=path)

    def _rename(self, old: str, new: str, data: bytes) -> None:
        """In one step, so that no crash leaves the record in two places or in none. The lock is held."""
        root = self.folder.root
        parents = [make_folders(root, path.rpartition("/")[0], self.folder.private) for path in (new, old)]
        if os.listdir(parents[1]) == [old.rpartition("/")[2]]:
            # git takes a folder that one side emptied for renamed, and a file that the other side adds to it for a
            # conflict; so the last record to leave a folder leaves this behind.
            create(root, f"{old.rpartition('/')[0]}/{KEEP}", b"", self.folder.private)
        if os.path.lexists(root / new):
            create(root, new, data, self.folder.private)  # there already, or a conflict
            os.unlink(root / old)
        else:
            os.rename(root / old, root / new)
        for parent in parents:
            sync_folder(parent, root)

    def erase(self, record: Record) -> None:
        """Take a record's file away. What it said is then only where copies or git history have it.

        Raises `NotFound` when it is gone, `Conflict` when it is no longer the file that was read.
        """
        root = self.folder.root
        with self.lock.hold():
            require_writable(root)
            with explained(root / record.path):
                try:
                    data = read_capped(root / record.path, RECORD_BYTES)
                except FileNotFoundError:
                    raise NotFound(f"{record.path} is gone", "run `memoranda check`") from None
                if data is None or _digest_of(data, record.path) != record.digest:
                    raise Conflict(f"{record.path} was changed since it was read", "look at it and try again")
                os.unlink(root / record.path)
                sync_folder(str((root / record.path).parent), root)

    def _entries(self) -> Iterator[tuple[os.DirEntry[str], str]]:
        for place in PLACES:
            yield from _markdown(self.folder.root, place)

    def _named(self, folder: str, id: str) -> list[str]:
        try:
            names = os.listdir(self.folder.root / folder)
        except OSError:
            return []
        return sorted(f"{folder}/{name}" for name in names if name.startswith(id) and name.endswith(".md"))

    def _digest(self, path: str) -> str:
        found = self.load(path)
        return found.digest if isinstance(found, Record) else ""

    def _already(self, record: Record, path: str) -> Record:
        if self._digest(path) != record.digest:
            raise Conflict(
                f"{path} has the name of this record but other bytes", "look at that file; `memoranda check`"
            )
        # It may be there because a writer died before its folder was synced.
        with explained(self.folder.root / path):
            sync_folder(str((self.folder.root / path).parent), self.folder.root)
        return replace(record, path=path)


def _stamp(facts: os.stat_result) -> str:
    return f"{facts.st_size}-{facts.st_mtime_ns}-{facts.st_ino}"


def _markdown(root: Path, folder: str) -> Iterator[tuple[os.DirEntry[str], str]]:
    for entry in sorted_entries(root, folder):
        path = f"{folder}/{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            yield from _markdown(root, path)
        elif entry.name.endswith(".md") and not entry.name.startswith("."):
            yield entry, path


def as_record(draft: Draft) -> Record:
    """The record that a draft becomes, with its id and digest; nothing is written. Raises `Invalid`."""
    return seal(_record(draft))


def _record(draft: Draft) -> Record:
    candidate = draft.candidate.value
    for anchor in draft.anchors:
        parse_anchor(anchor)
    if not candidate.body.strip():
        raise Invalid("there is nothing to remember", "say it in a sentence")
    return Record(
        id="",
        created=utc(draft.created),
        category=draft.category,
        source=draft.source,
        channel=draft.channel,
        durability=draft.durability,
        confidence=draft.confidence,
        screened=draft.candidate.rules,
        body=candidate.body,
        principal=draft.principal,
        observed=utc(candidate.observed) if candidate.observed else None,
        scope=candidate.scope,
        entities=candidate.entities,
        tags=candidate.tags,
        supersedes=draft.supersedes,
        contradicts=draft.contradicts,
        derived_from=draft.derived_from,
        anchors=draft.anchors,
        hold=draft.hold,
        extra=(("alias", candidate.aliases),) if candidate.aliases else (),
    )


def _digest_of(data: bytes, path: str) -> str:
    try:
        return parse_record(data, path).digest
    except RecordFlaw:
        return ""


def _under_one_name(record: Record, same: list[Record]) -> Problem:
    others = ", ".join(other.path for other in same if other is not record)
    return Problem(
        record.path, f"another record has the name {record.id}", f"compare it with {others}; none is trusted", 2
    )
