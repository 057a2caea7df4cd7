"""Connects and disconnects one agent: works out what its files shall be, notes it, and writes them.

A file is written only when it differs, in one step, with its mode, where a link to it leads. What cannot be put in is
told with the text to add by hand; the rest is done.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Iterator, Sequence

from memoranda.memory.wiring import ledger
from memoranda.memory.wiring.edits import Piece, apply, put, satisfied, take, undo
from memoranda.memory.wiring.ledger import Connected, Put
from memoranda.model.errors import Conflict, Invalid, MemorandaError
from memoranda.model.values import dataclass
from memoranda.ports import AgentWiring, Edit, Wish
from memoranda.truth.files import explained, make_private_folder
from memoranda.truth.lock import WriteLock


@dataclass(frozen=True, slots=True)
class Change:
    """One file as it was and as it shall be; None where there is none."""

    path: Path
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Wired:
    """What was done, or would be. `by_hand` is what could not be put in: path, reason, and the text to add."""

    agent: str
    title: str
    changes: tuple[Change, ...]
    by_hand: tuple[tuple[Path, str, str], ...] = ()
    notes: tuple[str, ...] = ()


def connect(agent: str, wiring: AgentWiring, wish: Wish, state: Path, *, write: bool = True) -> Wired:
    """Bring the agent's files to what the wish says, from whatever an earlier wish made of them.

    With `write` False only says what it would do. Raises `Corrupt` for a damaged ledger, `Busy`, `Unavailable`.
    """
    with _alone(state, write):
        known = ledger.load(state)
        old = {p.path: p for p in known[agent].puts} if agent in known else {}
        edits: dict[Path, list[Edit]] = {}
        for edit in wiring.edits(wish):
            edits.setdefault(edit.path, []).append(edit)
        puts, changes, by_hand = [], [], []
        for path in dict.fromkeys((*edits, *old)):
            made, change, failed = _file(path, edits.get(path, []), old.get(path))
            puts += [made] if made else []
            changes += [change] if change else []
            by_hand += failed
        if write:
            before = known[agent].folders if agent in known else ()
            folders = dict.fromkeys((*before, *(folder for change in changes for folder in _missing(change.path))))
            known[agent] = Connected(wish.core, wish.recall, wish.rules, tuple(puts), tuple(folders))
            ledger.save(state, known)
            _write(changes)
    return Wired(agent, wiring.title, tuple(changes), tuple(by_hand), tuple(wiring.notes(wish)))


def disconnect(agent: str, title: str, state: Path, *, write: bool = True) -> Wired:
    """Take out what was put in, and nothing else; nothing for an agent that is not connected. Raises as `connect`."""
    with _alone(state, write):
        known = ledger.load(state)
        old = {p.path: p for p in known[agent].puts} if agent in known else {}
        changes = [change for path, made in old.items() if (change := _file(path, [], made)[1])]
        if write and agent in known:
            _write(changes)
            for folder in sorted(known[agent].folders, key=len, reverse=True):
                with suppress(OSError):  # it holds something of another's, or is gone
                    os.rmdir(folder)
            del known[agent]
            ledger.save(state, known)
    return Wired(agent, title, tuple(changes))


def _file(
    path: Path, edits: Sequence[Edit], old: Put | None
) -> tuple[Put | None, Change | None, list[tuple[Path, str, str]]]:
    """What is to be noted of one file, how it changes, and what could not be put in."""
    try:
        before = _read(path)
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else (error.strerror or "it cannot be read")
        return old, None, [(path, reason, by_hand(edit)) for edit in edits]
    text, made = before or "", before is None
    done: list[tuple[Edit, tuple[Piece, ...]]] = []
    failed: list[tuple[Path, str, str]] = []
    if old is not None:
        made = old.made
        if [edit for edit, _ in old.edits] == list(edits) and _still(text, edits):
            return old, None, []
        text = _without(text, old)
    for edit in edits:
        try:
            pieces = tuple(apply(text, edit))
        except (Conflict, Invalid) as error:
            failed.append((path, error.message, by_hand(edit)))
            continue
        text = put(text, pieces)
        done.append((edit, pieces))
    after: str | None = text
    if made and not done and text.strip() in ("", "{}"):
        after = None
    change = Change(path, before, after) if after != before else None
    kept = [(edit, pieces) for edit, pieces in done if pieces]
    if not kept:
        return None, change, failed
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Put(path, digest, made, tuple(done)), change, failed


def _still(text: str, edits: Sequence[Edit]) -> bool:
    try:
        return all(satisfied(text, edit) for edit in edits)
    except MemorandaError:
        return False


def _without(text: str, old: Put) -> str:
    """The text as it was before: byte for byte if nobody else wrote since, else without what is still ours."""
    if hashlib.sha256(text.encode()).hexdigest() == old.after:
        exact = take(text, [piece for _, pieces in old.edits for piece in pieces])
        if exact is not None:
            return exact
    for edit, pieces in reversed(old.edits):
        text = undo(text, edit, pieces)
    return text


def by_hand(edit: Edit) -> str:
    """An edit as a person would make it."""
    if edit.form != "json":
        return str(edit.value)
    value = [edit.value] if edit.append else edit.value
    for key in reversed(edit.place):
        value = {key: value}
    return json.dumps(value, indent=2, ensure_ascii=False)


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None


def _missing(path: Path) -> tuple[str, ...]:
    """The folders above it that are not there, the nearest first."""
    return tuple(str(folder) for folder in path.parents if not folder.exists())


def _write(changes: Sequence[Change]) -> None:
    for change in changes:
        with explained(change.path):
            if change.after is None:
                change.path.unlink(missing_ok=True)
            else:
                _replace(change.path, change.after.encode())


def _replace(path: Path, data: bytes) -> None:
    """In one step, so that an agent that starts meanwhile reads the old file or the new one."""
    real = Path(os.path.realpath(path))
    real.parent.mkdir(parents=True, exist_ok=True)
    temp = real.with_name(f".{real.name}.memoranda-{os.getpid()}")
    try:
        with open(os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if real.exists():
            os.chmod(temp, real.stat().st_mode & 0o7777)
        os.replace(temp, real)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temp)


@contextmanager
def _alone(state: Path, write: bool) -> Iterator[None]:
    """Nobody else connects meanwhile."""
    if not write:
        yield
        return
    make_private_folder(state)
    with WriteLock(state / "agents.lock").hold():
        yield
