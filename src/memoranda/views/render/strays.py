"""Files to adopt, and what became of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from memoranda.model.outcome import Refused
from memoranda.views.render.answer import DATA
from memoranda.views.terminal import Page

if TYPE_CHECKING:
    from memoranda.memory.adopt import Adopted
    from memoranda.memory.strays import Stray

_KINDS = {
    "dropped": "a Markdown file without a header",
    "headed": "a file with another tool's header",
    "edited": "a record that was edited by hand",
    "deleted": "a record whose file was deleted",
}


def strays(page: Page, found: Sequence[Stray], me: str) -> None:
    """Draw what could be adopted: the diff of an edit, the statements of anything else."""
    if not found:
        page.line(("nothing to adopt ", "green"), " every file is as this memory wrote it")
        return
    if not page.person:
        page.line(DATA)
    inner = page.inner()
    for stray in found:
        inner.gap()
        inner.line((stray.path, "bold"), f"  {_KINDS[stray.kind]}")
        if stray.diff:
            inner.quote(stray.diff)
        else:
            for text in filter(None, stray.texts):
                inner.quote(text)
        if stray.why_not:
            inner.line((f"cannot be adopted as it is: {stray.why_not}", "yellow"), indent=2)
        if stray.hint:
            inner.line((stray.hint, "dim"), indent=2)
    page.fenced(inner)
    if not page.person:
        page.command(f"{me} adopt", indent=2)


def adopted(page: Page, done: Sequence[Adopted], me: str) -> None:
    """Draw what became of each file."""
    if not done:
        page.line("nothing was adopted")
        return
    for one in done:
        page.line((one.stray.path, "bold"))
        if one.noted:
            page.line("noted: it was meant to be deleted", indent=2)
        for outcome in one.outcomes:
            if isinstance(outcome, Refused):
                page.line(("refused ", "red"), f" {outcome.message}", indent=2)
                if outcome.hint:
                    page.line((outcome.hint, "dim"), indent=2)
                continue
            page.line((f"{outcome.word} ", "green"), f" {outcome.record.id}  {outcome.record.channel.value}", indent=2)
            for notice in outcome.notices:
                page.line((notice, "yellow"), indent=2)
        if one.restored:
            page.line(("the original stands in its place again", "dim"), indent=2)
        if one.aside:
            page.line((f"the file as it was found is now {one.aside}", "dim"), indent=2)
    page.command(f"{me} check", indent=2)
