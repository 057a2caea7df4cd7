"""What a fetched repository offers as a memory: record and event files whose names fit, and what does not fit.

Looked for in the top folder, else in `.memoranda`: `memory.toml`, `records/<year>/<month>/`, `core/`, `events/`.
Nothing else is walked, and from each folder only plain files count. A name is others' words: it is repeated only where
it fits the grammar, by the part that holds no words.
"""

from __future__ import annotations

import re
from typing import Callable, Iterator, Mapping

from memoranda.model.errors import NotFound, Unavailable
from memoranda.model.event import Event
from memoranda.model.problem import Problem
from memoranda.model.record import Record
from memoranda.model.values import dataclass
from memoranda.truth.events import chain_of
from memoranda.truth.folder import FORMAT, KINDS, MARK, toml
from memoranda.truth.grammar import RECORD_BYTES, RecordFlaw, parse_record
from memoranda.truth.objects import Entry, Objects
from memoranda.truth.quarantine import REF

#: Most records and bytes of events that are taken from one repository; what is beyond is named and stays there.
MOST_RECORDS = 50_000
EVENT_BYTES = 64 << 20
_FILE, _FOLDER, _LINK, _MODULE = "100644", "40000", "120000", "160000"
_ODD = {
    _LINK: "is a symbolic link",
    _MODULE: "is a submodule",
    "100755": "is marked as a program",
    _FOLDER: "is a folder",
}
_KEPT = (b".keep", b".gitkeep")
_OURS = (MARK.encode(), b".memoranda", b"core", b"records", b"events")
_is_record = re.compile(rb"(mem_[0-9a-f]{12})-[a-z0-9-]{1,48}\.md").fullmatch
_is_year = re.compile(rb"[0-9]{4}").fullmatch
_is_month = re.compile(rb"0[1-9]|1[0-2]").fullmatch
_is_writer = re.compile(rb"w[0-9a-f]{12}").fullmatch
_is_log = re.compile(rb"[0-9]{4}-(?:0[1-9]|1[0-2])\.jsonl").fullmatch


@dataclass(frozen=True, slots=True)
class Offered:
    """One record file: the record as parsed, and the object that holds it."""

    record: Record
    oid: str


@dataclass(frozen=True, slots=True)
class Offer:
    """A memory at one commit. `below` is its folder in the repository, "" for the top. `records` are intact, each under
    its own name, and no two share a name; `events` are in an order that respects each chain."""

    commit: str
    below: str
    records: tuple[Offered, ...]
    events: tuple[Event, ...]
    problems: tuple[Problem, ...]


def offered(objects: Objects) -> Offer:
    """Everything that a fetched repository offers.

    Raises `NotFound` when there is no memory in it, `Unavailable` when it is of a newer format, `GitFailed`.
    """
    commit, root = _head(objects)
    problems: list[Problem] = []
    below, folder = _memory(objects, root, problems)
    found: dict[str, list[Offered]] = {}
    for path, id, entry in _record_files(objects, folder, problems):
        if len(found) >= MOST_RECORDS:
            problems.append(Problem(path, f"more than {MOST_RECORDS:,} records", "what is beyond stays there"))
            break
        one = _record(objects, path, id, entry)
        if isinstance(one, Problem):
            problems.append(one)
        else:
            found.setdefault(id, []).append(one)
    records = []
    for same in found.values():
        if len({one.record.digest for one in same}) == 1:
            records.append(same[0])
        else:
            problems += [Problem(o.record.path, "another file has this name and other bytes") for o in same]
    events = _events(objects, folder, problems)
    return Offer(commit, below, tuple(records), tuple(events), tuple(problems))


def _head(objects: Objects) -> tuple[str, str]:
    """The commit that was fetched and its tree."""
    facts = objects.facts(f"{REF}^{{commit}}")
    data = objects.read(facts[0], "commit", 1 << 20) if facts else None
    if facts is None or data is None or not data.startswith(b"tree "):
        raise Unavailable("what was fetched is no commit that can be read", "look at the repository with `git fsck`")
    return facts[0], data[5 : data.find(b"\n")].decode("ascii", "replace")


def _memory(objects: Objects, root: str, problems: list[Problem]) -> tuple[str, Mapping[bytes, Entry]]:
    top = _named(objects, root, "", problems)
    inside = top.get(b".memoranda")
    places = [("", top)]
    if inside is not None and inside.mode == _FOLDER:
        places.append((".memoranda/", _named(objects, inside.oid, ".memoranda/", problems)))
    for below, folder in places:
        mark = folder.get(MARK.encode())
        if mark is None or mark.mode != _FILE:
            continue
        table = toml(objects.read(mark.oid, "blob", 64 * 1024) or b"")
        version = table.get("format")
        if type(version) is int and version > FORMAT:
            raise Unavailable(f"it is of format {version}; this program reads {FORMAT}", "update memoranda")
        if version == FORMAT and table.get("kind") in KINDS:
            return below, folder
    what = "there is no memory in that repository"
    if problems:
        raise NotFound(f"{what} that could be told: {problems[0].locator} {problems[0].message}", problems[0].hint)
    raise NotFound(what, f"a memory has a {MARK}, at the top or in .memoranda/")


