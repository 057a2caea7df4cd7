"""Every flaw that reading finds, each with file, line, cause and next step. Changes nothing."""

from __future__ import annotations

import os
import stat
from typing import Iterator

from memoranda.memory.store import Store
from memoranda.model.errors import Invalid
from memoranda.model.locator import parse_anchor
from memoranda.model.problem import Problem
from memoranda.model.record import Record


def check(store: Store) -> tuple[Problem, ...]:
    """All problems of one memory, by file."""
    records, problems = store.records.scan()
    found = [
        *problems,
        *_records(store, records),
        *store.events.read()[1],
        *_turns(store),
        *_permissions(store),
        *_index(store),
    ]
    return tuple(sorted(found, key=lambda p: (p.locator, p.line or 0, p.message)))


def _records(store: Store, records: list[Record]) -> Iterator[Problem]:
    by_id: dict[str, Record] = {}
    for record in records:
        other = by_id.setdefault(record.id, record)
        if other.digest != record.digest:
            yield Problem(
                record.path, f"two files claim {record.id}: also {other.path}", "neither is trusted; remove one"
            )
        if not record.intact:
            yield Problem(
                record.path,
                f"edited: the bytes are not what {record.id} certifies",
                "undo the edit with git, or say it anew with --supersedes",
                2,
            )
        if not record.path.rsplit("/", 1)[-1].startswith(record.id):
            yield Problem(record.path, f"the file name does not begin with {record.id}", "rename the file")
    for record in records:
        yield from _links(record, by_id)


def _links(record: Record, by_id: dict[str, Record]) -> Iterator[Problem]:
    for key, ids in (("supersedes", record.supersedes), ("contradicts", record.contradicts)):
        for id in ids:
            if id == record.id:
                yield Problem(record.path, f"{key} names the record itself", "a record cannot do that; remove the file")
            elif id not in by_id:
                yield Problem(record.path, f"{key} names {id}, which is not here", "bring its file back, e.g. with git")
    if record.id in _reached(record, by_id):
        yield Problem(record.path, "supersession runs in a circle", "one of the files was made by hand; remove it")
    for anchor in record.anchors:
        try:
            parse_anchor(anchor)
        except Invalid as error:
            yield Problem(record.path, f"anchor: {error.message}", error.hint)


def _reached(record: Record, by_id: dict[str, Record]) -> set[str]:
    """Every id reached by following supersedes from a record, itself only if in a circle of two or more."""
    seen: set[str] = set()
    todo = [id for id in record.supersedes if id != record.id]
    while todo:
        id = todo.pop()
        if id in seen:
            continue
        seen.add(id)
        todo += by_id[id].supersedes if id in by_id else ()
    return seen


def _turns(store: Store) -> Iterator[Problem]:
    for file in store.turn_files():
        for item in store.turns(file.path):
            if isinstance(item, Problem):
                yield item


def _permissions(store: Store) -> Iterator[Problem]:
    if store.folder.kind != "personal" or os.name == "nt":
        return
    root = store.folder.root
    for folder, names, files in os.walk(root):
        if folder == str(root):
            names[:] = [n for n in names if n not in (".git", ".index")]
        for name in (*names, *files):
            path = os.path.join(folder, name)
            mode = stat.S_IMODE(os.lstat(path).st_mode)
            if mode & 0o077 and not os.path.islink(path):
                yield Problem(
                    os.path.relpath(path, root).replace(os.sep, "/"),
                    f"others may read it (mode {mode:04o})",
                    f"chmod -R go= {root}",
                )


def _index(store: Store) -> Iterator[Problem]:
    lagging = store.catalog.lagging
    if lagging:
        yield Problem(".index", f"{lagging} record files are not indexed as they stand", "memoranda reindex")
