"""The index backend of one machine: tantivy for turns' words, SQLite for records' words and all facts, exact vectors.

Three parts in one folder, one commit point:

    words/                    tantivy: turns only, so it is only ever added to and its statistics stay exact
    map.sqlite                rows, documents, notes, entities; records' words in FTS5, which forgets exactly
    vectors.i8, scales.bin    row-aligned with map.sqlite's rows; a scale of 0 means no vector
    seal.json, checked.json   the map's sum; which files were found whole (`whole.py`)

An addition is committed in `words/` and written in the vectors first, then in SQLite; what SQLite does not know does
not exist for a reader. A removal is committed in SQLite first. A step holds tantivy's own lock no longer than it takes,
so that processes can take turns. A writer that finds `words/` at another commit than
SQLite recorded (a crash in between, a power cut, a deleted folder) raises `Corrupt`, and so does anybody who finds a
file damaged: the index room then makes everything anew from the truth.
"""

from __future__ import annotations

from pathlib import Path

from memoranda.builtin.embedded.backend import EmbeddedBackend


def make(folder: Path) -> EmbeddedBackend:
    """The plug-in `embedded` of group memoranda.index_backends. Opens nothing until it is used."""
    return EmbeddedBackend(folder)
