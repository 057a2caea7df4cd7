"""Flaws of records: what cannot be read, what was changed by hand or by a merge, and links that lead nowhere."""

from __future__ import annotations

import re
from typing import Iterator, Mapping, Sequence

from memoranda.memory.store import Store
from memoranda.model.errors import Invalid
from memoranda.model.locator import parse_anchor
from memoranda.model.problem import Problem
from memoranda.model.record import Record
from memoranda.model.values import replace
from memoranda.truth.files import LOST, read_capped
from memoranda.truth.folder import walk
from memoranda.truth.grammar import RECORD_BYTES, print_record
from memoranda.truth.past import id_of

ADOPT = "memoranda adopt shows what it would make of it"
_marker = re.compile(rb"^(?:<{7}|>{7}|\|{7})(?: |$)", re.MULTILINE).search
_glued = re.compile(rb"\n---\n(?:[a-z_]+: [^\n]*\n)*id: mem_[0-9a-f]{12}\n").search
_id_in = re.compile(r"mem_[0-9a-f]{12}").findall


def merge_damage(data: bytes) -> tuple[str, int] | None:
    """What a merge left in a file and in which line (from 1): conflict markers, or two records end to end."""
    marker = _marker(data)
    if marker:
        return "holds the conflict markers of a merge", data.count(b"\n", 0, marker.start()) + 1
    second = _glued(data, data.find(b"\n---\n", 1) + 1)
    if second:
        return "holds two records end to end", data.count(b"\n", 0, second.start()) + 2
    return None


def unreadable(store: Store, problems: Sequence[Problem]) -> Iterator[Problem]:
    """What the record store could not read, with the damage of merges named and the next command."""
    for problem in problems:
        damage = _damage(store, problem.locator)
        if damage:
            yield _torn(problem.locator, *damage)
        elif "another record has the name" in problem.message or "the same record as" in problem.message:
            yield problem
        elif problem.line is not None:
            yield replace(problem, hint=f"{problem.hint}; {ADOPT}" if problem.hint else ADOPT)
        else:
            yield problem


def flaws(store: Store, records: Sequence[Record], deep: bool) -> Iterator[Problem]:
    """Flaws of records that can be read. `deep` also compares each with its canonical bytes."""
    by_id = {record.id: record for record in records}
    lost = set(_id_in(" ".join(walk(store.folder.root, LOST))))
    for record in records:
        if not record.intact:
            yield from _edited(store, record)
        elif deep:
            yield from _canonical(store, record)
        if not record.path.rpartition("/")[2].startswith(record.id):
            yield Problem(
                record.path, f"the file name does not begin with {record.id}", f"rename it to {record.id}-….md"
            )
        yield from _links(record, by_id, lost)
    for id in sorted(_circles(by_id)):
        yield Problem(
            by_id[id].path,
            "supersession runs in a circle",
            "one of the files was made by hand: compare them, remove it",
        )


def _edited(store: Store, record: Record) -> Iterator[Problem]:
    damage = _damage(store, record.path)
    if damage:
        yield _torn(record.path, *damage)
        return
    yield Problem(
        record.path,
        f"edited: the bytes are not what {record.id} certifies",
        f"undo the edit, or keep it: {ADOPT}",
        2,
    )


def _torn(path: str, message: str, line: int) -> Problem:
    hint = f"take one side or split it by hand, with `git log -- {path}`; each record is a file of its own"
    return Problem(path, message, hint, line)


def _damage(store: Store, path: str) -> tuple[str, int] | None:
    try:
        data = read_capped(store.folder.root / path, 2 * RECORD_BYTES)
    except OSError:
        return None
    return merge_damage(data) if data else None


def _canonical(store: Store, record: Record) -> Iterator[Problem]:
    try:
        printed = print_record(record)
    except Invalid as error:
        yield Problem(record.path, f"is not in canonical form: {error.message}", ADOPT)
        return
    if read_capped(store.folder.root / record.path, RECORD_BYTES) != printed:
        yield Problem(record.path, "is not in canonical form, though its id fits", "another program wrote it; harmless")


def _links(record: Record, by_id: Mapping[str, Record], lost: set[str]) -> Iterator[Problem]:
    for key in ("supersedes", "contradicts", "derived_from"):
        for id in getattr(record, key):
            if id == record.id:
                yield Problem(record.path, f"{key} names the record itself", "made by hand: remove the file")
            elif id not in by_id and id not in lost:
                yield Problem(
                    record.path, f"{key} names {id}, which is not here", f"bring it back: git log --all -- '*{id}*'"
                )
    for anchor in record.anchors:
        try:
            parse_anchor(anchor)
        except Invalid as error:
            yield Problem(record.path, f"anchor: {error.message}", error.hint or ADOPT)


def _circles(by_id: Mapping[str, Record]) -> set[str]:
    """The records on circles of two or more, or between two circles: those that peeling from both ends leaves."""
    onward = {id: {o for o in r.supersedes if o in by_id and o != id} for id, r in by_id.items() if r.supersedes}
    while True:
        targets = {old for olds in onward.values() for old in olds}
        left = {id: olds & onward.keys() for id, olds in onward.items() if id in targets}
        left = {id: olds for id, olds in left.items() if olds}
        if left == onward:
            return set(left)
        onward = left


def ids_named(problems: Sequence[Problem]) -> set[str]:
    """Record ids of files that are there but cannot be read."""
    return set(filter(None, (id_of(problem.locator) for problem in problems)))
