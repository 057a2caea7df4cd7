"""Bring a local copy to the version at a target: fetch the data files that are new, screen, lay down.

What comes is a stranger's word, whoever sent it: it passes the screen again, its names and places are made here, and a
row that is not what it says is left out and told. A data file is fetched once, taken in, and let go: the files it
became are the copy.
"""

from __future__ import annotations

import json
import os
import shutil
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Callable, Sequence

from memoranda.model.errors import Corrupt, Invalid
from memoranda.model.problem import Problem
from memoranda.model.record import Record
from memoranda.model.share import Head, Part, Row
from memoranda.model.turn import Turn
from memoranda.model.values import dataclass
from memoranda.ports import Screener
from memoranda.screen import arrivals, redact
from memoranda.share import rows as as_rows
from memoranda.share.copy import Copy
from memoranda.truth import arrived
from memoranda.truth.folder import Folder

_TOGETHER = 512  # rows that are held in memory
#: Called with the texts' hashes of a row's passages and their vectors, one behind the other, float32.
Keep = Callable[[Sequence[str], memoryview], None]


@dataclass(frozen=True, slots=True)
class State:
    """How far a copy is: the commit it shows, the data files in it, and the model of the vectors that came."""

    commit: str = ""
    version: int = 0
    parts: tuple[str, ...] = ()
    rows: int = 0
    embedder: str = ""
    dims: int = 0
    checked: str = ""


def state(root: Path) -> State:
    """The state of a copy, an empty one when there is none or it cannot be read."""
    try:
        told = json.loads((root / "state.json").read_text())
        return State(**{**told, "parts": tuple(told["parts"])})
    except (OSError, ValueError, TypeError, KeyError):
        return State()


def note(root: Path, now: State) -> None:
    """Replace the state of a copy."""
    temp = root / f"state.{os.getpid()}.tmp"
    told = {name: getattr(now, name) for name in ("commit", "version", "rows", "embedder", "dims", "checked")}
    temp.write_text(json.dumps({**told, "parts": list(now.parts)}))
    os.replace(temp, root / "state.json")


def arrive(copy: Copy, head: Head, screeners: Sequence[Screener], keep: Keep, checked: str) -> tuple[Problem, ...]:
    """Bring the copy below `copy.root/memory` to `head`. The caller lets nobody read it meanwhile.

    A target that no longer has a data file that was taken in has been made anew: then so is the copy.
    """
    contents = copy.contents(head)
    was = state(copy.root)
    if not {part.name for part in contents.parts}.issuperset(was.parts):
        shutil.rmtree(copy.root / "memory", ignore_errors=True)
        was = State()
    folder = arrived.made(copy.root / "memory")
    new = [part for part in contents.parts if part.name not in was.parts]
    problems = _laid(copy, head, new, folder, screeners, keep, lambda row, turn, part: _below(turn, part))
    stamp = contents.stamp
    parts = tuple(part.name for part in contents.parts)
    note(copy.root, State(head.commit, contents.version, parts, contents.rows, stamp.embedder, stamp.dims, checked))
    return tuple(problems)


def rebuilt(
    copy: Copy, head: Head, root: Path, screeners: Sequence[Screener]
) -> tuple[Folder, int, tuple[Problem, ...]]:
    """The files of a published memory in a new folder: turns where they came from, as far as a row says it well."""
    contents = copy.contents(head)
    folder = Folder.init(root, "personal")
    problems = _laid(copy, head, contents.parts, folder, screeners, lambda hashes, vectors: None, _where_it_was)
    arrived.committed(folder)
    return folder, contents.rows, tuple(problems)


def _below(turn: Turn, part: Part) -> str:
    return arrived.place_of(turn, arrived.writer_of(part.name))


def _where_it_was(row: Row, turn: Turn, part: Part) -> str:
    writer, month = arrived.came_from(row.path) or (arrived.writer_of(part.name), "")
    return arrived.place_of(turn, writer, month)


def _laid(
    copy: Copy,
    head: Head,
    parts: Sequence[Part],
    folder: Folder,
    screeners: Sequence[Screener],
    keep: Keep,
    place: Callable[[Row, Turn, Part], str],
) -> list[Problem]:
    """Take in data files, one after the other; each is let go when it has been."""
    problems: list[Problem] = []
    gone: set[str] = set()
    for part in parts:
        arrived.forget_part(folder, part.name)
        data = copy.data(head, part)
        rows = copy.table.rows(copy.table_folder(head), head.manifest.rpartition("/")[2], part)
        try:
            while some := list(islice(rows, _TOGETHER)):
                problems += _take(copy, some, part, folder, screeners, keep, place, gone)
        finally:
            data.unlink(missing_ok=True)
    arrived.retract(folder, gone)
    return problems


def _take(
    copy: Copy,
    rows: Sequence[Row],
    part: Part,
    folder: Folder,
    screeners: Sequence[Screener],
    keep: Keep,
    place: Callable[[Row, Turn, Part], str],
    gone: set[str],
) -> list[Problem]:
    here = copy.target.address
    problems: list[Problem] = []
    turns: list[tuple[str, Turn]] = []
    records: list[Record] = []
    for row in rows:
        try:
            if row.kind == "turn":
                turn = as_rows.turn_of(row)
                turns.append((place(row, turn, part), turn))
            elif row.kind == "record":
                records.append(as_rows.record_of(row))
            elif row.kind == "retraction" and row.id.startswith(as_rows.GONE):
                gone.add(row.id.removeprefix(as_rows.GONE))
            else:
                raise Corrupt(f"a row of an unknown kind ({row.kind[:20]!r})")
        except (Corrupt, Invalid) as error:
            problems.append(Problem(f"{here} {row.id[:80]}", error.message, "it was left out"))
            continue
        if len(row.vectors):
            keep(_hashes(row), row.vectors)
    screened = redact([turn for _, turn in turns], screeners)
    arrived.take_turns(folder, zip((path for path, _ in turns), screened, strict=True))
    fit = arrivals(records, screeners)
    arrived.take_records(folder, fit)
    if len(fit) < len(records):
        problems.append(Problem(here, f"{len(records) - len(fit)} records hold a credential", "they were left out"))
    return problems


def _hashes(row: Row) -> list[str]:
    """The hashes of a row's passages, made here: a vector is filed under the words that it came with."""
    if row.kind == "turn":
        blocks: Sequence[str] = [block.text for block in as_rows.turn_of(row).blocks]
    else:
        blocks = [as_rows.record_of(row).body]
    texts = (blocks[block][start:end] if block < len(blocks) else "" for block, start, end in row.spans)
    return [sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
