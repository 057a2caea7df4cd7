"""What connecting and disconnecting did: file by file, as a diff where nothing was written yet."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Sequence

from memoranda.views.render.words import count
from memoranda.views.terminal import Page

if TYPE_CHECKING:
    from memoranda.memory.wiring.connect import Change, Wired


def wired(page: Page, done: Sequence[Wired], missing: Sequence[tuple[str, str, str]], me: str, dry: bool) -> None:
    for one in done:
        page.gap()
        if dry:
            _diffs(page, one)
        elif one.changes:
            page.line(("connected ", "green"), f" {one.title}, {count(len(one.changes), 'file')} changed")
            _files(page, one.changes)
        else:
            page.line(("unchanged ", "green"), f" {one.title}")
        for path, why, text in one.by_hand:
            page.line(f"{path}: {why}; add this by hand:", indent=2)
            page.quote(text)
        for note in one.notes:
            page.line((note, "yellow"), indent=2)
    for _, title, install in missing:
        page.gap()
        page.line(f"{title} is not on this machine yet; it is connected when it comes:")
        page.command(install, indent=2)
    if not dry and done:
        page.gap()
        page.command(f"{me} disconnect " + " ".join(one.agent for one in done), indent=2)


def unwired(page: Page, done: Sequence[Wired], dry: bool) -> None:
    if not done:
        page.line("no agent is connected")
    for one in done:
        page.gap()
        if dry:
            _diffs(page, one)
            continue
        page.line(("disconnected ", "green"), f" {one.title}, {count(len(one.changes), 'file')} changed")
        _files(page, one.changes)


def _files(page: Page, changes: Sequence[Change]) -> None:
    for change in changes:
        page.line(f"{how(change)}: {change.path}", indent=2)


def how(change: Change) -> str:
    return "made" if change.before is None else "removed" if change.after is None else "changed"


def _diffs(page: Page, one: Wired) -> None:
    page.line((f"{one.title}: ", "bold"), "nothing would change" if not one.changes else "would change")
    for change in one.changes:
        old, new = (text.splitlines() if text else [] for text in (change.before, change.after))
        names = str(change.path) if change.before is not None else "/dev/null", str(change.path)
        lines = list(difflib.unified_diff(old, new, *names, lineterm="", n=2 if page.person else 0))
        if not page.person:  # no line of the user's goes to a program: what stands beside may be a key
            commas = {line[1:] + "," for line in lines if line.startswith("-")}
            lines = [line for line in lines if not line.startswith("-") and line[1:] not in commas]
        page.quote("\n".join(lines))
