"""What a memory learnt, changed and lost, and who wrote a record."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from memoranda.model.record import Record
from memoranda.views.render.answer import DATA
from memoranda.views.render.words import age, origin
from memoranda.views.terminal import Page

if TYPE_CHECKING:
    from memoranda.memory.diff import Diff
    from memoranda.memory.results import Blame


def diff(page: Page, found: Diff, me: str) -> None:
    """Draw a difference, section by section; what is empty is left out."""
    sections = (
        (len(found.learnt), "learnt"),
        (len(found.changed), "changed"),
        (len(found.lost), "lost"),
        (len(found.regained), "regained"),
        (len(found.gone), "deleted"),
    )
    said = ", ".join(f"{n} {word}" for n, word in sections if n) or "nothing differs"
    page.line((f"from {_point(found.since, found.commits[0])} to {_point(found.until, found.commits[1])}", "bold"))
    page.line(said)
    inner = page.inner()
    for record in found.learnt:
        _row(inner, "+", "green", record)
    for old, new in found.changed:
        _row(inner, "-", "red", old)
        _row(inner, "+", "green", new, f"replaces {old.id}")
    for ground in found.lost:
        _row(inner, "-", "red", ground.record, ground.reason)
    for ground in found.regained:
        _row(inner, "+", "green", ground.record, ground.reason)
    for path in found.gone:
        inner.line(("- ", "red"), f"{path}  its file was deleted")
    if not inner.lines:
        return
    if not page.person:
        page.line(DATA)
    page.fenced(inner)
    if found.gone:
        page.command(f"{me} check", indent=2)


def blame(page: Page, found: Blame, now: datetime) -> None:
    """Draw who wrote a record: header, events, commits."""
    record = found.record
    page.line((record.id, "bold"), f"  {record.path}")
    page.line(f"written {record.created}, {age(record.created, now)}, through {origin(record)}", indent=2)
    page.line((f"authority {found.authority.word}", "dim"), indent=2)
    inner = page.inner()
    for event in found.events:
        by = f" by {event.principal}" if event.principal else ""
        inner.line((f"{event.ts}  {event.kind}{by}{f': {event.cause}' if event.cause else ''}", "dim"), indent=2)
    for change in found.changes:
        inner.line(
            (f"{change.ts}  ", "dim"),
            f"{change.what} in {change.commit[:12]} by {change.author}: {change.message}",
            indent=2,
        )
    if inner.lines:
        if not page.person:
            page.line(DATA)
        page.fenced(inner)
    if not found.changes:
        page.line(("no commit of a git repository touched its file", "dim"), indent=2)


def _point(at: str, commit: str) -> str:
    return f"{commit[:12]} ({at})" if commit else at


def _row(page: Page, sign: str, colour: str, record: Record, why: str = "") -> None:
    page.line((f"{sign} ", colour), (record.id, "bold"), f"  {record.headline[:200]}")
    about = f"{record.created[:10]}{page.dot}{record.category}{page.dot}{record.channel.value}"
    page.line((f"{about}{page.dot}{why}" if why else about, "dim"), indent=4)
