"""The Protocols, and the two small values a transcript reader exchanges with the core."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Literal, Mapping, Protocol, Sequence

from memoranda.model.index import Census, Changes, Pending, Search
from memoranda.model.outcome import Finding
from memoranda.model.problem import Problem
from memoranda.model.query import Ranked
from memoranda.model.turn import Turn
from memoranda.model.values import dataclass

if TYPE_CHECKING:  # named only: most runs touch no media
    from memoranda.model.evidence import Cut, Extract
    from memoranda.model.fragment import Extent, Fragment


class Embedder(Protocol):
    """Turns text into unit vectors. Deterministic: the same text gives the same bytes on one machine.

    `stamp` names model and file hash; indexes made under different stamps never mix.
    """

    @property
    def stamp(self) -> str: ...

    @property
    def dims(self) -> int: ...

    def passages(self, texts: Sequence[str]) -> memoryview:
        """Unit vectors as a C-contiguous float32 buffer of shape (len(texts), dims)."""

    def query(self, text: str) -> memoryview:
        """The unit vector of one question, float32, shape (dims,)."""


class IndexBackend(Protocol):
    """Holds chunks and ranks them. Everything in it can be rebuilt from the truth.

    One process writes at a time (the index room holds the lock); any number read. Optional `close()`.
    """

    def apply(self, changes: Changes) -> None:
        """Make one step visible, all or nothing. Removing an unknown document is no error; adding a key that is
        there replaces its document. Order inside: notes and removals, then additions, then vectors."""

    def search(self, search: Search) -> Mapping[str, Sequence[Ranked]]:
        """One ranking per wanted signal, best first, ties by key; filters hold before the search, so a narrow filter
        still fills `depth`. A signal that cannot be computed (no vector) is left out."""

    def notes(self, prefix: str) -> Mapping[str, str]:
        """The notes whose names start with `prefix`."""

    def pending(self, limit: int) -> tuple[Census, Sequence[Pending]]:
        """How much is held, and up to `limit` chunks that want a vector: lowest tier first, then newest."""


class SymbolReader(Protocol):
    """Finds what a file of code defines, without running any of it."""

    def definitions(self, path: str, data: bytes) -> Sequence[tuple[str, tuple[int, int]]]:
        """(whole name, first and last line) of every function, class and method, in order; `path` tells the language.

        Names inside names are joined by dots; lines count from 1 and are whole. Code that is broken gives what can be
        read. Raises `Unavailable` for a language it does not read, saying what to install when that would mend it."""


class Screener(Protocol):
    """Looks for what must not be kept. Never reports the value, only where and under which rule.

    It may also have `wants(text) -> bool`: False when it could find nothing in a text, whatever that is decoded to;
    then it is not asked. A screener without it looks at everything.
    """

    @property
    def rules(self) -> str:
        """Name and version of the rule set."""

    def look(self, texts: Sequence[str]) -> Sequence[Sequence[Finding]]:
        """Findings for each text, in order of their start; spans are code points of that text."""


class Classifier(Protocol):
    """Asked when the rules contradict each other, and never otherwise. What it says is taken once and written down."""

    def lasts(self, text: str) -> bool:
        """Whether a statement that speaks of a passing time and of always holds for good. May raise `Unavailable`."""


@dataclass(frozen=True, slots=True)
class Source:
    """One history of an agent: a file (or a row of a database) that may have grown since.

    `key` identifies it for good (usually the path), `stamp` changes whenever its content may have (size, mtime and
    inode for a file). `priority` orders capture: lowest first; main sessions 0, sub-agents 1.
    """

    key: str
    path: Path
    harness: str
    stamp: str
    mtime: float = 0.0
    size: int = 0
    priority: int = 0


@dataclass(frozen=True, slots=True)
class Batch:
    """What a reader hands over at once: turns in order, and the cursor at which reading goes on after them.

    `cursor` is opaque to the core, which stores it only after the turns are durable and hands it back next time.
    `skipped` counts records left out by kind; `restarted` says the source was not what the cursor remembered (it was
    rewritten or truncated) and reading began anew: identities make that harmless. `refused` says that a strict format
    was not held and that nothing of the source is handed over; its problem names the first bad line.
    """

    turns: Sequence[Turn]
    cursor: str
    bytes_read: int = 0
    skipped: Mapping[str, int] | None = None
    problems: Sequence[Problem] = ()
    restarted: bool = False
    refused: bool = False


class TranscriptReader(Protocol):
    """Reads one agent's histories. Knows the turns format and nothing of stores.

    It streams in fixed memory, survives any odd record, and never writes.
    """

    @property
    def harness(self) -> str:
        """The agent's short name, [a-z0-9_-]+."""

    def find(self, home: Path, variables: Mapping[str, str]) -> Iterator[Source]:
        """The histories on this machine, given the user's home folder and environment."""

    def claims(self, path: Path, head: bytes) -> Source | None:
        """The source for a named file if its first bytes (up to 64 KiB) are of this agent, else None."""

    def read(self, source: Source, cursor: str | None) -> Iterator[Batch]:
        """Batches of turns from `cursor` (None: the beginning) to the end as it stood when reading began."""


