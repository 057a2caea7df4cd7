"""The published form of a memory: whole rows, the place where they lie, and what is known of it."""

from __future__ import annotations

from typing import Mapping

from memoranda.model.values import dataclass, field

#: The version of the rows. Columns may be added under the same number; whoever must not miss one raises it.
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Head:
    """What stands at a target now. `commit` changes with every push and pins what is read; `manifest` is the path of
    the newest version of the table, relative to the target."""

    commit: str
    manifest: str


@dataclass(frozen=True, slots=True)
class Row:
    """One published thing, whole: its file's bytes are `frame` and `text` put together (`share.rows`).

    `kind` is turn, record, or retraction (of a record that was published and has been retired since; it has no text).
    `id` is a turn's locator, a record's id, or `gone:<record id>`. `digest` is the first 16 hex of the SHA-256 of the
    line, for a record of its own digest. `spans` are the passages as (block, start, end) in code points of that
    block's text; `vectors` holds one unit vector a span, float32, shape (len(spans), dims), empty when there are none.
    The rest is where it comes from.
    """

    id: str
    kind: str
    digest: str
    text: str
    frame: str
    path: str
    spans: tuple[tuple[int, int, int], ...] = ()
    vectors: memoryview = field(default_factory=lambda: memoryview(b""), compare=False)
    ts: str = ""
    harness: str = ""
    session: str = ""
    turn: str = ""
    seq: int = -1
    role: str = ""
    repo: str = ""
    category: str = ""
    channel: str = ""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What is written on a published memory as a whole and never changes: all its rows hold to it.

    `embedder` and `dims` name the model of the vectors ("" and 0: none are published), `project` the project whose
    records these are ("" for a personal memory).
    """

    schema: int = SCHEMA
    embedder: str = ""
    dims: int = 0
    project: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """One data file of the table and how many rows it holds. `name` is its file name, never used twice."""

    name: str
    rows: int


@dataclass(frozen=True, slots=True)
class Contents:
    """What a version of the table says of itself without any data being read."""

    version: int
    stamp: Stamp
    parts: tuple[Part, ...]

    @property
    def rows(self) -> int:
        return sum(part.rows for part in self.parts)


@dataclass(frozen=True, slots=True)
class Pushed:
    """What a push did. `rows` were published by it, `there` stand there now; `ours` of them are of this memory;
    `held` counts what stays here by reason.

    `altered` were published in words that a rescan has since cut: those stay there. `commit` is "" when nothing had to
    be written.
    """

    target: str
    rows: int
    there: int
    ours: int = 0
    commit: str = ""
    held: tuple[tuple[str, int], ...] = ()
    retracted: int = 0
    altered: int = 0
    created: bool = False
    passages: int = 0
    bytes: int = 0
    kinds: Mapping[str, int] = field(default_factory=dict)
    notices: tuple[str, ...] = ()

    @property
    def held_back(self) -> int:
        return sum(count for _, count in self.held)

    @property
    def all_held(self) -> bool:
        """Something should have gone and nothing did."""
        return not self.rows and bool(self.held)
