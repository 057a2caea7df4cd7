"""Records that were here: who still knows of them, and how they come back."""

from __future__ import annotations

import re
from typing import Iterable, Iterator, Sequence

from memoranda.memory.check.records import ids_named
from memoranda.memory.store import Store
from memoranda.model.event import Event
from memoranda.model.problem import Problem
from memoranda.model.record import Record
from memoranda.truth import past as git
from memoranda.truth.files import LOST
from memoranda.truth.folder import walk

#: Kinds of events that say that a file is meant to be gone.
FAREWELLS = ("erased", "dropped")
_is_digest = re.compile(r"[0-9a-f]{64}").fullmatch
_id_in = re.compile(r"mem_[0-9a-f]{12}").findall


def missing(
    store: Store, records: Sequence[Record], problems: Sequence[Problem], events: Sequence[Event]
) -> Iterator[Problem]:
    """One problem for each record that somebody knows of and that is nowhere."""
    here = {record.id for record in records} | ids_named(problems)
    digests = {record.digest for record in records}
    known = deleted(store, here, events)
    for id, (path, hint) in sorted(known.items()):
        yield Problem(path, f"{id} was deleted", hint)
    for event in events:
        id = f"mem_{event.target[:12]}"
        if not _is_digest(event.target) or event.target in digests or id in here or id in known:
            continue
        if event.kind not in FAREWELLS and id not in _farewelled(store, events):
            known[id] = ("", "")
            yield Problem(
                f"events/{event.writer}",
                f"{event.kind} in event {event.n} is about {id}, which is not here",
                f"bring it back: git log --all -- '*{id}*'; if it was meant: memoranda adopt",
            )


def deleted(store: Store, here: Iterable[str], events: Sequence[Event]) -> dict[str, tuple[str, str]]:
    """Path and way back of every record file that git or the index knows and that is not `here`, by id.

    In a project, branches bring and take records, so only what its checked-out commit holds is missed there.
    """
    root, kept = store.folder.root, {*here, *_farewelled(store, events)}
    found: dict[str, tuple[str, str]] = {}
    tracked = git.tree(root)
    for path in tracked:
        _enter(found, kept, path, f"bring it back: git -C {root} checkout HEAD -- {path}")
    if store.project and git.has_history(root):
        return found
    for path, change in git.deleted(root).items() if not store.project else ():
        way = f"bring it back: git -C {root} checkout {change.commit[:12]}~1 -- {path}"
        _enter(found, kept, path, f"{way}; if it was meant: memoranda adopt")
    for path in _indexed(store):
        _enter(found, kept, path, "bring it back from a backup; if it was meant: memoranda adopt")
    return found


def _enter(found: dict[str, tuple[str, str]], kept: set[str], path: str, hint: str) -> None:
    id = git.id_of(path)
    if id and id not in kept and path.endswith(".md"):
        found.setdefault(id, (path, hint))


def _indexed(store: Store) -> Iterator[str]:
    for name, value in store.index.notes("record/").items():
        if f'"digest":"{name[11:23]}' in value:  # it was whole when it was indexed
            yield name.split("/", 2)[2]


def _farewelled(store: Store, events: Sequence[Event]) -> set[str]:
    """Ids that an event says are meant to be gone, or whose bytes lie in lost+found/."""
    said = {_id(e.target) for e in events if e.kind in FAREWELLS and store.trusted(e.digest)}
    return said | set(_id_in(" ".join(walk(store.folder.root, LOST))))


def _id(target: str) -> str:
    return f"mem_{target[:12]}" if _is_digest(target) else target
