"""Commands that keep: init, trust, remember, promote, demote, forget."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from memoranda.model.errors import Invalid
from memoranda.model.outcome import Held, Refused
from memoranda.model.record import Category, Confidence, Durability
from memoranda.views.commands.again import again
from memoranda.views.commands.call import Call
from memoranda.views.commands.reply import Reply
from memoranda.views.commands.times import when
from memoranda.views.render.records import outcome
from memoranda.views.render.records import pruned as draw_pruned
from memoranda.views.render.standing import steps
from memoranda.views.terminal import Page

_MOST = 1_000_000  # bytes of standard input that are read; a record is at most 64 KiB anyway


def init(call: Call) -> Reply:
    from memoranda.memory import Memory

    path = call.folder
    if call.args.path:
        if path is not None:
            raise Invalid("init takes a path or --memory, not both")
        path = Path(os.path.abspath(call.cwd / Path(call.args.path).expanduser()))
    with Memory.init(path, project=call.args.project, settings=call.settings(), door=call.door) as memory:
        root, kind = memory.root, memory.kind
        memory.prepare(call.progress.say)
    named = path is not None and not call.args.project
    me = f"memoranda --memory {shlex.quote(str(root))}" if named else call.me
    following = ("capture", 'remember "…"') if kind == "personal" else ('remember "…"', "status")

    def draw(page: Page) -> None:
        page.line(("ready ", "green"), f" {kind} memory in {root}")
        steps(page, following, me)

    return Reply("ready", {"root": root, "kind": kind}, draw)


def trust(call: Call) -> Reply:
    if not call.args.memory:
        call.args.project = True
    with call.open() as memory:
        number, root = memory.trust(), memory.root

    def draw(page: Page) -> None:
        page.line(("trusted ", "green"), f" {number} records and events of {root}; what arrives later is foreign again")

    return Reply("trusted", {"root": root, "trusted": number}, draw)


def remember(call: Call) -> Reply:
    args = call.args
    text = _text(args.text) if call.standard_input else " ".join(args.text)
    with call.open() as memory:
        memory.prepare(call.progress.say)
        result = memory.remember(
            text,
            category=Category(args.category) if args.category else None,
            durability=Durability(args.durability) if args.durability else None,
            confidence=Confidence(args.confidence) if args.confidence else None,
            source=args.source or "",
            supersedes=tuple(args.supersedes or ()),
            contradicts=tuple(args.contradicts or ()),
            derived_from=tuple(args.derived_from or ()),
            anchors=(*(args.anchor or ()), *(args.evidence or ())),
            entities=tuple(args.entity or ()),
            tags=tuple(args.tag or ()),
            observed=when(args.observed, call.now) if args.observed else None,
            scope=args.scope,
            inferred=args.inferred,
        )
    return Reply(
        result.word,
        result,
        lambda page: outcome(page, result, call.me, again(call, "remember", leave={"--supersedes"})),
        code=1 if isinstance(result, Refused | Held) else 0,
    )


def promote(call: Call) -> Reply:
    with call.open() as memory:
        kept = memory.promote(call.args.id, core=call.args.core)

    def draw(page: Page) -> None:
        where = "always in mind" if kept.core else "recalled from now on"
        page.line(("promoted ", "green"), f" {kept.id} is {where}")
        page.command(f"{call.me} core" if kept.core else f"{call.me} history {kept.id}", indent=2)

    return Reply("promoted", kept, draw)


def demote(call: Call) -> Reply:
    with call.open() as memory:
        kept = memory.demote(call.args.id)

    def draw(page: Page) -> None:
        page.line(("demoted ", "green"), f" {kept.id} is back among the other records")
        page.command(f"{call.me} history {kept.id}", indent=2)

    return Reply("demoted", kept, draw)


def forget(call: Call) -> Reply:
    args = call.args
    if bool(args.id) == (args.expired or args.superseded):
        raise Invalid("forget takes an id or a filter", "memoranda forget ID, or memoranda forget --expired")
    if not args.id:
        return _pruned(call)
    with call.open() as memory:
        kept = memory.forget(args.id, args.reason or "")

    def draw(page: Page) -> None:
        page.line(("retired ", "green"), f" {kept.id} is no longer recalled; its file stays")
        page.command(f"{call.me} history {kept.id}", indent=2)

    return Reply("retired", kept, draw)


def _pruned(call: Call) -> Reply:
    args = call.args
    with call.open() as memory:
        pruned = memory.prune(expired=args.expired, superseded=args.superseded, apply=args.yes)
    outcome = "retired" if pruned.done else "found" if pruned.found else "nothing"
    further = again(call, "forget", {"--yes": True})
    return Reply(
        outcome,
        pruned,
        lambda page: draw_pruned(page, pruned, call.now, further),
        code=0 if pruned.done else 1,
    )


def _text(words: list[str]) -> str:
    if words != ["-"]:
        return " ".join(words)
    data = sys.stdin.buffer.read(_MOST + 1)
    if len(data) > _MOST:
        raise Invalid("standard input is longer than a record can be", "keep one fact at a time")
    try:
        return data.decode("utf-8-sig")  # a mark of byte order, as some editors and shells put it, is no part of a fact
    except UnicodeDecodeError as error:
        raise Invalid(f"standard input is not UTF-8 at byte {error.start}") from None
