"""Reads turns files: what any program can write so that memoranda takes it in, without a reader of its own.

`<name>.turns.jsonl` in the form of docs/turns.md, `<name>.funes.jsonl` in funes' version 1. A file is taken whole or
not at all: it is looked through before its first turn is given, and refused at its first bad line. Looked for below
`MEMORANDA_SPOOL`, or else ~/.memoranda-spool.
"""

from __future__ import annotations

from pathlib import Path
from typing import Iterator, Mapping

from memoranda.model.problem import Problem
from memoranda.model.turn import Turn
from memoranda.ports.jsonl import LINE_LIMIT
from memoranda.ports.protocols import Batch, Source
from memoranda.ports.reading import BATCH_BYTES, BATCH_TURNS, digest, named, source, walk
from memoranda_agents.turns.form import parse

HARNESS = "turns"
_FUNES = ".funes.jsonl"
_SUFFIXES = (".turns.jsonl", _FUNES)


class TurnsReader:
    """Reads turns files of any harness. See `TranscriptReader` for the promises."""

    harness = HARNESS

    def find(self, home: Path, variables: Mapping[str, str]) -> Iterator[Source]:
        """Every turns file of the spool folder."""
        for path, found in walk(Path(variables.get("MEMORANDA_SPOOL") or home / ".memoranda-spool"), _SUFFIXES):
            yield source(path, found, HARNESS)

    def claims(self, path: Path, head: bytes) -> Source | None:
        """Ours by its name alone: a bad file is to be refused, not passed over."""
        return named(path, HARNESS) if path.name.endswith(_SUFFIXES) and head else None

    def read(self, source: Source, cursor: str | None) -> Iterator[Batch]:
        """All turns of a file that changed, none of one that was refused. Raises `OSError` when it cannot be read."""
        mark = digest(source.path)
        if cursor == mark:
            yield Batch((), mark)
            return
        flaw = first_flaw(source)
        if flaw is not None:
            yield Batch((), mark, problems=(flaw,), refused=True)
            return
        held, size, silent = list[Turn](), 0, 0
        for turn in _turns(source.path):
            if turn is None:
                silent += 1
                continue
            held.append(turn)
            size += sum(len(block.text) for block in turn.blocks)
            if size >= BATCH_BYTES or len(held) >= BATCH_TURNS:
                yield Batch(held, "", size)
                held, size = [], 0
        yield Batch(held, mark, size, {"turn without text": silent} if silent else {})


def first_flaw(source: Source) -> Problem | None:
    """The first bad line of a turns file, None when every line is right."""
    number = 0
    try:
        for line in _lines(source.path):
            number += 1
            parse(line, source.path.name.endswith(_FUNES))
    except ValueError as error:
        return Problem(source.key, f"refused: {error}", "nothing of it was kept; it is read again when it changes",
                       max(number, 1))  # fmt: skip
    return None


def _turns(path: Path) -> Iterator[Turn | None]:
    for line in _lines(path):
        yield parse(line, path.name.endswith(_FUNES))


def _lines(path: Path) -> Iterator[bytes]:
    """The lines without their breaks. One that is too long comes cut, and is then no JSON."""
    with path.open("rb") as file:
        while line := file.readline(LINE_LIMIT + 1):
            yield line.removesuffix(b"\n")
