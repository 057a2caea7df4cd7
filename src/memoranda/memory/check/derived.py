"""Where the index differs from the truth, and how it is made anew."""

from __future__ import annotations

import json
import os
from typing import Iterator, Sequence

from memoranda.memory.store import Store
from memoranda.model.errors import MemorandaError
from memoranda.model.problem import Problem
from memoranda.model.record import Record

_REBUILD = "memoranda check --repair, or memoranda reindex"


def drift(store: Store, records: Sequence[Record], deep: bool = False) -> Iterator[Problem]:
    """What the index does not hold, holds wrongly, or holds though it is gone; `records` are as just read. With `deep`
    every byte of the index is read."""
    notes = store.index.notes("record/")
    unlike = sum(1 for r in records if f'"digest":"{r.digest}"' not in notes.get(f"record/{r.id}/{r.path}", ""))
    if unlike:
        yield Problem(".index", f"{unlike} record files are not indexed as they stand", _REBUILD)
    here = {record.path for record in records}
    paths = (name.split("/", 2)[2] for name in notes)
    left = sum(1 for path in paths if path not in here and not os.path.lexists(store.folder.root / path))
    if left:
        yield Problem(".index", f"{left} records in it are no longer here", _REBUILD)
    yield from _turns(store)
    if store.unread():
        yield Problem(".index", f"{store.unread()} exhibits have to be read again", "memoranda evidence extract")
    try:
        if deep:
            store.index.verify()
        note = store.index.state().note
    except MemorandaError as error:
        note = error.message
    if note:
        yield Problem(".index", note, _REBUILD)


def _turns(store: Store) -> Iterator[Problem]:
    known = dict(store.index.notes("turnfile/"))
    pending = 0
    for file in store.turn_files():
        note = known.pop(f"turnfile/{file.path}", None)
        size = int(json.loads(note)["size"]) if note else 0
        if size > file.size:
            yield Problem(file.path, f"lost {size - file.size} bytes since it was indexed", "restore it from a backup")
        pending += size < file.size
    if pending:
        yield Problem(".index", f"{pending} turns files are not wholly indexed", _REBUILD)
    for name in sorted(known):
        yield Problem(name.removeprefix("turnfile/"), "the index knows this turns file, and it is gone",
                      "bring it back from a backup, or accept it: memoranda reindex")  # fmt: skip


def rebuild(store: Store) -> None:
    """Delete the index and build it from the files. Raises `Busy`, `Unavailable`."""
    store.index.drop()
    store.fresh()
    if store.unread():
        from memoranda.memory.media import read_again

        read_again(store, store.evidence.all()[0], always=False)
    store.index.sync(store, store.wanted)
