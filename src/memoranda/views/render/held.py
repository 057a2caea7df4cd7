"""What waits for a person, with everything in it made visible, and what a rescan found.

The code that a decision asks for stands somewhere within the shown text, so that nobody can give it without having
had the text before them.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from memoranda.model.record import Record
from memoranda.views.render.answer import DATA
from memoranda.views.render.words import age, count, day, origin
from memoranda.views.terminal import Page

if TYPE_CHECKING:
    from memoranda.memory.queue import HeldList, HeldRecord
    from memoranda.memory.rescan import Rescan

# Signs that a page lets pass because writing needs them, and that a reviewer must see all the same.
_JOINERS = re.compile("[\u200c\u200d\u180b-\u180f\u2800\uffa0\ufe00-\ufe0f]")


def visible(text: str) -> str:
    """The text with joiners and variation selectors written out; a page writes out every other unseen character."""
    return _JOINERS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def held(page: Page, found: HeldList, now: datetime, me: str) -> None:
    """Draw what waits, a group at a time."""
    if not found.total:
        page.line(("nothing waits ", "green"), " no record is held")
        return
    page.line((f"{count(found.total, 'record')} waiting", "bold"), f"  in {count(found.groups, 'group')}")
    if not page.person:
        page.line(DATA)
    inner = page.inner()
    for item in found.shown:
        inner.gap()
        waiting(inner, item, now)
    page.fenced(inner)
    if found.groups > len(found.shown):
        page.line((f"{found.groups - len(found.shown)} more groups wait", "yellow"))
        page.command(f"{me} held --limit {found.groups}", indent=2)
    page.gap()
    page.line(("a person decides, at a terminal:", "dim"))
    page.command(f"{me} release {found.shown[0].record.id}", indent=2)
    page.command(f"{me} reject {found.shown[0].record.id}", indent=2)


def waiting(page: Page, item: HeldRecord, now: datetime) -> None:
    """Draw one record that waits: its text first, then why, then what it would do."""
    record = item.record
    text(page, record, record.body, now, item.authority.word)
    page.line(("held because: ", "yellow"), ", ".join(item.reasons), indent=2)
    for note in item.unseen:
        page.line((note, "red"), indent=2)
    for old in item.replaces:
        page.line((f"would replace {old.id}: {old.headline[:200]}", "dim"), indent=2)
    if item.alike:
        page.line((f"and {count(len(item.alike), 'record')} much like it: {' '.join(item.alike[:5])}", "dim"), indent=2)


def text(page: Page, record: Record, body: str, now: datetime, authority: str) -> None:
    """Draw a record's exact text, or that text with a code in it."""
    page.line((record.id, "bold"), (f"  {authority}, {record.category}, {record.durability}", "dim"))
    page.quote(visible(body))
    page.line((f"{day(record.created)}, {age(record.created, now)}{page.dot}{origin(record)}", "dim"), indent=2)
    names = [*record.entities, *record.tags, *([record.scope] if record.scope else [])]
    if names:
        page.line(("about " + visible(", ".join(names)), "dim"), indent=2)


def rescan(page: Page, report: Rescan, me: str) -> None:
    """Draw what older rules let in, and what became of it."""
    for guess in report.guesses:
        page.line((f"{guess.place} ", "bold"), f"may hold a person's details: {', '.join(guess.rules)}")
    looked = f"{count(report.records, 'record')} and {count(report.turns, 'turn')} screened by other rules"
    if not report.found:
        page.line(("sound ", "green"), f" {looked}; the rules of today find nothing in them")
        return
    done = "repaired" if report.applied else "found"
    page.line((f"{done} ", "yellow"), f" {count(len(report.found), 'place')} in {looked}")
    for found in report.found:
        became = f"now {found.successor}" if found.successor else "nothing was left of it"
        became = "" if not report.applied or found.place.startswith("turn:") else f"; {became}"
        page.line(found.place, (f"  {found.rule}, let in by rules {found.screened}{became}", "dim"), indent=2)
    for found in report.in_history:
        page.line((f"{found.place} still stands in {count(found.commits, 'commit')} of this memory's git", "red"))
    if not report.applied:
        page.command(f"{me} rescan", indent=2)
    else:
        page.line(("change every credential that was found: copies and clones may still have it", "yellow"))
