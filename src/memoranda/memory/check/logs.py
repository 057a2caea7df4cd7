"""Flaws of what is only appended to (turns, events) and of evidence."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Iterator, Sequence

from memoranda.anchor import state
from memoranda.memory.store import Store
from memoranda.model.errors import Invalid
from memoranda.model.locator import parse_anchor
from memoranda.model.problem import Problem
from memoranda.model.record import Record
from memoranda.model.turn import Turn
from memoranda.truth import past as git
from memoranda.truth.folder import walk
from memoranda.truth.names import session_name

_RESTORE = "restore the file from a backup"
_CHUNK_BYTES = 1 << 20
_is_evidence = re.compile(r"evidence/sha256/([0-9a-f]{2})/(\1[0-9a-f]{62})(\.toml)?").fullmatch


def altered(store: Store) -> Iterator[Problem]:
    """Event files that are no longer what was committed with more behind it; their last line has no other guard."""
    root = store.folder.root
    for path, blob in git.tree(root).items() if git.has_history(root) else ():
        if not path.startswith("events/"):
            continue
        try:
            data = (root / path).read_bytes()
        except OSError:
            yield Problem(
                path, "the last commit has this file, and it is gone", f"git -C {root} checkout HEAD -- {path}"
            )
            continue
        if not blob.begins(data):
            yield Problem(
                path, "lines that are in the last commit were changed or cut", f"git -C {root} diff -- {path}"
            )


def unlike(store: Store, named: set[tuple[str, int | None]], deep: bool) -> Iterator[Problem]:
    """Bytes that are not what this clone wrote; of turns only with `deep`. `named` are lines that others speak of."""
    for prefix in ("events/", "turns/") if deep else ("events/",):
        for problem in store.sums.flaws(store.folder.root, prefix):
            if (problem.locator, problem.line) not in named:
                yield problem


def turns(store: Store, deep: bool) -> Iterator[Problem]:
    """Broken turns files: their ends, or with `deep` every line."""
    for file in store.turn_files():
        if not deep:
            if file.size and not _ends_whole(store.folder.root / file.path):
                yield Problem(file.path, "the last line is cut short", "the next capture moves it to lost+found")
            continue
        yield from _lines(store, file.path)


def _lines(store: Store, path: str) -> Iterator[Problem]:
    seen: set[str] = set()
    last = -1
    for number, item in enumerate(store.turns(path), 1):
        if isinstance(item, Problem):
            yield item
            continue
        wrong = _misplaced(item[0], path, seen, last)
        if wrong:
            yield Problem(path, wrong, _RESTORE, number)
        seen.add(item[0].turn)
        last = item[0].seq


def _misplaced(turn: Turn, path: str, seen: set[str], last: int) -> str:
    _, harness, _, _, name = path.split("/")
    if turn.harness != harness or f"{session_name(turn.session)}.turns.jsonl" != name:
        return "the turn is of another session than its file"
    if turn.turn in seen:
        return "the turn stands twice in its file"
    return f"seq {turn.seq} stands after {last}" if turn.seq <= last else ""


def _ends_whole(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            file.seek(-1, 2)
            return file.read(1) == b"\n"
    except OSError:
        return True


def evidence(store: Store, deep: bool) -> Iterator[Problem]:
    """Files that are not named as evidence is, or without their facts; with `deep` bytes that are not their hash."""
    root = store.folder.root
    paths = set(walk(root, "evidence"))
    for path in sorted(paths):
        name = _is_evidence(path)
        if name is None:
            yield Problem(path, "is not named as evidence is", "move it elsewhere; evidence is taken in by its hash")
        elif name[3] is None and f"{path}.toml" not in paths:
            yield Problem(path, "its facts are missing", f"restore {path}.toml from a backup")
        elif name[3] is None and deep and _hash(root / path) != name[2]:
            yield Problem(path, "the bytes are not what their name says", _RESTORE)


def _hash(path: Path) -> str:
    found = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                found.update(chunk)
    except OSError:
        return ""
    return found.hexdigest()


def anchors(store: Store, records: Sequence[Record]) -> Iterator[Problem]:
    """Turns and records never change: where an anchor says they did, something is damaged."""
    world = store.world()
    for record in records:
        for anchor in record.anchors if record.intact else ():
            try:
                parse_anchor(anchor)
            except Invalid:
                continue  # its form is a flaw of the record
            verdict = None if anchor.startswith("file:") else state(anchor, world)
            if verdict is not None and verdict.state in ("changed", "gone"):
                place = anchor.partition("@sha256:")[0]
                yield Problem(
                    record.path, f"what it rests on is {verdict.state}: {place}", f"memoranda verify {record.id}"
                )
