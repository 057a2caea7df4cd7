"""A truth that tests write with a line: records and turns by path, read through the protocol the index knows."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Callable, Iterator, Mapping, Sequence

import pytest

from memoranda.builtin import embedded, hashing
from memoranda.index import Index
from memoranda.model.evidence import Exhibit, Extract
from memoranda.model.index import Pending, Reached
from memoranda.model.problem import Problem
from memoranda.model.record import Category, Channel, Confidence, Durability, Record
from memoranda.model.turn import Block, Turn
from memoranda.model.world import TurnFile


@dataclass
class Truth:
    """`TruthView` over two dictionaries. A turns file counts a byte a character of each turn's text and one more."""

    records: dict[str, Record | Problem] = field(default_factory=dict)
    sessions: dict[str, list[Turn]] = field(default_factory=dict)
    versions: Counter[str] = field(default_factory=Counter)
    reads: list[str] = field(default_factory=list)
    extracts: dict[str, tuple[Exhibit, Extract]] = field(default_factory=dict)

    def keep(self, id: str, body: str, **more: object) -> str:
        path = f"records/2026/07/{id}.md"
        record = Record(
            id=id,
            created="2026-07-02T16:40:00Z",
            category=Category.NOTE,
            source="user_message",
            channel=Channel.DIRECT_SESSION,
            durability=Durability.DURABLE,
            confidence=Confidence.HIGH,
            screened="1",
            body=body,
            digest=id.removeprefix("mem_") * 5 + "0000",
            path=path,
        )
        self.records[path] = replace(record, **more)  # type: ignore[arg-type]
        self.versions[path] += 1
        return path

    def say(self, session: str, *texts: str, type: str = "text", flags: tuple[str, ...] = ()) -> list[Turn]:
        turns = self.sessions.setdefault(self.path(session), [])
        new = [
            Turn(
                session=session,
                turn=f"{session}-{len(turns) + n}",
                role="user" if (len(turns) + n) % 2 == 0 else "assistant",
                harness="claude",
                blocks=(Block(type, text),),  # type: ignore[arg-type]
                ts=f"2026-07-{1 + (len(turns) + n) % 28:02}T10:00:00Z",
                seq=len(turns) + n,
                flags=flags,
            )
            for n, text in enumerate(texts)
        ]
        turns += new
        return new

    @staticmethod
    def path(session: str) -> str:
        return f"turns/claude/w0/2026-07/{session}.turns.jsonl"

    def record_stamps(self) -> Mapping[str, str]:
        return {path: f"v{self.versions[path]}" for path in self.records}

    def record(self, path: str) -> Record | Problem:
        self.reads.append(path)
        return self.records[path]

    def turn_files(self) -> Iterator[TurnFile]:
        for path, turns in sorted(self.sessions.items()):
            yield TurnFile(path, "claude", "w0", sum(len(turn.text) + 1 for turn in turns), 0)

    def reached(self, new: Sequence[Turn]) -> list[Reached]:
        """What capture tells the index of turns that were just said."""
        told = []
        for file in self.turn_files():
            turns = [turn for turn in new if self.path(turn.session) == file.path]
            size = sum(len(turn.text) + 1 for turn in turns)
            if turns:
                told.append(Reached(file.path, file.size - size, file.size, turns[-1].seq))
        return told

    def turns(self, path: str, start: int = 0) -> Iterator[tuple[Turn, int] | Problem]:
        self.reads.append(path)
        end = 0
        for turn in self.sessions[path]:
            end += len(turn.text) + 1
            if end > start:
                yield turn, end

    def extract_stamps(self) -> Mapping[str, str]:
        return {sha: extract.stamp for sha, (_, extract) in self.extracts.items()}

    def extract(self, sha256: str) -> tuple[Exhibit, Extract] | None:
        return self.extracts.get(sha256)

    def text_of(self, pending: Pending) -> str | None:
        for record in self.records.values():
            if isinstance(record, Record) and record.id == pending.doc:
                return record.body[pending.start : pending.end]
        for turns in self.sessions.values():
            for turn in turns:
                if pending.doc == f"turn:claude/{turn.session}/{turn.turn}":
                    return turn.blocks[pending.block].text[pending.start : pending.end]
        return None


class Counting(hashing.HashingEmbedder):
    """The hashing embedder, which also counts the texts it was given."""

    def __init__(self, dims: int = 64) -> None:
        super().__init__(dims)
        self.given: list[str] = []

    def passages(self, texts):  # type: ignore[no-untyped-def]
        self.given += texts
        return super().passages(texts)


def all_of(record: Record) -> bool:
    return True


def content(index: Index) -> str:
    """Everything the index tells of itself, as one string: notes but for those of captures, and what it holds."""
    census, pending = index._opened().pending(10_000)
    return json.dumps(
        [dict(index.notes("")), [census.passages, census.documents, census.unembedded], [p.key for p in pending]],
        sort_keys=True,
    )


@pytest.fixture
def truth() -> Truth:
    return Truth()


@pytest.fixture
def model() -> Counting:
    return Counting()


@pytest.fixture
def open_index(tmp_path: Path, model: Counting) -> Iterator[Callable[..., Index]]:
    opened: list[Index] = []

    def opener(name: str = "memory", model: Counting | None = model, **more: object) -> Index:
        made = Index(
            tmp_path / name / ".index",
            embedded.make,
            (lambda: model) if model else None,
            tmp_path / "cache",
            **more,  # type: ignore[arg-type]
        )
        opened.append(made)
        return made

    yield opener
    for index in opened:
        index.close()


@pytest.fixture
def index(open_index: Callable[..., Index]) -> Index:
    return open_index()


@pytest.fixture
def described() -> Callable[[Index], str]:
    return content
