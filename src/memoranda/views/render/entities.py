"""What records are about: the list of names, and all that is known of one."""

from __future__ import annotations

import shlex
from datetime import datetime
from typing import TYPE_CHECKING

from memoranda.views.render.answer import DATA
from memoranda.views.render.records import record_lines
from memoranda.views.render.words import count, day
from memoranda.views.terminal import Page

if TYPE_CHECKING:
    from memoranda.memory.entities import EntitiesPage, EntityView


def entities(page: Page, found: EntitiesPage, me: str) -> None:
    """Draw a page of names."""
    if not found.entities:
        page.line("no record names anything yet")
        page.command(f"{me} remember --entity NAME 'what is so'", indent=2)
        return
    inner = page.inner()
    for entity in found.entities:
        also = f" = {', '.join(name for name in entity.also if name != entity.name)}" if entity.also else ""
        told = "" if entity.declared else f"{page.dot}found in the text"
        inner.quote(
            f"{entity.name}{also}{page.dot}{count(entity.records, 'record')}{page.dot}{day(entity.newest)}{told}"
        )
    page.fenced(inner)
    page.gap()
    last = found.offset + len(found.entities)
    page.line((f"names {found.offset + 1}-{last} of {found.total:,}", "dim"))
    page.command(f"{me} entities {shlex.quote(found.entities[0].name)}")
    if found.next is not None:
        page.command(f"{me} entities --offset {found.next}")


def about(page: Page, found: EntityView, now: datetime, me: str) -> None:
    """Draw every record about one thing, and why its names are one."""
    if not page.person:
        page.line(DATA)
    inner = page.inner()
    inner.quote(found.name + (f" = {', '.join(found.also)}" if found.also else ""))
    for one in found.about:
        inner.gap()
        how = "" if one.declared else f"named in the text{page.dot}"
        record_lines(inner, one.record, now, f"{one.state}{page.dot}{one.authority.word}{page.dot}{how}")
    page.fenced(inner)
    page.gap()
    page.line((f"{len(found.about)} of {count(found.total, 'record')}", "dim"))
    for id in found.joined:
        page.line((f"its names are joined by {id}", "dim"))
    for id in found.apart:
        page.line((f"{id} would join a name, but its word is not taken for that", "yellow"))
    if len(found.about) < found.total:
        page.command(f"{me} entities --limit {found.total} {shlex.quote(found.name)}")
    page.command(f"{me} recall {shlex.quote(found.name)}")
