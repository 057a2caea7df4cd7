"""What the SDK returns besides outcomes and answers: frozen values, the same at every door."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Mapping

from memoranda.model.event import Event
from memoranda.model.query import IndexState, Verdict
from memoranda.model.record import Authority, Record
from memoranda.model.turn import Turn
from memoranda.truth.past import Change


@dataclass(frozen=True, slots=True)
class TurnsView:
    """Turns of one session in order of `seq`, exact text. `next` is the locator to go on from, None at the end.

    `total` counts the session's turns as far as they are captured; `shortened` says that the size ceiling ended the
    range early (never inside a turn). `asked` is the seq of the turn that was named.
    """

    harness: str
    session: str
    turns: tuple[Turn, ...]
    asked: int
    total: int
    next: str | None = None
    shortened: bool = False


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One record of a chain: what it is now (current, superseded, held, retired, contested) and what happened to it."""

    record: Record
    state: str
    authority: Authority
    successors: tuple[str, ...]
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Blame:
    """Who wrote a record: its header and its events say so, and `changes`, newest first, where git knows its file."""

    record: Record
    authority: Authority
    events: tuple[Event, ...]
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class RecordVerdicts:
    """One record's anchors, each looked at now."""

    record: Record
    verdicts: tuple[Verdict, ...]

    @property
    def stale(self) -> bool:
        return any(v.state in ("changed", "gone") for v in self.verdicts)


@dataclass(frozen=True, slots=True)
class Status:
    """How a memory stands, from what is already known: no history is walked and nothing remote is asked.

    `categories` counts active records; `turns` and `sessions` what was captured; `last_capture` is "" before the
    first one; `sources_gone` counts histories that had vanished by then; `next` are commands worth running.
    """

    root: Path
    kind: str
    own: bool
    records: int
    categories: Mapping[str, int]
    superseded: int
    transient: int
    held: int
    foreign: int
    sessions: int
    turns: int
    harnesses: Mapping[str, int]
    index: IndexState
    problems: int
    last_capture: str
    sources_gone: int
    readers: tuple[str, ...]
    next: tuple[str, ...]
