"""How things stand: status, capture reports and problems."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Sequence

from memoranda.model.problem import Problem
from memoranda.views.render.answer import index_line
from memoranda.views.render.words import age, count, size
from memoranda.views.terminal import Page

if TYPE_CHECKING:
    from memoranda.memory.results import Status
    from memoranda.model.query import IndexState
    from memoranda.remember.capture import CaptureReport

NO_READERS = "no reader of agent histories is installed"
GET_READERS = 'pip install "memoranda[agents]"'
_GONE = 3  # vanished histories that are named; a program is told of more


def status(page: Page, stands: Status, now: datetime, me: str) -> None:
    """Draw a status: what is kept, whether the index holds it, the agents found, the next step."""
    trust = "" if stands.own else "  (a stranger's: foreign until trusted)"
    page.line((f"{stands.kind} memory", "bold"), f"  {stands.address or stands.root}", (trust, "yellow"))
    by = ", ".join(f"{n} {name}" for name, n in sorted(stands.categories.items()) if n)
    _row(page, "concluded", count(stands.records, "record") + (f" ({by})" if by else ""))
    beside = {"superseded": stands.superseded, "transient": stands.transient, "foreign": stands.foreign}
    if any(beside.values()):
        _row(page, "", ", ".join(f"{n} {word}" for word, n in beside.items() if n))
    if stands.held:
        _row(page, "held", f"{count(stands.held, 'record')} waiting for a person")
    _row(page, "said", f"{count(stands.turns, 'turn')} in {count(stands.sessions, 'session')}")
    _row(page, "index", index_line(stands.index).removeprefix("index "))
    if stands.kind == "personal":
        by = ", ".join(f"{name} {count(n, 'session')}" for name, n in sorted(stands.harnesses.items()))
        _row(page, "agents", by or ", ".join(stands.readers) or f"{NO_READERS}: {GET_READERS}")
        _captured(page, stands, now)
    if stands.connected:
        _row(
            page,
            "connected",
            ", ".join(f"{name} ({' '.join(w)})" if w else name for name, w in stands.connected.items()),
        )
    if stands.contexts:
        tokens = sum(int(given["tokens"]) for given in stands.contexts)
        _row(page, "put in", f"{tokens:,} tokens unasked, into {count(len(stands.contexts), 'session')}")
    for push in stands.pushed:
        stays = f", {push.held:,} stayed here" if push.held else ""
        _row(page, "published", f"{count(push.ours, 'row')} at {push.target}, {age(push.at, now)}{stays}")
    if stands.problems:
        page.line(("problems    ", "red"), f"{stands.problems}: {me} check")
    steps(page, stands.next, me)


def _captured(page: Page, stands: Status, now: datetime) -> None:
    """When histories were last looked at, what was not reached then, and what had gone by then."""
    when = stands.last_capture
    if not when:
        _row(page, "captured", "not since the index was made" if stands.turns else "never")
        return
    facts = [f"{when}, {age(when, now)}"]
    if stands.sources_pending:
        facts.append(f"{count(stands.sources_pending, 'history', 'histories')} not read to the end")
    if stands.sources_gone:
        facts.append(f"{count(stands.sources_gone, 'history', 'histories')} since deleted by their agents")
    _row(page, "captured", "; ".join(facts))
    for name in stands.gone[:_GONE]:
        page.line((name, "dim"), indent=12)
    if stands.gone and stands.sources_gone > _GONE:
        page.line((f"and {stands.sources_gone - _GONE:,} more", "dim"), indent=12)


def steps(page: Page, commands: Sequence[str], me: str) -> None:
    """Draw what to do next, as commands to copy."""
    if not commands:
        return
    page.gap()
    page.line(("next", "bold"))
    for command in commands:
        words = command if command.startswith(("memoranda ", "pip ")) else f"memoranda {command}"
        page.command(words.replace("memoranda ", f"{me} ", 1) if words.startswith("memoranda ") else words, indent=2)


def capture(page: Page, report: CaptureReport, index: IndexState, me: str, check: bool = False) -> None:
    """Draw what a capture took in and left for later; with `check`, what one would."""
    page.line(
        ("would capture " if check else "captured ", "green"),
        f"{count(report.turns, 'turn')} of {count(report.sessions, 'session')}",
        (f"  {size(report.bytes_read)} read, {size(report.text_bytes)} of text", "dim"),
    )
    facts = (
        (report.sources, "histories found"),
        (report.sources_unchanged, "unchanged"),
        (report.sources_pending, "not reached in the time given"),
        (report.sources_gone, "since deleted by their agents (their turns are kept)"),
        (report.restarted, "rewritten and read anew"),
        (report.sources_refused, "refused"),
        (report.media, "files inside turns kept as evidence"),
        (report.duplicates, "turns that stand there twice" if check else "turns kept already"),
    )
    page.line((", ".join(f"{n:,} {what}" for n, what in facts if n) or "no histories found", "dim"), indent=2)
    left = ", ".join(f"{n:,} {kind}" for kind, n in sorted(report.skipped.items()))
    if left:
        page.line((f"left out: {left}", "dim"), indent=2)
    if check:
        page.line(("nothing was written", "dim"), indent=2)
        return
    page.line((index_line(index), "dim"), indent=2)
    if index.unembedded and index.model:
        page.command(f"{me} embed", indent=2)
    if report.turns:
        page.command(f'{me} recall "what you want to know"', indent=2)


def problems(page: Page, found: Sequence[Problem]) -> None:
    """Draw flaws: where, what, and the next step."""
    for problem in found:
        where = problem.locator if problem.line is None else f"{problem.locator}:{problem.line}"
        page.line((where, "bold"), f": {problem.message}")
        if problem.hint:
            page.line((problem.hint, "dim"), indent=2)


def _row(page: Page, label: str, text: str) -> None:
    page.line((f"{label:<12}", "dim"), text)