def _named(objects: Objects, tree: str, below: str, problems: list[Problem]) -> dict[bytes, Entry]:
    """A folder's entries by name, without those whose names differ only in case: which of them is meant? Where one of
    them would be ours, that is a problem."""
    entries: dict[bytes, Entry] = {}
    clashing: set[bytes] = set()
    for entry in objects.tree(tree):
        key = entry.name.lower()
        if key in entries:
            clashing.add(key)
        entries[key] = entry
    for key in sorted(clashing.intersection(_OURS)):
        path = f"{below}{key.decode()}"
        problems.append(Problem(path, "stands there twice, but for the case of letters", "none of them is read"))
    return {entry.name: entry for key, entry in entries.items() if key not in clashing}


def _record_files(
    objects: Objects, memory: Mapping[bytes, Entry], problems: list[Problem]
) -> Iterator[tuple[str, str, Entry]]:
    """(path without the words of the name, id, entry) of every file whose name fits."""
    core = memory.get(b"core")
    folders = [("core", core)] if core is not None and core.mode == _FOLDER else []
    folders += [
        (f"records/{year.name.decode()}/{month.name.decode()}", month)
        for year in _below(objects, memory.get(b"records"), _is_year, "records", problems)
        for month in _below(objects, year, _is_month, f"records/{year.name.decode()}", problems)
    ]
    for folder, tree in folders:
        strange = 0
        for entry in objects.tree(tree.oid):
            match = _is_record(entry.name)
            if match is None:
                strange += entry.name not in _KEPT
                continue
            id = match[1].decode()
            if entry.mode != _FILE:
                problems.append(Problem(f"{folder}/{id}", _ODD.get(entry.mode, "is no plain file"), "it is left there"))
                continue
            yield f"{folder}/{id}", id, entry
        _count(folder, strange, problems)


def _below(
    objects: Objects,
    tree: Entry | None,
    fits: Callable[[bytes], re.Match[bytes] | None],
    path: str,
    problems: list[Problem],
) -> Iterator[Entry]:
    """The folders in a folder whose names fit; how many other things there are becomes a problem."""
    if tree is None or tree.mode != _FOLDER:
        return
    strange = 0
    for entry in objects.tree(tree.oid):
        if fits(entry.name) and entry.mode == _FOLDER:
            yield entry
        else:
            strange += entry.name not in _KEPT
    _count(path, strange, problems)


def _count(folder: str, strange: int, problems: list[Problem]) -> None:
    if strange:
        things = "1 thing whose name is" if strange == 1 else f"{strange} things whose names are"
        problems.append(Problem(f"{folder}/", f"{things} none of ours", "left there; names are not repeated"))


def _record(objects: Objects, path: str, id: str, entry: Entry) -> Offered | Problem:
    data = objects.read(entry.oid, "blob", RECORD_BYTES)
    if data is None:
        return Problem(path, f"is longer than {RECORD_BYTES} bytes or not there", "a record is one statement")
    try:
        record = parse_record(data, path)
    except RecordFlaw as flaw:
        return flaw.problem
    if record.id != id or not record.intact:
        return Problem(path, "its name does not certify its bytes", "it was edited, or never written by memoranda")
    if not path.startswith("core/") and path != f"records/{record.created[:4]}/{record.created[5:7]}/{id}":
        return Problem(path, "it does not lie in the month in which it was made", "it is left there")
    return Offered(record, entry.oid)


def _events(objects: Objects, memory: Mapping[bytes, Entry], problems: list[Problem]) -> list[Event]:
    """The events of every writer; a chain that is too long to be read stays unread, and is named."""
    left = EVENT_BYTES
    chains: dict[str, list[tuple[str, bytes]]] = {}
    for folder in _below(objects, memory.get(b"events"), _is_writer, "events", problems):
        writer = folder.name.decode()
        for entry in sorted(objects.tree(folder.oid), key=lambda entry: entry.name):
            path = f"events/{writer}/{entry.name.decode()}" if _is_log(entry.name) else ""
            data = objects.read(entry.oid, "blob", left) if path and entry.mode == _FILE else None
            if data is None:
                problems.append(Problem(f"events/{writer}/", "a file that cannot be read as events", "left there"))
                continue
            left -= len(data)
            chains.setdefault(writer, []).append((path, data))
    return chain_of(chains, problems)
