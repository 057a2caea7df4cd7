"""A memory's folder made of published rows: a copy in the user's cache, or a new memory somewhere.

What came in one data file lies below a writer of its own, so that a data file is taken in again by laying its files
anew: whatever stopped the first time leaves nothing double.
"""

from __future__ import annotations

import os
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Iterable, Sequence

from memoranda.model.outcome import Screened
from memoranda.model.record import Record
from memoranda.model.turn import Turn
from memoranda.truth.files import append, create, make_private_folder
from memoranda.truth.folder import MARK, Folder
from memoranda.truth.grammar import print_record
from memoranda.truth.lines import print_turn
from memoranda.truth.names import harness_name, record_folder, record_name, session_name


def made(root: Path) -> Folder:
    """The folder of a copy: a personal memory without history of its own."""
    make_private_folder(root)
    create(root, MARK, b'format = 1\nkind = "personal"\n', True)
    return Folder.open(root)


def writer_of(part: str) -> str:
    return "w" + sha256(part.encode()).hexdigest()[:12]


def forget_part(folder: Folder, part: str) -> None:
    """Take away what came in a data file; nothing, as a rule: it is there when taking it in was cut short."""
    turns = folder.root / "turns"
    for harness in os.listdir(turns) if turns.is_dir() else ():
        shutil.rmtree(turns / harness / writer_of(part), ignore_errors=True)


def take_turns(folder: Folder, writer: str, turns: Sequence[Screened[Turn]]) -> None:
    """Lay turns down in their order. Their place follows from what they are, never from what a row says."""
    pieces: dict[str, list[bytes]] = {}
    for screened in turns:
        turn = screened.value
        month = turn.ts[:7] if _is_month(turn.ts[:7]) else turn.captured[:7]
        month = month if _is_month(month) else "1970-01"
        path = f"turns/{harness_name(turn.harness)}/{writer}/{month}/{session_name(turn.session)}.turns.jsonl"
        pieces.setdefault(path, []).append(print_turn(turn))
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


def _is_month(text: str) -> bool:
    return len(text) == 7 and text[:4].isdecimal() and text[4] == "-" and text[5:].isdecimal() and text.isascii()
