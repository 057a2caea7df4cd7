"""A memory made of plain values, so that a test says what stands where and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable, Mapping, Sequence

import pytest

from memoranda.model.index import Search
from memoranda.model.locator import Anchor, FileLocator, TurnLocator
from memoranda.model.query import IndexState, Ranked, Verdict
from memoranda.model.record import Authority, Category, Channel, Confidence, Durability, Record, own_authority
from memoranda.model.standing import NOTHING, Standing
from memoranda.model.turn import Block, Turn
from memoranda.model.world import Unseen
from memoranda.ports import Screener

NOW = "2026-12-01T00:00:00Z"


@dataclass
class Entry:
    path: str


@dataclass
class Links:
    entries: dict[str, Entry] = field(default_factory=dict)
    cites: dict[str, list[str]] = field(default_factory=dict)


class Tree:
    """A `World` of files by path."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files

    def file(self, locator: FileLocator) -> bytes | None:
        return self._files.get(locator.path)

    def turn(self, locator: TurnLocator) -> str | None:
        return None

    def rewritten(self, locator: TurnLocator) -> str:
        return ""

    def record(self, id: str) -> str | None:
        return None

    def symbols(self, locator: FileLocator, data: bytes) -> Sequence[tuple[str, tuple[int, int]]]:
        raise Unseen("nothing here reads its language")

    def commit(self, locator: FileLocator) -> str:
        return ""

    def lineages(self, asked: Sequence[Anchor], versions: bool = False) -> Sequence[None]:
        return [None] * len(asked)

    def looked(self, anchor: str) -> None:
        return None

    def note(self, verdicts: Sequence[Verdict]) -> None:
        pass


class Told:
    """An index that ranks as it was told, whatever is asked."""

    def __init__(self) -> None:
        self.signals: dict[str, list[Ranked]] = {}
        self.asked: list[Search] = []
        self.vector: memoryview | None = None

    def rankings(self, search: Search) -> Mapping[str, Sequence[Ranked]]:
        self.asked.append(search)
        return {name: rows for name, rows in self.signals.items() if name in search.signals}

    def query_vector(self, text: str) -> memoryview | None:
        return self.vector

    def state(self) -> IndexState:
        return IndexState(current=True, passages=3)


class Shelf:
    """A `Readable` of values: records by id, turns by number, standings by digest, files by path."""

    def __init__(self, name: str = "shelf") -> None:
        self.name = name
        self.index = Told()
        self.catalog = Links()
        self.records: dict[str, Record] = {}
        self.turns: list[Turn] = []
        self.standings: dict[str, Standing] = {}
        self.files: dict[str, bytes] = {}
        self.newest = ""
        self.waiting: set[str] = set()
        self.strange: set[str] = set()
        self.same: list[list[str]] = []

    def keep(self, body: str, path: str = "records/2026/11/x.md", **more: object) -> Record:
        number = len(self.records) + 1
        id = f"mem_{number:012x}"
        values: dict[str, object] = {
            "id": id,
            "created": "2026-11-30T00:00:00Z",
            "category": Category.DECISION,
            "source": "user_message",
            "channel": Channel.DIRECT_SESSION,
            "durability": Durability.DURABLE,
            "confidence": Confidence.HIGH,
            "screened": "1",
            "digest": f"{number:012x}".ljust(64, "0"),
            "path": path,
            **more,
        }
        record = Record(body=body, **values)  # type: ignore[arg-type]
        self.records[id] = record
        self.catalog.entries[id] = Entry(path)
        return record

    def say(self, text: str, role: str = "user", session: str = "s") -> Turn:
        seq = sum(turn.session == session for turn in self.turns)
        turn = Turn(session, f"t{seq}", role, "claude", (Block("text", text),), ts=NOW, seq=seq)
        self.turns.append(turn)
        return turn

    def rank(self, signal: str, *found: Record | Turn, scores: Sequence[float] = ()) -> None:
        """Let a signal find these, best first."""
        rows = self.index.signals.setdefault(signal, [])
        for n, item in enumerate(found):
            rows.append(row_of(item, scores[n] if scores else 1.0 / (n + 1)))

    # -- what a `Readable` says

    def same_names(self) -> Sequence[Sequence[str]]:
        return self.same

    def rankings(self, search: Search) -> Mapping[str, Sequence[Ranked]]:
        return self.index.rankings(search)

    def read(self, id: str) -> Record | None:
        return self.records.get(id)

    def standing(self, record: Record) -> Standing:
        return self.standings.get(record.digest, NOTHING)

    def authority(self, record: Record) -> Authority:
        return Authority.FOREIGN if record.id in self.strange else own_authority(record)

    def held(self, record: Record) -> bool:
        return record.id in self.waiting

    def in_effect(self, record: Record) -> bool:
        standing = self.standing(record)
        return not (standing.retired or standing.rejected or self.held(record))

    def superseders(self, id: str) -> Sequence[str]:
        return sorted(r.id for r in self.records.values() if id in r.supersedes and self.in_effect(r))

    def turns_at(self, locator: TurnLocator) -> Sequence[Turn] | None:
        of_session = [turn for turn in self.turns if turn.session == locator.session]
        if locator.turn is not None:
            return [turn for turn in of_session if turn.turn == locator.turn]
        last = locator.seq if locator.last is None else locator.last
        return [turn for turn in of_session if (locator.seq or 0) <= turn.seq <= (last or 0)]

    def world(self) -> Tree:
        return Tree(self.files)

    def screeners(self) -> Sequence[Screener]:
        return ()


def row_of(item: Record | Turn, score: float = 1.0) -> Ranked:
    if isinstance(item, Record):
        return Ranked(f"{item.id}#0.0", item.id, "record", score, end=len(item.body), ts=item.created)
    doc = str(TurnLocator(item.harness, item.session, turn=item.turn))
    length = len(item.blocks[0].text)
    return Ranked(f"{doc}#0.0", doc, "turn", score, item.harness, item.session, item.seq, end=length, role=item.role)


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def another() -> Callable[[str], Shelf]:
    return Shelf
