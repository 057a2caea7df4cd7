"""Records and turns one by one: outcomes, histories, verdicts, and the words around a place."""

from __future__ import annotations

import shlex
from datetime import datetime
from typing import TYPE_CHECKING, Sequence

from memoranda.model.outcome import Held, Known, Outcome, Refused, Stored
from memoranda.model.query import Side
from memoranda.model.record import Record
from memoranda.views.render.answer import DATA
from memoranda.views.render.words import age, count, day, origin, word
from memoranda.views.terminal import Page

if TYPE_CHECKING:
    from memoranda.memory.pruning import Pruned
    from memoranda.memory.results import HistoryEntry, RecordVerdicts, TurnsView

_VERDICT = {
    "fresh": "green",
    "moved": "yellow",
    "changed": "red",
    "gone": "red",
    "unknown": "yellow",
    "redacted": "red",
}


def outcome(page: Page, result: Outcome, me: str, again: str) -> None:
    """Draw what the door decided. `again` is the command with its options but without its text, to try again with."""
    match result:
        case Stored(record=kept):
            page.line(("stored ", "green"), kept.id, (f"  {_grade(kept)}", "dim"))
            page.quote(kept.body)
            _plain_line(page, "file: " + kept.path)
            _plain_line(page, "because: " + ", ".join(result.reasons) if result.reasons else "")
            page.command(f"{me} history {kept.id}", indent=2)
        case Known(record=kept):
            page.line(
                ("known ", "yellow"), kept.id, ("  the same statement is already kept; nothing was written", "dim")
            )
            page.quote(kept.body)
            page.command(f"{me} history {kept.id}", indent=2)
        case Held(record=kept):
            page.line(("held ", "yellow"), kept.id, ("  kept without effect until a person releases it", "dim"))
            page.quote(kept.body)
            _plain_line(page, "because: " + ", ".join(result.reasons))
            page.command(f"{me} history {kept.id}", indent=2)
        case Refused():
            page.line(("refused ", "red"), f" {result.message.removeprefix('refused: ')}; nothing was written")
            for finding in result.findings:
                where = f", seen as {finding.view}" if finding.view else ""
                _plain_line(
                    page, f"rule {finding.rule} ({finding.layer}{where}), characters {finding.start} to {finding.end}"
                )
            _plain_line(page, result.hint)
            for text in result.proposed:
                page.command(f"{again} {shlex.quote(text)}", indent=2)
    if not isinstance(result, Refused):
        for notice in result.notices:
            page.line((notice, "yellow"))


def record(page: Page, shown: Record, now: datetime, me: str) -> None:
    """Draw one record as it stands."""
    inner = page.inner()
    record_lines(inner, shown, now)
    if not page.person:
        page.line(DATA)
    page.fenced(inner)
    page.command(f"{me} history {shown.id}", indent=2)


def history(page: Page, chain: Sequence[HistoryEntry], now: datetime) -> None:
    """Draw a chain of records, newest first, with what happened to each."""
    if not page.person:
        page.line(DATA)
    inner = page.inner()
    for entry in chain:
        inner.gap()
        record_lines(inner, entry.record, now, f"{entry.state}{page.dot}{entry.authority.word}{page.dot}")
        if entry.successors:
            inner.line((f"replaced by {' '.join(entry.successors)}", "dim"), indent=2)
        for event in entry.events:
            by = f" by {event.principal}" if event.principal else ""
            cause = f": {event.cause}" if event.cause else ""
            inner.line((f"{event.ts}  {event.kind}{by}{cause}", "dim"), indent=2)
    page.fenced(inner)


def verdicts(page: Page, results: Sequence[RecordVerdicts], me: str) -> None:
    """Draw what became of every anchor."""
    anchored = [result for result in results if result.verdicts]
    counts: dict[str, int] = {}
    for result in anchored:
        for verdict in result.verdicts:
            counts[verdict.state] = counts.get(verdict.state, 0) + 1
    summary = ", ".join(f"{n} {state}" for state, n in sorted(counts.items())) or "no record has an anchor"
    page.line(("checked ", "bold"), f"{sum(counts.values())} anchors of {len(anchored)} records: {summary}")
    inner = page.inner()
    for result in anchored:
        inner.gap()
        inner.line((result.record.id, "bold"), f"  {result.record.headline[:200]}")
        if result.due:
            inner.line((f"due: {result.due}", "yellow"), indent=2)
        for verdict in result.verdicts:
            place = verdict.anchor.partition("@sha256:")[0]
            inner.line(
                (f"{verdict.state:<9}", _VERDICT.get(verdict.state, "")),
                place,
                (f"  {verdict.reason}", "dim"),
                indent=2,
            )
            for side in result.sides:
                if side.anchor == verdict.anchor:
                    _beside(inner, side)
    loose = [result for result in results if result.due and not result.verdicts and not result.settled]
    for result in loose:
        inner.gap()
        inner.line((result.record.id, "bold"), f"  {result.record.headline[:200]}")
        inner.line((f"due: {result.due}; it rests on nothing that can be looked at", "yellow"), indent=2)
    if inner.lines:
        if not page.person:
            page.line(DATA)
        page.fenced(inner)
    for result in results:
        if result.settled:
            page.line(("verified ", "green"), f"{result.record.id}: what was in doubt is settled by an event")
    for result in loose[:10]:
        page.line((f"{result.record.id} waits for a person who confirms it", "yellow"))
        page.command(f"{me} verify {result.record.id}", indent=2)
    broken = [r.record.id for r in anchored if any(v.state in ("changed", "gone", "redacted") for v in r.verdicts)]
    for id in broken[:10]:
        page.line((f"{id} no longer rests on what it was taken from: read it, then keep what is true now", "yellow"))
        page.command(f'{me} remember "…" --supersedes {id}', indent=2)


