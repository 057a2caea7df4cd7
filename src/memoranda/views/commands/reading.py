"""Commands that answer: recall, get, history, core."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from typing import TYPE_CHECKING, Sequence

from memoranda.model.record import Record
from memoranda.views.commands.again import again
from memoranda.views.commands.call import Call
from memoranda.views.commands.reply import Reply
from memoranda.views.commands.times import as_of, when
from memoranda.views.render.answer import answer
from memoranda.views.render.records import history as draw_history
from memoranda.views.render.records import record, turns
from memoranda.views.terminal import Page

if TYPE_CHECKING:
    from memoranda.memory import Memory


def recall(call: Call) -> Reply:
    args = call.args
    since = when(args.since, call.now) if args.since else None
    until = when(args.until, call.now, end=True) if args.until else None
    with ExitStack() as open_memories:
        named = [call.beside(given) for given in args.also or ()]
        memory, *also = (open_memories.enter_context(memory) for memory in (*call.open_all(), *named))
        names = _commands(call, memory, also)
        found = memory.recall(
            " ".join(args.text),
            limit=args.limit,
            since=since,
            until=until,
            role=tuple(args.role or ()),
            type=tuple(args.type or ()),
            harness=tuple(args.harness or ()),
            repo=tuple(args.repo or ()),
            session=tuple(args.session or ()),
            kind=tuple(args.kind or ()),
            history=args.history,
            lexical=args.lexical,
            budget_tokens=args.budget_tokens,
            neighbours=args.neighbours,
            weak=args.weak,
            as_of=as_of(args.as_of, call.now),
            also=also,
            why=tuple(args.why or ()),
        )
    return Reply(
        "nothing" if found.empty else "found",
        found,
        lambda page: answer(
            page, found, call.now, call.me, names, args.explain, lambda change: again(call, "recall", change)
        ),
        code=1 if found.empty else 0,
        problems=found.problems,
        state=found.index,
    )


def _commands(call: Call, memory: Memory, also: Sequence[Memory]) -> dict[str, str]:
    """How a hit's own memory is named on the command line, where it is not the one that was asked for."""
    args = call.args
    names: dict[str, str] = {}
    if not (args.memory or args.project):
        names = {m.name: f"{call.me} --project" for m in (memory, *also) if m.kind == "project"}
    if args.memory and call.named is None:  # nobody may answer there, and then this user's own memory does
        names["personal"] = "memoranda"
    for other, given in zip(reversed(also), reversed(args.also or ()), strict=False):
        names[other.name] = f"memoranda --memory {shlex.quote(call.place(given))}"
    return names


def get(call: Call) -> Reply:
    with call.open() as memory:
        found = memory.get(call.args.locator, before=call.args.before, after=call.args.after)
    if isinstance(found, Record):
        return Reply("found", found, lambda page: record(page, found, call.now, call.me))
    return Reply("found", found, lambda page: turns(page, found, call.me))


def history(call: Call) -> Reply:
    with call.open() as memory:
        chain = memory.history(call.args.id, as_of=as_of(call.args.as_of, call.now))
    return Reply("found", chain, lambda page: draw_history(page, chain, call.now))


def core(call: Call) -> Reply:
    with call.open() as memory:
        block = memory.core()

    def draw(page: Page) -> None:
        inner = page.inner()
        if block.text:
            inner.quote(block.text)
            page.fenced(inner)
        page.line((f"{block.tokens} of {block.budget} tokens", "dim"))
        for name in block.left_out:
            page.line((f"left out: {name}", "yellow"))
        if not block.text:
            page.line("core is empty: promote what should always be in mind")
            page.command(f"{call.me} promote ID --core", indent=2)

    return Reply("found", block, draw)
