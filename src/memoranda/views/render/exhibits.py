"""Evidence on a page: what is kept, what was read in it, what was opened, what is asked before it goes."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Sequence

from memoranda.model.outcome import Refused
from memoranda.views.render.words import count, size, span
from memoranda.views.terminal import Page

if TYPE_CHECKING:
    from memoranda.memory.exhibits import ExhibitView, Opened
    from memoranda.memory.retention import Drops
    from memoranda.model.evidence import Exhibit
    from memoranda.remember.exhibit import Kept

_SHORT = 12  # hex digits of a hash that are shown


def taken(page: Page, result: Kept | Refused, me: str) -> None:
    """What became of one file."""
    if isinstance(result, Refused):
        page.line(("refused ", "red"), " " + result.message)
        if result.hint:
            page.line((result.hint, "dim"), indent=2)
        return
    exhibit = result.exhibit
    page.line((f"{result.word} ", "green"), f" {exhibit.name}", (f"  {_facts(exhibit)}", "dim"))
    page.line((f"evidence:sha256:{exhibit.sha256}", "dim"), indent=2)
    if not result.known:
        page.line((f"{count(result.segments, 'piece')} of text; {_kept(exhibit)}", "dim"), indent=2)
    if result.fences and not any(fence.startswith("landlock") for fence in result.fences):
        page.line((f"read behind fewer fences than usual: {', '.join(result.fences)}", "yellow"), indent=2)
    for note in result.notes[:5]:
        page.line((f"note: {note}", "yellow"), indent=2)
    page.command(f"{me} evidence show sha256:{exhibit.sha256[:_SHORT]}", indent=2)


def shelf(page: Page, views: Sequence[ExhibitView], me: str) -> None:
    """All exhibits, newest first."""
    if not views:
        page.line(("There is no evidence", "bold"), " in this memory.")
        page.command(f"{me} evidence add FILE")
        return
    for view in views:
        exhibit = view.exhibit
        page.line((f"sha256:{exhibit.sha256[:_SHORT]}", "bold"), f"  {exhibit.name}", (f"  {_facts(exhibit)}", "dim"))
        page.line((_stands(view), "dim" if view.present else "yellow"), indent=2)
    if any(view.present and not view.extracted for view in views):
        page.command(f"{me} evidence extract")


def exhibit(page: Page, view: ExhibitView, me: str) -> None:
    """One exhibit and what was read in it."""
    found = view.exhibit
    page.line((found.name, "bold"), (f"  {_facts(found)}", "dim"))
    page.line((view.locator, "dim"), indent=2)
    page.line((f"origin {found.origin}; taken in {found.created}; {_kept(found)}; {_stands(view)}", "dim"), indent=2)
    for note in view.notes[:20]:
        page.line((f"note: {note}", "yellow"), indent=2)
    inner = page.inner()
    for passage in view.passages:
        inner.gap()
        inner.line((passage.locator.partition("#")[2] or "whole", "cyan"))
        inner.quote(passage.text)
    if view.passages:
        page.fenced(inner)
        page.command(f"{me} open {shlex.quote(view.passages[0].locator)}")


def opened(page: Page, made: Opened) -> None:
    """The file that was written, and the words in it."""
    page.line(("opened ", "green"), f" {made.path}")
    facts = ", ".join(f"{key} {value}" for key, value in made.facts)
    page.line((f"{made.media_type}; {facts}" if facts else made.media_type, "dim"), indent=2)
    page.line((f"{made.locator} of {made.exhibit.name}", "dim"), indent=2)
    if made.text:
        inner = page.inner()
        inner.quote(made.text)
        page.fenced(inner)


def drops(page: Page, done: Drops, me: str) -> None:
    """What is gone, and what is asked."""
    for exhibit in done.dropped:
        page.line(("dropped ", "green"), f" {exhibit.name}", (f"  sha256:{exhibit.sha256[:_SHORT]}", "dim"))
    for question in done.asked:
        exhibit = question.exhibit
        page.line(("not dropped ", "yellow"), f" {exhibit.name}: {count(len(question.records), 'record')} rest on it")
        for id in question.records[:20]:
            page.command(f"{me} history {id}", indent=2)
        page.command(f"{me} evidence drop sha256:{exhibit.sha256[:_SHORT]} --relied", indent=2)
    if not done.dropped and not done.asked:
        page.line("Nothing is over.")


def counted(page: Page, what: str, number: int) -> None:
    page.line((f"{what} ", "green"), f" {count(number, 'exhibit')}")


def _facts(exhibit: Exhibit) -> str:
    extent = exhibit.extent
    parts = [exhibit.media_type, size(exhibit.size)]
    parts += [span(extent.micros / 1e6)] if extent.micros else []
    parts += [f"{extent.width} x {extent.height}"] if extent.width else []
    parts += [count(len(extent.pages), "page")] if extent.pages else []
    return ", ".join(parts)


def _kept(exhibit: Exhibit) -> str:
    return f"kept until {exhibit.until}" if exhibit.until else f"retention {exhibit.retention}"


def _stands(view: ExhibitView) -> str:
    if not view.present:
        return f"its bytes are gone: {view.farewell}"
    parts = ["searchable" if view.extracted else "to be read again"]
    parts += [f"{count(len(view.records), 'record')} rest on it"] if view.records else []
    return "; ".join(parts)
