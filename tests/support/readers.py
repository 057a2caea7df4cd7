"""Reading fixtures with a transcript reader, and turns on one line each for golden lists."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path

from memoranda.model.problem import Problem
from memoranda.model.turn import Turn
from memoranda.ports.protocols import Batch, TranscriptReader

FIXTURES = Path(__file__).parents[1] / "fixtures" / "transcripts"


def batches(reader: TranscriptReader, path: Path, cursor: str | None = None) -> list[Batch]:
    source = reader.claims(path, path.read_bytes()[: 64 << 10])
    assert source is not None, f"{path.name} is not claimed"
    return list(reader.read(source, cursor))


def read(reader: TranscriptReader, path: Path) -> tuple[list[Turn], Counter[str], list[Problem]]:
    turns, skipped, problems = list[Turn](), Counter[str](), list[Problem]()
    for batch in batches(reader, path):
        turns += batch.turns
        skipped.update(batch.skipped or {})
        problems += batch.problems
    return turns, skipped, problems


def plain(turn: Turn) -> str:
    """`role (flags) type:tool text | …`, line breaks as they are."""
    blocks = " | ".join(f"{b.type}{':' + b.tool if b.tool else ''} {b.text}" for b in turn.blocks)
    flags = f" ({','.join(turn.flags)})" if turn.flags else ""
    return f"{turn.role}{flags} {blocks}"


def database(sql: str, path: Path, wal: bool = False) -> Path:
    """A database made from statements."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    connection.execute(f"pragma journal_mode={'wal' if wal else 'delete'}")
    connection.executescript(sql)
    connection.commit()
    connection.close()
    return path
