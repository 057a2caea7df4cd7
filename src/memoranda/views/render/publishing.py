"""What was published, and what stayed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.views.render.words import count, size
from memoranda.views.terminal import Page

if TYPE_CHECKING:
    from memoranda.memory.scrub import Scrub
    from memoranda.model.share import Pushed

#: Places that are named on a page; a program is told of all.
_SHOWN = 20
_MARKS = frozenset(("waits for a person", "edited by hand", "not trusted here"))


def pushed(page: Page, done: Pushed, me: str) -> None:
    """How much went where, what stays here and why, and the next step."""
    if done.rows:
        kinds = ", ".join(count(number, kind) for kind, number in sorted(done.kinds.items()) if number)
        made = "made, and " if done.created else ""
        page.line(("published ", "bold"), f" {kinds} to {done.target} ({made}{size(done.bytes)} sent)")
    elif done.held:
        page.line(("nothing published ", "yellow"), f" to {done.target}: all that is new stays here")
    else:
        page.line(("nothing new ", "bold"), f" for {done.target}")
    if done.there:
        page.line((f"{count(done.there, 'row')} there now, {done.ours:,} of this memory", "dim"))
    if done.held:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in done.held)
        page.line((f"{done.held_back:,} stay here: ", "yellow"), reasons)
        if any(reason == "waits for a person" for reason, _ in done.held):
            page.command(f"{me} held", indent=2)
        if any(reason not in _MARKS for reason, _ in done.held):
            page.line(("a rule's name: what it found stays; `memoranda help push` says how to let it leave", "dim"))
    if done.altered:
        said = f"{count(done.altered, 'row')} there in words that were cut out here since: erase them there"
        page.line((said, "red"))
    for notice in done.notices:
        page.line((notice, "yellow"))


def pulled(page: Page, folder: str, rows: int, left: int) -> None:
    page.line(("rebuilt ", "bold"), f" {count(rows, 'row')} in {folder}")
    if left:
        page.line((f"{count(left, 'thing')} there could not be taken in", "yellow"))
    page.command(f"memoranda --memory {folder} status", indent=2)


def scrubbed(page: Page, found: Scrub, me: str) -> None:
    """What would stay at a push, and what became of it."""
    looked = count(found.turns, "turn")
    if not found.cut and not found.left:
        page.line(("sound ", "green"), f" {looked}: nothing in them would stay at a push")
        return
    if found.cut:
        done = "scrubbed" if found.applied else "would be scrubbed"
        page.line((f"{done} ", "yellow"), f" {len(found.cut):,} of {looked}")
    for kept in found.cut[:_SHOWN]:
        page.line(kept.place, (f"  {', '.join(kept.rules)}", "dim"), indent=2)
    if len(found.cut) > _SHOWN:
        page.line((f"and {len(found.cut) - _SHOWN:,} more", "dim"), indent=2)
    if found.left:
        page.line((f"{len(found.left):,} stay even so", "yellow"))
    for kept in found.left[:_SHOWN]:
        page.line(kept.place, (f"  {', '.join(kept.rules)}", "dim"), indent=2)
    if found.cut and not found.applied:
        page.command(f"{me} scrub --yes", indent=2)
