"""What the SDK returns besides outcomes and answers: frozen values, the same at every door."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Mapping

from memoranda.model.event import Event
from memoranda.model.locator import TurnLocator
from memoranda.model.query import IndexState, Side, Verdict
from memoranda.model.record import Authority, Record
from memoranda.model.turn import Turn
from memoranda.model.values import dataclass, field
from memoranda.truth.past import Change

if TYPE_CHECKING:
    from memoranda.memory.receipts import Receipt


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
    """One record's anchors, each looked at now. `due` says why it was to be verified, "" when nothing spoke for it;
    `settled` that this doubt ended with this look; `sides` show the old source beside the new one for anchors into
    files that changed or are gone."""

    record: Record
    verdicts: tuple[Verdict, ...]
    settled: bool = False
    sides: tuple[Side, ...] = ()
    due: str = ""

    @property
    def stale(self) -> bool:
        return any(v.state in ("changed", "gone") for v in self.verdicts)


@dataclass(frozen=True, slots=True)
class Status:
    """How a memory stands, from what is already known: no history is walked and nothing remote is asked.

    `categories` counts active records; `turns` and `sessions` what was captured; `last_capture` is "" before the
    first one; `sources_pending` counts histories it had no time for, `sources_gone` those that had vanished by then, of
    which `gone` names the first twenty; `next` are commands worth running.
    `connected` says of each agent that is wired what its user agreed to (core, recall, rules); `contexts` say what was
    put into sessions unasked, the newest first: agent, session, tokens, times, at (UTC). `pushed` are the receipts of
    what was published from this machine, `address` is where a memory lies that somebody published.
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
    connected: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    contexts: tuple[Mapping[str, str | int], ...] = ()
    sources_pending: int = 0
    gone: tuple[str, ...] = ()
    pushed: tuple[Receipt, ...] = ()
    address: str = ""


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """One captured session. `title` is the agent's own, "" for none; `opening` the first words a person said in it.

    `began` and `ended` are the times of its first and last turn ("" when the history has none), `repos` the names of
    the repository around its folder, `parent` the session that started it or that it goes on from.
    """

    harness: str
    session: str
    title: str
    opening: str
    began: str
    ended: str
    turns: int
    cwd: str
    branch: str
    repos: tuple[str, ...] = ()
    parent: str | None = None

    @property
    def locator(self) -> str:
        """Where its first turn is read."""
        return str(TurnLocator(self.harness, self.session, seq=0))


@dataclass(frozen=True, slots=True)
class SessionsPage:
    """Sessions, newest first, from `offset` on; `total` match, `next` is the offset to go on from, None at the end."""

    sessions: tuple[SessionEntry, ...]
    total: int
    offset: int
    next: int | None


@dataclass(frozen=True, slots=True)
class ScanHit:
    """One place where the words stand: span `start`..`end` (code points) of block `block`, with what is around it."""

    locator: str
    seq: int
    turn: str
    ts: str
    role: str
    type: str
    block: int
    start: int
    end: int
    before: str
    match: str
    after: str


@dataclass(frozen=True, slots=True)
class ScanView:
    """Every place where a text stands in the turns `first`..`last` of a session, and nothing else.

    `characters` of `blocks` blocks in `turns` turns were looked at; `redacted` pieces had been cut out before they were
    stored, and what stood there cannot be found. `next` is the seq to go on from when there were more hits than asked.
    """

    harness: str
    session: str
    needle: str
    hits: tuple[ScanHit, ...]
    first: int
    last: int
    total: int
    turns: int
    blocks: int
    characters: int
    redacted: int
    next: int | None = None


@dataclass(frozen=True, slots=True)
class SketchUnit:
    """A block chosen for a sketch: `text` is its beginning, `length` what it is long, `same` how often it stands."""

    locator: str
    seq: int
    ts: str
    role: str
    type: str
    text: str
    length: int
    same: int


@dataclass(frozen=True, slots=True)
class SketchView:
    """A sample of a session in reading order. It proves nothing absent: `left_out` blocks are not shown at all,
    `shortened` of the shown ones only in part, and `repeated` blocks stand for one that is the same."""

    harness: str
    session: str
    units: tuple[SketchUnit, ...]
    turns: int
    blocks: int
    left_out: int
    repeated: int
    shortened: int
    characters: int
