"""What the index is told and asked: chunks in, rankings out, and a small map of notes beside them."""

from __future__ import annotations

from typing import Mapping, NamedTuple, Sequence

from memoranda.model.query import Filters
from memoranda.model.values import dataclass, field


class Chunk(NamedTuple):
    """A piece of a document as the index takes it in. Nothing of its text is kept for showing.

    A named tuple, since a capture makes a thousand a megabyte: a frozen dataclass of so many fields costs seven times
    as much to make.

    `key` is unique ("<doc>#<block>.<n>"), `doc` a record id or a turn locator. `near` holds the neighbouring turns'
    words and `title` date, speaker and session title: two lighter lexical fields. `tier` orders embedding and
    indexing: 0 records, 1 prose, 2 tool calls, 3 tool output. `content` is the SHA-256 of `text` (64 hex), the key of
    the vector cache.
    """

    key: str
    doc: str
    kind: str
    text: str
    content: str
    near: str = ""
    title: str = ""
    entities: tuple[str, ...] = ()
    harness: str = ""
    session: str = ""
    repo: str = ""
    role: str = ""
    type: str = ""
    ts: str = ""
    seq: int = 0
    block: int = 0
    start: int = 0
    end: int = 0
    tier: int = 1


@dataclass(frozen=True, slots=True)
class Pending:
    """A chunk that has no vector yet. Its text is read back from the truth at `doc`, `block`, `start`, `end`."""

    key: str
    doc: str
    content: str
    block: int
    start: int
    end: int
    tier: int


@dataclass(frozen=True, slots=True)
class Changes:
    """One atomic step of the index: documents out, chunks in, vectors in, notes set (None deletes).

    `vectors` maps chunk keys to unit vectors as float32 buffers. A crash leaves all of it or none of it visible.
    """

    remove: Sequence[str] = ()
    add: Sequence[Chunk] = ()
    vectors: Mapping[str, memoryview] = field(default_factory=dict)
    notes: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reached:
    """How far turns that are handed to the index take it in one turns file: every turn between the bytes `start` and
    `end` is among them, and `seq` is the highest of them (-1 for none). `path` is relative to the memory."""

    path: str
    start: int
    end: int
    seq: int


@dataclass(frozen=True, slots=True)
class Search:
    """One question to the backend. `vector` (unit, float32) is None when only words are asked.

    `signals` names what is wanted: "words", "covered" (by the share of the question, 0 to 1, that a turn and those
    around it hold, or the best records and exhibits by words), "dense", "entities". `depth` bounds each ranking.
    `entities` are names that count as asked for beside those that stand in the text.
    """

    text: str
    signals: tuple[str, ...]
    depth: int = 100
    vector: memoryview | None = None
    entities: tuple[str, ...] = ()
    filters: Filters = field(default_factory=Filters)


@dataclass(frozen=True, slots=True)
class Census:
    """How much the index holds."""

    passages: int = 0
    documents: int = 0
    unembedded: int = 0
