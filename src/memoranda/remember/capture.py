"""The write line for histories: transcripts become turns.

    find → which changed? → read on → new turns → screen (redact) → truth (durable) → index, with the cursors

The last of these goes on beside the next step's screening and writing: the index works outside the interpreter for
half its time, and a disk is waited for.

What this file promises:

1. Turns are durable before the index or a cursor knows of them; a stop after any step is healed by the next capture.
2. Each turn of a session is kept once, by its id, and its seq counts the session's kept turns.
3. A history that has not changed is not opened, and then nothing heavy is loaded.
4. One bad history, reader or turn is a problem in the report and never stops the others.

It knows no agent's format: readers do.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Callable, Mapping, NamedTuple, Sequence

from memoranda.model.errors import Busy
from memoranda.model.index import Reached
from memoranda.model.problem import Problem
from memoranda.model.turn import BLOCK_TYPES, Turn
from memoranda.model.values import dataclass, field, replace
from memoranda.ports.protocols import Batch, Screener, Source, TranscriptReader
from memoranda.ports.reading import identifier
from memoranda.remember.beside import Beside
from memoranda.remember.known import Known, Months, grown, known
from memoranda.remember.sources import LAST, Found, cause, find
from memoranda.screen import redact, rules_of

if TYPE_CHECKING:
    from memoranda.index import Index
    from memoranda.truth.turns import TurnStore

FLUSH_BYTES = 6 << 20  # of text; more makes RSS grow, less costs a commit of the index more often
FLUSH_SOURCES = 500
NAMED_GONE = 20  # vanished histories that `status` can name; the rest are counted
#: With this much to read, the screeners load their rules (half a second) while the first of it is parsed.
WARM_BYTES = 1 << 20

_HARNESS = re.compile(r"[a-z0-9_-]{1,32}")

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class CaptureReport:
    """What a capture did.

    `turns` and `sessions` count what is new, `text_bytes` its text; `duplicates` turns that were kept already.
    Of `sources` found, `sources_unchanged` were not opened and `sources_pending` not reached in the time given;
    `sources_gone` were captured once and are no longer there (their turns are). `restarted` counts histories that
    were rewritten or cut since; `sources_refused` hold a strict format badly and nothing of them was kept. `skipped`
    counts records left out, by kind; `media` what was kept of media inside turns.
    """

    turns: int = 0
    sessions: int = 0
    duplicates: int = 0
    bytes_read: int = 0
    text_bytes: int = 0
    sources: int = 0
    sources_unchanged: int = 0
    sources_pending: int = 0
    sources_gone: int = 0
    restarted: int = 0
    sources_refused: int = 0
    media: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def capture(
    readers: Sequence[TranscriptReader],
    store: TurnStore,
    index: Index,
    screeners: Sequence[Screener],
    now: Callable[[], str],
    *,
    home: Path | None = None,
    variables: Mapping[str, str] | None = None,
    paths: Sequence[Path] = (),
    seconds: float | None = None,
    progress: Progress | None = None,
    clock: Callable[[], float] = time.monotonic,
    echoes: Callable[[Turn], Turn] = lambda turn: turn,
) -> CaptureReport:
    """Take in what is new in the histories of this machine, or in the files and folders named by `paths`.

    `now` gives the time of capture (UTC, ISO 8601), `seconds` bounds the work (checked between batches; at least one
    history is read). `progress` is told ("capture", bytes done, bytes to do). `echoes` marks the blocks of a turn that
    are our own words coming back. Raises what the store and the index
    raise (`Busy`, `Unavailable`): then everything that was acknowledged is kept and the next capture goes on.
    """
    end = None if seconds is None else clock() + seconds
    run = _Run(store, index, screeners, now, progress, echoes)
    due = run.due(
        find(readers, home, variables or {}, paths, run.problems, run.skipped),
        [reader.harness for reader in readers],
        whole=not paths,
    )
    due.reverse()
    while due:  # let go of one by one: there may be a hundred thousand
        reader, source = due.pop()
        run.read(reader, source, lambda: end is not None and clock() >= end)
        if due and end is not None and clock() >= end:
            run.pending += len(due)
            break
    run.flush()
    run.settle()
    return run.finish()


class _Step(NamedTuple):
    """What is durable and not yet in the index."""

    turns: Sequence[Turn]
    reached: Sequence[Reached]
    notes: Mapping[str, str | None]


class _Run:
    """One capture under way: what is held back for the next flush, and what has been counted."""

    def __init__(
        self,
        store: TurnStore,
        index: Index,
        screeners: Sequence[Screener],
        now: Callable[[], str],
        progress: Progress | None,
        echoes: Callable[[Turn], Turn],
    ) -> None:
        self._echoes = echoes
        self._store, self._index, self._screeners, self._now = store, index, screeners, now
        self._progress = progress or (lambda what, done, total: None)
        self.problems: list[Problem] = []
        self.skipped: Counter[str] = Counter()
        self.pending = 0
        self._counts: Counter[str] = Counter()
        self._sessions: set[int] = set()  # hashes: only their number is told
        self._done = self._total = 0
        self._held: list[Turn] = []
        self._held_bytes = self._held_sources = 0
        self._notes: dict[str, str | None] = {}
        self._whole, self._gone = True, list[str]()
        self._beside, self._warm = Beside(), False
        self._step: _Step | None = None
        self._ahead: Mapping[tuple[str, str], Known] = {}  # the sessions of that step, of which the index knows less

    def due(self, found: Sequence[Found], harnesses: Sequence[str], whole: bool) -> list[Found]:
        """Those that changed since they were read to their end: main sessions first, then the newest.

        `whole` says that `found` is all there is on this machine, so that what is missing is gone.
        """
        stamps: dict[str, str] = {}
        for harness in harnesses:
            stamps.update(self._index.notes(f"cursor/{harness}/"))
        each = {(source.harness, source.key): (reader, source) for reader, source in found}
        due = [pair for pair in each.values() if stamps.get(_name("cursor", pair[1])) != pair[1].stamp]
        due.sort(key=lambda pair: pair[1].key)  # one after the other: no tuple for each of a hundred thousand
        due.sort(key=lambda pair: -pair[1].mtime)
        due.sort(key=lambda pair: pair[1].priority)
        self._counts["sources"], self._counts["unchanged"] = len(each), len(each) - len(due)
        self._whole = whole
        known = (name.split("/", 2)[1:] for name in stamps) if whole else ()
        self._gone = sorted(key for harness, key in known if (harness, key) not in each)
        self._total = sum(source.size for _, source in due)
        return due

    def read(self, reader: TranscriptReader, source: Source, over: Callable[[], bool]) -> None:
        """Read one history on from where it was left, holding its turns for the next flush."""
        name, done = _name("resume", source), self._done
        batches = iter(reader.read(source, self._index.notes(name).get(name)))
        while True:
            try:
                batch = next(batches, None)
            except Exception as error:  # a plug-in may fail in any way
                self.problems.append(Problem(source.key, f"could not be read on: {cause(error)}"))
                break
            if batch is None:
                self._notes[_name("cursor", source)] = source.stamp
                break
            self._hold(source, batch)
            self._progress("capture", self._done, self._total)
            if over():
                self.pending += 1  # its cursor stands where it was left; its stamp is not noted
                break
        self._done = done + source.size
        self._held_sources += 1
        if self._held_sources >= FLUSH_SOURCES:
            self.flush()

    def _hold(self, source: Source, batch: Batch) -> None:
        for turn in batch.turns:
            flaw = flaw_of(turn)
            if flaw:
                self.problems.append(Problem(source.key, f"a turn was left out: {flaw}", "its reader has a fault"))
                self.skipped["turn out of form"] += 1
                continue
            if not self._warm:
                self._warm_up()
            self._held.append(turn)
            self._held_bytes += sum(len(block.text) for block in turn.blocks)
        self._notes[_name("resume", source)] = batch.cursor
        self._counts["read"] += batch.bytes_read
        self._counts["restarted"] += batch.restarted
        self._counts["refused"] += batch.refused
        self._done += batch.bytes_read
        self.skipped.update(batch.skipped or {})
        self.problems.extend(batch.problems)
        if self._held_bytes >= FLUSH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Make what is held durable; what was made durable before it is known to the index then, with its cursors."""
        held, notes = self._held, self._notes
        self._held, self._notes, self._held_bytes, self._held_sources = [], {}, 0, 0
        if not notes:
            return
        if not held:  # nothing was said: the cursors move on, and no screener need be loaded
            self.settle()
            self._index.add_turns([], [], notes)
            return
        while True:  # again only when another capture wrote to one of these sessions meanwhile
            sessions, new = self._admit(held)
            self._beside.start(self.settle)
            try:  # neither screening nor writing turns asks the index anything
                screened = redact(new, self._screeners)
                with self._store.lock.hold():
                    months = cache(self._store.months)
                    if all(session.holds(self._store, months) for session in sessions.values()):
                        files = self._store.append(screened) if screened else []
                        break
            finally:
                self._beside.wait()
            self._ahead = {}
        reached = grown(sessions.values(), files)
        notes.update({session.name: session.note() for session in sessions.values()})
        kept = [item.value for item in screened]
        self._step = _Step([*(t for one in sessions.values() for t in one.unindexed), *kept], reached, notes)
        for session in sessions.values():
            session.unindexed = []
        self._ahead = sessions
        self._counts["turns"] += len(kept)
        self._counts["duplicates"] += len(held) - len(new)
        self._counts["text"] += sum(_size(block.text) for turn in kept for block in turn.blocks)
        self._sessions.update(hash((turn.harness, turn.session)) for turn in kept)

    def settle(self) -> None:
        """Tell the index what it does not know yet."""
        step, self._step = self._step, None
        if step is not None:
            self._index.add_turns(*step)

    def _warm_up(self) -> None:
        """Have the screeners load what they need, once, if there is enough to read for it to be worth a thread."""

        def load() -> None:
            with suppress(Exception):  # what fails here fails again, and is told, when a turn is looked at
                for screener in self._screeners:
                    screener.look([])

        self._warm = True
        if self._total >= WARM_BYTES:
            self._beside.start(load)

    def _admit(self, turns: Sequence[Turn]) -> tuple[dict[tuple[str, str], Known], list[Turn]]:
        """What is known of each session, and the turns that are new, each with its seq and the time of capture."""
        sessions: dict[tuple[str, str], Known] = {}
        new, captured, rules = [], self._now(), rules_of(self._screeners)
        months: Months = cache(self._store.months)
        for turn in turns:
            key = (turn.harness, turn.session)
            if key not in sessions:
                ahead = self._ahead.get(key)
                current = ahead is not None and ahead.holds(self._store, months)
                sessions[key] = ahead if ahead and current else known(self._store, self._index, *key, months)
            seq = sessions[key].admit(turn.turn)
            if seq is not None:
                new.append(replace(self._echoes(turn), seq=seq, captured=captured, screened=rules))
        return sessions, new

    def finish(self) -> CaptureReport:
        """Leave word of this capture for `status`, and report."""
        counts = self._counts
        with suppress(Busy):  # only the word of it is lost
            self._index.put_notes({LAST: self._last()})
        return CaptureReport(
            turns=counts["turns"],
            sessions=len(self._sessions),
            duplicates=counts["duplicates"],
            bytes_read=counts["read"],
            text_bytes=counts["text"],
            sources=counts["sources"],
            sources_unchanged=counts["unchanged"],
            sources_pending=self.pending,
            sources_gone=len(self._gone),
            restarted=counts["restarted"],
            sources_refused=counts["refused"],
            skipped=dict(sorted(self.skipped.items())),
            problems=tuple(self.problems),
        )

    def _last(self) -> str:
        """What this capture says of itself. One of named files knows nothing of the others: their word stays."""
        last: dict[str, object] = {"ts": self._now(), "pending": self.pending}
        if self._whole:
            last |= {"sources": self._counts["sources"], "gone": len(self._gone), "left": self._gone[:NAMED_GONE]}
        else:
            with suppress(ValueError, TypeError):
                before = json.loads(self._index.notes(LAST).get(LAST, "{}"))
                last = {**before, **last, "pending": self.pending or before.get("pending", 0)}
        return json.dumps(last, separators=(",", ":"))


def flaw_of(turn: Turn) -> str:
    """What keeps a turn from being stored, "" when nothing does. Readers come from anywhere."""
    if not _HARNESS.fullmatch(turn.harness):
        return "its harness is no short name"
    if not identifier(turn.session) or not identifier(turn.turn):
        return "its session or id cannot stand in a locator"
    if not turn.role or not turn.blocks:
        return "it has no role or no blocks"
    return "" if all(block.type in BLOCK_TYPES for block in turn.blocks) else "a block is of no known type"


def _name(kind: str, source: Source) -> str:
    return f"{kind}/{source.harness}/{source.key}"


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
