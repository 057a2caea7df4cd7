"""A memory's folder made of published rows: a copy in the user's cache, or a new memory somewhere.

What came in one data file lies below a writer of its own, so that a data file is taken in again by laying its files
anew: whatever stopped the first time leaves nothing double.
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Iterable

from memoranda.model.errors import MemorandaError
from memoranda.model.outcome import Screened
from memoranda.model.record import Record
from memoranda.model.turn import Turn
from memoranda.truth.files import append, create, make_private_folder
from memoranda.truth.folder import MARK, Folder
from memoranda.truth.git import GitFailed
from memoranda.truth.grammar import print_record
from memoranda.truth.lines import print_turn
from memoranda.truth.names import harness_name, record_folder, record_name, session_name
from memoranda.truth.repository import commit_tracked

_is_month = re.compile(r"[0-9]{4}-[0-9]{2}").fullmatch
_is_place = re.compile(r"turns/[^/]+/(w[0-9a-f]{12})/([0-9]{4}-[0-9]{2})/[^/]+").fullmatch


def made(root: Path) -> Folder:
    """The folder of a copy: a personal memory without history of its own."""
    make_private_folder(root)
    create(root, MARK, b'format = 1\nkind = "personal"\n', True)
    return Folder.open(root)


def writer_of(part: str) -> str:
    return "w" + sha256(part.encode()).hexdigest()[:12]


def committed(folder: Folder) -> None:
    """Let the history of a rebuilt memory begin with what was laid down, if git can."""
    with suppress(MemorandaError, GitFailed):
        commit_tracked(folder.root, "")


def forget_part(folder: Folder, part: str) -> None:
    """Take away what came in a data file; nothing, as a rule: it is there when taking it in was cut short."""
    turns = folder.root / "turns"
    for harness in os.listdir(turns) if turns.is_dir() else ():
        shutil.rmtree(turns / harness / writer_of(part), ignore_errors=True)


def place_of(turn: Turn, writer: str, month: str = "") -> str:
    """The file of a turn below a writer. It follows from what the turn is, and from nothing that a row says."""
    for guess in (month, turn.ts[:7], turn.captured[:7]):
        if _is_month(guess):
            return f"turns/{harness_name(turn.harness)}/{writer}/{guess}/{session_name(turn.session)}.turns.jsonl"
    return f"turns/{harness_name(turn.harness)}/{writer}/1970-01/{session_name(turn.session)}.turns.jsonl"


def came_from(path: str) -> tuple[str, str] | None:
    """Writer and month in the path that a row names, None when it names none."""
    found = _is_place(path)
    return (found[1], found[2]) if found else None


def take_turns(folder: Folder, placed: Iterable[tuple[str, Screened[Turn]]]) -> None:
    """Lay turns down at their places, in their order."""
    pieces: dict[str, list[bytes]] = {}
    for path, screened in placed:
        pieces.setdefault(path, []).append(print_turn(screened.value))
    append(folder.root, {path: b"".join(lines) for path, lines in pieces.items()}, folder.private)


def take_records(folder: Folder, records: Iterable[Screened[Record]]) -> None:
    """Lay records down, each under the name that certifies it."""
    for screened in records:
        record = screened.value
        place = "core" if record.core else "held" if record.hold else record_folder(record)
        create(folder.root, f"{place}/{record_name(record)}", print_record(record), folder.private)


def retract(folder: Folder, ids: Iterable[str]) -> None:
    """Take records away that their people have retired."""
    gone = set(ids)
    for place in ("core", "held", "records"):
        for path in (folder.root / place).rglob("mem_*.md") if gone else ():
            if path.name[:16] in gone:
                path.unlink(missing_ok=True)
