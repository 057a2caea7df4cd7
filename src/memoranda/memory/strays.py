"""Files that are not as this memory wrote them: dropped in, edited by hand, deleted. Looking changes nothing."""

from __future__ import annotations

import difflib
import hashlib
import os
from pathlib import Path
from typing import Iterator, Sequence

from memoranda.memory.check.gone import deleted
from memoranda.memory.check.records import ids_named, merge_damage
from memoranda.memory.store import Store
from memoranda.model.errors import Invalid, NotFound, Unavailable
from memoranda.model.problem import Problem
from memoranda.model.record import Record
from memoranda.model.values import dataclass, replace
from memoranda.remember.adopt import refusal
from memoranda.truth import past as git
from memoranda.truth.files import read_capped
from memoranda.truth.foreign import FILE_BYTES, Written, as_written, read_foreign
from memoranda.truth.grammar import RecordFlaw, parse_record


@dataclass(frozen=True, slots=True)
class Stray:
    """One file to adopt. `path` is relative to the memory, or absolute for one outside it.

    `kind` is dropped, headed (it has a header of another tool), edited or deleted. `key` names exactly what was looked
    at (the SHA-256 of the bytes; for a deleted file its record id): who confirms it has seen that. `texts` are the
    statements in it, "" for one that the screen refuses; `diff` is what an edit changed; `why_not` says why it cannot
    be adopted as it is.
    """

    path: str
    kind: str
    key: str
    texts: tuple[str, ...] = ()
    diff: str = ""
    why_not: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A stray with what adopting it needs: its bytes and statements, and for an edit the record as it was."""

    stray: Stray
    data: bytes = b""
    written: tuple[Written, ...] = ()
    original: tuple[Record, bytes] | None = None


def strays(store: Store, paths: Sequence[Path]) -> list[Found]:
    """Everything to adopt in the memory, or in the files and folders named. Raises `NotFound`, `Unavailable`."""
    inside = store.folder.root
    if not paths:
        return [*_records(store, None), *_deleted(store)]
    found: list[Found] = []
    for path in paths:
        real = Path(os.path.realpath(path))
        if not real.exists():
            raise NotFound(f"{path} does not exist", "name a Markdown file, or a folder of them")
        if real.is_relative_to(inside):
            found += _records(store, real.relative_to(inside).as_posix())
            continue
        files = sorted(real.rglob("*.md")) if real.is_dir() else [real]
        found += [one for one in (_outside(store, file) for file in files) if one is not None]
    return found


def dropped(store: Store) -> list[Found]:
    """Files in the record folders that are no record by their name and have no header; costs a look at names."""
    paths = [path for path in store.records.stamps() if not git.id_of(path)]
    found = (_inside(store, path) for path in paths)
    return [one for one in found if one is not None and one.stray.kind == "dropped"]


def _records(store: Store, below: str | None) -> Iterator[Found]:
    kept, problems = store.records.scan()
    paths = [r.path for r in kept if not r.intact] + [p.locator for p in problems if not _doubled(p)]
    for path in sorted(paths):
        if below is None or below in (".", path) or path.startswith(f"{below}/"):
            found = _inside(store, path)
            if found is not None:
                yield found


def _doubled(problem: Problem) -> bool:
    return "the same record as" in problem.message


def _inside(store: Store, path: str) -> Found | None:
    """A file of the record folders as a stray, None for a sound record."""
    data = _read(store.folder.root / path)
    if data is None:
        return None
    try:
        record = parse_record(data, path)
    except RecordFlaw:
        record = None
    if record is not None and record.intact:
        return None
    original = _original(store, git.id_of(path) or (record.id if record else ""))
    if record is None and original is None:
        return _foreign(store, path, data)
    written = (as_written(record),) if record else _lenient(data)
    kind = "edited" if original or (record and git.id_of(path)) else "headed"
    diff = _diff(original[1], data) if original and not _refused(store, written) else ""
    return _screened(store, Stray(path, kind, _key(data), diff=diff), data, written, original)


def _outside(store: Store, file: Path) -> Found | None:
    data = _read(file)
    if data is None:
        return None
    try:
        record = parse_record(data, "")
        return _screened(store, Stray(str(file), "headed", _key(data)), data, (as_written(record),))
    except RecordFlaw:
        return _foreign(store, str(file), data)


def _foreign(store: Store, path: str, data: bytes) -> Found | None:
    written = _lenient(data)
    kind = "headed" if any(one.headed for one in written) else "dropped"
    return _screened(store, Stray(path, kind, _key(data)), data, written)


def _lenient(data: bytes) -> tuple[Written, ...]:
    try:
        return read_foreign(data)
    except Invalid:
        return ()


def _screened(
    store: Store,
    stray: Stray,
    data: bytes,
    written: tuple[Written, ...],
    original: tuple[Record, bytes] | None = None,
) -> Found:
    damage = merge_damage(data)
    refused = [refusal(one, store) for one in written]
    texts = tuple(one.body if no is None else "" for one, no in zip(written, refused, strict=True))
    if damage:
        stray = replace(stray, why_not=f"line {damage[1]} {damage[0]}", hint="split it by hand, then adopt it again")
        written = ()
    elif not written:
        stray = replace(stray, why_not="there is no text in it that can be read", hint="write one statement, as UTF-8")
    elif original is not None and not (len(written) == 1 and written[0].headed):
        hint = f"mend it, or bring the record back: git log -- '*{original[0].id}*'"
        stray = replace(stray, why_not="its header is broken, so nothing tells where its words begin", hint=hint)
    elif all(refused):
        first = next(no for no in refused if no is not None)
        stray = replace(stray, why_not=first.message, hint=first.hint)
    return Found(replace(stray, texts=() if damage else texts), data, written, original)


def _refused(store: Store, written: Sequence[Written]) -> bool:
    return any(refusal(one, store) for one in written)


def _original(store: Store, id: str) -> tuple[Record, bytes] | None:
    """The record of that id as git last knew it whole."""
    for path, data in git.versions(store.folder.root, id) if id else ():
        try:
            record = parse_record(data, path)
        except RecordFlaw:
            continue
        if record.intact and record.id == id:
            return record, data
    return None


def _deleted(store: Store) -> Iterator[Found]:
    records, problems = store.records.scan()
    here = {record.id for record in records} | ids_named(problems)
    for id, (path, hint) in sorted(deleted(store, here, store.all_events()).items()):
        original = _original(store, id)
        text = (original[0].body,) if original else ()
        yield Found(Stray(path, "deleted", id, texts=text, hint=hint), original=original)


def _read(path: Path) -> bytes | None:
    try:
        return read_capped(path, FILE_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unavailable(f"{path}: {error.strerror}", "check its owner and mode") from error


def _key(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _diff(before: bytes, after: bytes) -> str:
    old, new = (data.decode("utf-8", "replace").splitlines() for data in (before, after))
    return "\n".join(difflib.unified_diff(old, new, "as it was", "as it is", n=1, lineterm=""))
