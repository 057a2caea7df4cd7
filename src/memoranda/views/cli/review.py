"""Commands in which a person decides: held, release, reject, endorse; and rescan.

A decision is made at a terminal that controls this process, with no agent in the environment and without --json, by
typing the code that stands within the text. Programs of the same user could forge all that: docs/limits.md says so.
"""

from __future__ import annotations

import os
import secrets
import sys
from typing import TYPE_CHECKING, Callable

from memoranda.model.errors import Invalid
from memoranda.model.record import Channel, Record
from memoranda.views.cli.output import Output
from memoranda.views.commands.call import Call
from memoranda.views.commands.reply import Reply
from memoranda.views.render import held as draw
from memoranda.views.render.words import count
from memoranda.views.terminal import Page

if TYPE_CHECKING:
    from memoranda.memory import Memory

_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # none that is read as another
_LENGTH = 6


def held(call: Call) -> Reply:
    with call.open() as memory:
        found = memory.held(limit=call.args.limit)
    return Reply("held" if found.total else "nothing", found, lambda page: draw.held(page, found, call.now, call.me))


def release(call: Call) -> Reply:
    return _decision(call, "released", "is let in", lambda memory, record: [memory.release(record.digest)])


def reject(call: Call) -> Reply:
    return _decision(call, "rejected", "is turned away", lambda memory, record: _turned_away(call, memory, record))


def endorse(call: Call) -> Reply:
    return _decision(call, "endorsed", "is vouched for", lambda memory, record: [memory.endorse(record.digest)])


def rescan(call: Call) -> Reply:
    with call.open() as memory:
        report = memory.rescan(apply=not call.args.dry_run, people=call.args.people)
    return Reply(
        "found" if report.found else "sound",
        report,
        lambda page: draw.rescan(page, report, call.me),
        code=1 if report.found else 0,
        problems=report.problems,
    )


def _turned_away(call: Call, memory: Memory, record: Record) -> list[Record]:
    """The record and, if wanted, those that `held` shows with it."""
    digests = [record.digest]
    if call.args.alike:
        groups = memory.held(limit=1_000_000).shown
        group = next((g for g in groups if record.id in (g.record.id, *g.alike)), None)
        ids = [group.record.id, *group.alike] if group else []
        digests += [other.digest for id in ids if id != record.id and isinstance(other := memory.get(id), Record)]
    return [memory.reject(digest) for digest in digests]


def _decision(call: Call, word: str, what: str, decide: Callable[[Memory, Record], list[Record]]) -> Reply:
    """Show the text with a code in it, read the code, decide."""
    if call.door.channel is not Channel.DIRECT_SESSION or call.args.json:
        raise Invalid("only a person can decide this", "run it yourself, at a terminal, without --json")
    with call.open() as memory:
        entry = next((e for e in memory.history(call.args.id) if _named(e.record, call.args.id)), None)
        if entry is None:
            raise Invalid(f"{call.args.id} cannot be shown", f"{call.me} check")
        record = entry.record
        code = "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))
        _show(record, code, call, entry.authority.word)
        if _typed() != code:
            return Reply("kept", record, lambda page: page.line("that is not the code; nothing was changed"), code=1)
        done = decide(memory, record)

    def drawn(page: Page) -> None:
        page.line((f"{word} ", "green"), f" {record.id} {what}")
        if len(done) > 1:
            page.line(f"and {count(len(done) - 1, 'record')} much like it", indent=2)
        page.command(f"{call.me} history {record.id}", indent=2)

    return Reply(word, done, drawn)


def _named(record: Record, text: str) -> bool:
    digits = text.strip().lower().removeprefix("mem_")
    return record.digest.startswith(digits)


def _show(record: Record, code: str, call: Call, authority: str) -> None:
    from memoranda.memory.queue import unseen

    output = Output.choose(vars(call.args), os.environ, agent=False)
    page = output.page()
    draw.text(page, record, within(record.body, code, secrets.randbelow), call.now, authority)
    for note in unseen(record.body):
        page.line((note, "red"), indent=2)
    if record.hold:
        page.line(("held because: ", "yellow"), ", ".join(record.hold), indent=2)
    page.line((f"exact text: sha256 {record.digest}", "dim"), indent=2)
    sys.stdout.write(page.text() + "type the code that stands in the text between < and >: ")
    sys.stdout.flush()


def within(body: str, code: str, below: Callable[[int], int]) -> str:
    """The text with the code between two of its words; `below(n)` chooses a number from 0 to n - 1."""
    gaps = [at for at, char in enumerate(body) if char.isspace()] or [len(body)]
    at = gaps[below(len(gaps))]
    return f"{body[:at]} <{code}>{body[at:]}"


def _typed() -> str:
    """A line from the terminal itself, not from what standard input was pointed at."""
    try:
        with open("/dev/tty" if os.name == "posix" else "CONIN$", encoding="utf-8", errors="replace") as terminal:
            return terminal.readline(64).strip().strip("<>").upper()
    except OSError:
        return ""
