"""What records there are and how they hang together, right even while the index lags.

Reads the small map that the index keeps (`record/`, `successor/`, `statement/`, `cites/` notes) and, for files that
came or changed since, the files themselves. It holds identities and links only: the words are always read from a
record's file at the moment they are shown. Without an index it reads every record once.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Callable, Iterable, Mapping, NamedTuple

from memoranda.index import statement
from memoranda.model.errors import Invalid, NotFound
from memoranda.model.locator import id_prefix
from memoranda.model.problem import Problem
from memoranda.model.record import Record
from memoranda.model.values import dataclass, field
from memoranda.model.world import TruthView


class Entry(NamedTuple):
    """One record file: its id, path and digest, and what is asked of many records at once.

    A named tuple, since recall makes one of each record there is.
    """

    id: str
    path: str
    digest: str
    category: str
    created: str
    durability: str


@dataclass(slots=True)
class Catalog:
    """Identities and links. `doubled` are ids that two different files claim: neither is trusted."""

    entries: dict[str, Entry] = field(default_factory=dict)
    successors: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    statements: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    cites: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    aliases: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    scopes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    doubled: dict[str, list[str]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    lagging: int = 0

    @property
    def latest(self) -> str:
        """The latest time of making that any record names, "" for none."""
        return max((entry.created for entry in self.entries.values()), default="")

    def find(self, text: str) -> str:
        """The full id for an id, a unique prefix of six hex digits or more, or a name it went by before.

        Raises `NotFound` or `Invalid`.
        """
        known = self.aliases.get(text, set()) & self.entries.keys()
        if len(known) == 1 and text not in self.entries:
            return next(iter(known))
        prefix = id_prefix(text)
        if len(prefix) > 12:
            matches = [e.id for e in self.entries.values() if e.digest.startswith(prefix)]
        else:
            matches = [id for id in self.entries if id.startswith(f"mem_{prefix}")]
        if not matches:
            raise NotFound(
                f"no record {text!r} in this memory", "memoranda recall shows ids; memoranda check lists files"
            )
        if len(matches) > 1:
            raise Invalid(
                f"{text!r} names {len(matches)} records: {', '.join(sorted(matches)[:5])}", "give more digits"
            )
        return matches[0]


def grow(catalog: Catalog, truth: TruthView, came: Iterable[str]) -> None:
    """Take in files that came since it was built; one that is in already changes nothing."""
    for path in came:
        _read(catalog, truth, path)


def build(truth: TruthView, stamps: Mapping[str, str], notes: Callable[[str], Mapping[str, str]]) -> Catalog:
    """The catalog as of `stamps`: the index's map where it is current, the files where it is not."""
    catalog = Catalog()
    stamps = dict(stamps)
    known = _known(notes("record/"), stamps)
    for entry in known:
        _enter(catalog, entry)
        stamps.pop(entry.path)
    kept = {entry.id for entry in known}
    _links(notes("successor/"), catalog.successors, kept)
    _links(notes("statement/"), catalog.statements, kept)
    _links(notes("cites/"), catalog.cites, kept)
    _links(notes("alias/"), catalog.aliases, kept)
    _links(notes("scope/"), catalog.scopes, kept)
    flaws = notes("flaw/")
    catalog.lagging = sum(1 for path, stamp in stamps.items() if flaws.get(f"flaw/{path}") != stamp)
    for path in sorted(stamps):
        _read(catalog, truth, path)
    return catalog


def _read(catalog: Catalog, truth: TruthView, path: str) -> None:
    found = truth.record(path)
    if isinstance(found, Problem):
        catalog.problems.append(found)
    else:
        _add(catalog, found)


def _known(notes: Mapping[str, str], stamps: Mapping[str, str]) -> list[Entry]:
    entries = []
    facts = json.loads(f"[{','.join(notes.values())}]")  # at once: a call for each takes three times as long
    for name, row in zip(notes, facts, strict=True):
        _, id, path = name.split("/", 2)
        if stamps.get(path) == row["stamp"] and row.get("digest"):
            entries.append(Entry(id, path, row["digest"], row["category"], row["created"], row["durability"]))
    return entries


def _links(notes: Mapping[str, str], into: dict[str, set[str]], kept: set[str]) -> None:
    for name in notes:
        place, _, id = name.rpartition("/")
        if id in kept:
            into[place.partition("/")[2]].add(id)


def _enter(catalog: Catalog, entry: Entry) -> None:
    there = catalog.entries.get(entry.id)
    if there is not None and there.digest != entry.digest:
        catalog.doubled.setdefault(entry.id, [there.path]).append(entry.path)
        return
    catalog.entries[entry.id] = entry


def _add(catalog: Catalog, record: Record) -> None:
    _enter(
        catalog,
        Entry(record.id, record.path, record.digest, record.category, record.created, record.durability),
    )
    for old in record.supersedes:
        catalog.successors[old].add(record.id)
    catalog.statements[statement(record.body, record.scope)].add(record.id)
    for name in record.aliases:
        catalog.aliases[name].add(record.id)
    if record.scope:
        catalog.scopes[record.scope].add(record.id)
    for anchor in record.anchors:
        if anchor.startswith("turn:"):
            catalog.cites[anchor.split("@", 1)[0].split("#", 1)[0]].add(record.id)


def chain(start: str, read: Callable[[str], Record | None], successors: Mapping[str, Iterable[str]]) -> list[Record]:
    """Everything linked to `start` by supersession, newest successor first; cycles are walked once."""
    seen: dict[str, Record] = {}
    todo = [start]
    while todo:
        id = todo.pop()
        record = None if id in seen else read(id)
        if record is None:
            continue
        seen[id] = record
        todo += [*record.supersedes, *successors.get(id, ())]
    return _ordered(seen)


def _ordered(records: Mapping[str, Record]) -> list[Record]:
    """Successors before what they supersede; among equals the later `created` first, then the id."""
    depth: dict[str, int] = {}
    left = set(records)
    while left:
        ready = {id for id in left if not any(old in left for old in records[id].supersedes)}
        for id in ready or left:  # a cycle, only possible in crafted files, shares one place
            depth[id] = len(records) - len(left)
        left -= ready or left
    return sorted(records.values(), key=lambda r: (depth[r.id], r.created, r.id), reverse=True)