def _beside(page: Page, side: Side) -> None:
    """The old source, then the new one, each line of it behind a bar."""
    cut = ", only the beginning" if side.longer else ""
    if side.before:
        page.line((f"it read, in {side.source}{cut}:", "dim"), indent=4)
        page.quote(side.before, "red", indent=6)
    else:
        page.line(("what it read is not in git", "dim"), indent=4)
    if side.after:
        page.line((f"now, at {side.place}{cut}:", "dim"), indent=4)
        page.quote(side.after, "green", indent=6)
    else:
        page.line(("nothing stands there now", "dim"), indent=4)


def turns(page: Page, view: TurnsView, me: str) -> None:
    """Draw a stretch of a session, its words exact but for escapes."""
    first, last = (view.turns[0].seq, view.turns[-1].seq) if view.turns else ("-", "-")
    page.line((f"{view.harness} session {view.session}", "bold"), f"  turns {first} to {last} of {view.total}")
    if not page.person:
        page.line(DATA)
    inner = page.inner()
    for turn in view.turns:
        inner.gap()
        flags = f" flags={word(','.join(turn.flags))}" if turn.flags else ""
        if page.person:
            inner.line(
                (f"{turn.seq}  ", "dim"),
                (turn.role, "bold"),
                (f"  {turn.ts or 'no date'}  turn {turn.turn}{flags}", "dim"),
            )
        else:
            inner.line(
                f"[turn {turn.seq}] {word(turn.ts or 'no-date')} role={word(turn.role)} turn={word(turn.turn)}{flags}"
            )
        for block in turn.blocks:
            kind = "item" if block.form else block.type
            if kind != "text":
                inner.line((f"({kind}{' ' + block.tool if block.tool else ''})", "dim"), indent=2 if page.person else 0)
            inner.quote(block.text, "dim" if kind != "text" else "")
    page.fenced(inner)
    if view.shortened:
        page.line(("the size limit ended this stretch early", "yellow"))
    if view.next:
        page.gap()
        page.line(("more:", "dim"))
        page.command(f"{me} get {shlex.quote(str(view.next))}")


def record_lines(page: Page, shown: Record, now: datetime, standing: str = "") -> None:
    page.line((shown.id, "bold"), (f"  {standing}{_grade(shown)}", "dim"))
    page.quote(shown.body)
    when = f"{day(shown.created)}, {age(shown.created, now)}" if page.person else shown.created
    page.line((f"{when}{page.dot}{origin(shown)}", "dim"), indent=2)
    for anchor in shown.anchors:
        page.line((f"rests on {anchor.partition('@sha256:')[0]}", "dim"), indent=2)
    if shown.supersedes:
        page.line((f"replaces {' '.join(shown.supersedes)}", "dim"), indent=2)
    if not shown.intact:
        page.line(("edited by hand since it was written: unverified", "red"), indent=2)
    page.line((f"file {shown.path}", "dim"), indent=2)


def pruned(page: Page, found: Pruned, now: datetime, further: str) -> None:
    """Draw what a filter found, or what was retired by it."""
    inner = page.inner()
    for one in found.found:
        inner.gap()
        record_lines(inner, one.record, now, f"{one.why}{page.dot}")
    if found.found:
        page.fenced(inner)
        page.gap()
    if found.done:
        page.line(("retired ", "green"), f" {count(len(found.found), 'record')}; their files stay")
    elif found.found:
        page.line(f"{count(len(found.found), 'record')} would be retired; nothing was changed")
        page.command(further, indent=2)
    else:
        page.line("nothing fits")
    if found.kept:
        ids = " ".join(one.record.id for one in found.kept[:20])
        page.line((f"{count(len(found.kept), 'record')} more weigh more than this door, and stay: {ids}", "yellow"))


def _grade(shown: Record) -> str:
    core = ", core" if shown.core else ""
    return f"{shown.category}, {shown.durability}, {shown.confidence} confidence{core}"


def _plain_line(page: Page, text: str) -> None:
    if text:
        page.line((text, "dim"), indent=2)
