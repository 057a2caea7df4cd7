"""Sessions, the places of a text in one, and a sketch of one. What was said is data and stands between the marks."""

from __future__ import annotations

import shlex

from memoranda.memory.results import ScanView, SessionEntry, SessionsPage, SketchView
from memoranda.views.render.words import count, minute, word
from memoranda.views.terminal import Page


def sessions(page: Page, found: SessionsPage, me: str) -> None:
    """Draw a page of sessions."""
    if not found.sessions:
        page.line("no session was captured that fits")
        return
    inner = page.inner()
    for entry in found.sessions:
        _session(inner, entry, me)
    page.fenced(inner)
    page.gap()
    last = found.offset + len(found.sessions)
    page.line((f"sessions {found.offset + 1}-{last} of {found.total:,}", "dim"))
    if found.next is not None:
        page.command(f"{me} sessions --offset {found.next}")


def _session(page: Page, entry: SessionEntry, me: str) -> None:
    where = " ".join(name for name in entry.repos if "/" in name) or entry.cwd
    page.gap()
    if page.person:
        shown = (entry.harness, where, entry.branch, count(entry.turns, "turn"))
        page.line((minute(entry.ended or entry.began), "bold"), "  " + page.dot.join(fact for fact in shown if fact))
    else:
        facts = (("harness", entry.harness), ("session", entry.session), ("turns", str(entry.turns)),
                 ("began", entry.began), ("ended", entry.ended), ("repo", where), ("branch", entry.branch),
                 ("parent", entry.parent or ""))  # fmt: skip
        page.line(" ".join(f"{key}={word(value)}" for key, value in facts if value))
    if entry.title:
        page.quote(entry.title)
    if entry.opening and entry.opening != entry.title:
        page.quote(entry.opening)
    if entry.parent and page.person:
        page.line((f"started from session {entry.parent}", "dim"), indent=2)
    page.command(f"{me} get {shlex.quote(entry.locator)}", indent=2)


def scan(page: Page, found: ScanView, me: str, again: str) -> None:
    """Draw the places of a text, and what was looked at."""
    inner = page.inner()
    for hit in found.hits:
        inner.gap()
        kind = "" if hit.type == "text" else f" {hit.type}"
        inner.line((f"seq {hit.seq}  {hit.role}{kind}  {hit.ts}", "dim"))
        inner.quote(hit.before + hit.match + hit.after)
        inner.command(f"{me} get {shlex.quote(hit.locator)}", indent=2)
    if found.hits:
        page.fenced(inner)
        page.gap()
    what = count(len(found.hits), "place") if found.hits else "it stands nowhere"
    page.line(
        (what, "bold"),
        f" in turns {found.first}..{found.last} of {found.total:,}: {count(found.blocks, 'block')}, "
        f"{count(found.characters, 'character')} looked at",
    )
    if found.redacted:
        page.line((f"{count(found.redacted, 'piece')} had been cut out before this was stored", "yellow"))
    if found.next is not None:
        session = shlex.quote(f"{found.harness}/{found.session}")
        page.line(("there are more places", "yellow"))
        page.command(f"{again} {session} {shlex.quote(found.needle)} --first {found.next}")


def sketch(page: Page, found: SketchView, me: str) -> None:
    """Draw a sample of a session, and say what it leaves out."""
    inner = page.inner()
    for unit in found.units:
        inner.gap()
        kind = "" if unit.type == "text" else f" {unit.type}"
        same = f", stands there {unit.same} times" if unit.same > 1 else ""
        part = f", {len(unit.text):,} of {unit.length:,} characters" if len(unit.text) < unit.length else ""
        inner.line((f"seq {unit.seq}  {unit.role}{kind}  {unit.ts}{part}{same}", "dim"))
        inner.quote(unit.text)
    page.fenced(inner)
    page.gap()
    page.line(
        f"a sample: {len(found.units)} of {count(found.blocks, 'block')} in {count(found.turns, 'turn')}; "
        f"{found.left_out:,} left out, {found.repeated:,} the same as another, {found.shortened:,} shown in part"
    )
    page.line(("what is not shown may still be there: scan looks at every word", "dim"))
    session = shlex.quote(f"{found.harness}/{found.session}")
    page.command(f"{me} scan {session} TEXT")