class Answerer(Protocol):
    """An agent program on this machine that can answer one question from a text, with all its tools silenced."""

    @property
    def program(self) -> str:
        """The name of the executable."""

    def arguments(self) -> Sequence[str]:
        """What the program is started with. The text comes on its standard input; nothing of it stands here."""

    def answer(self, output: str) -> str | None:
        """The final answer in what the program printed, None when there is none or it reported an error."""


class Extractor(Protocol):
    """Reads one kind of media and cuts pieces out of it. Local: it asks no network and brings its own models.

    `extract` and `cut` are only called in a sandboxed child, with a file that anybody may have made: they may fail in
    any way, and what they return is looked at by the door before it reaches a disk. Nothing is kept between calls.
    """

    @property
    def stamp(self) -> str:
        """Name, version, library and model: what an extract depends on. Cheap; loads no model."""

    def claims(self, head: bytes, guess: str) -> str:
        """The media type as which it reads a file that begins with `head` (up to 64 KiB), "" for none of its own.
        `guess` is what the first bytes look like to us. Cheap; the name of the file is not asked."""

    def extract(self, path: Path, media_type: str, scratch: Path) -> Extract:
        """The text of a file with the places of its words, in reading order; every place within the extent. Files may
        be written below `scratch` alone. Raises `Invalid` for a file that it cannot or will not read."""

    def cut(self, path: Path, media_type: str, fragment: Fragment, scratch: Path) -> Cut:
        """The piece that `fragment` names (all empty: a preview of the whole), decoded and encoded anew as a new file
        in `scratch`; reads no more of the file than it must. Raises `Invalid` for a fragment it cannot cut."""


class LocatorKind(Protocol):
    """A further kind of place in media, for `#<name>=<value>`. Time, region, page and characters are built in."""

    @property
    def name(self) -> str:
        """[a-z][a-z0-9-]{0,31}, none of those built in."""

    def parse(self, value: str) -> str:
        """The value in its one form. Raises `Invalid` when it is malformed."""

    def check(self, value: str, extent: Extent) -> None:
        """Raises `Invalid` when the value reaches past the exhibit."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a user wants of one agent, and where things are.

    `command` starts memoranda (an absolute path, and arguments where it needs any), `repeated` are variables that it
    needs and that an agent may not hand on. `core` and `recall` were agreed to one by one; `rules` is a short text that
    says when to recall.
    """

    command: tuple[str, ...]
    home: Path
    variables: Mapping[str, str]
    repeated: Mapping[str, str]
    core: bool = True
    recall: bool = False
    rules: bool = True


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of one settings file.

    - json: `value` at the key path `place`; with `append` as one more item of the array there
    - toml: the text `value`, a table whose name is `place`
    - yaml: the text `value`, an entry named by the second part of `place` below the top-level key that is its first
    - section: the text `value` as a marked section of a text that is a person's
    - file: a file of our own
    """

    path: Path
    form: Literal["json", "toml", "yaml", "section", "file"]
    value: Any
    place: tuple[str, ...] = ()
    append: bool = False


class AgentWiring(Protocol):
    """How one agent is told of memoranda: what is to stand in its settings, and nothing of how it gets there."""

    @property
    def title(self) -> str:
        """The agent's own name."""

    @property
    def program(self) -> tuple[str, str]:
        """The name of its executable ("" for a program with windows), and the command that installs it."""

    def edits(self, wish: Wish) -> Sequence[Edit]:
        """The changes, in order. The same wish gives the same ones."""

    def notes(self, wish: Wish) -> Sequence[str]:
        """What is left for the user to do, in a line each."""
