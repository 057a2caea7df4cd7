"""Commands on evidence: evidence add, list, show, extract, verify, drop; open."""

from __future__ import annotations

from typing import Any, Callable

from memoranda.model.errors import Invalid
from memoranda.views.commands.call import Call
from memoranda.views.commands.reply import Reply
from memoranda.views.render import exhibits as draw
from memoranda.views.terminal import Page


def evidence(call: Call) -> Reply:
    """The action that was named; list when none was."""
    actions: dict[str, Callable[[Call], Reply]] = {
        "add": _add, "list": _list, "show": _show, "extract": _extract, "verify": _verify, "drop": _drop,
    }  # fmt: skip
    return actions[call.args.action or "list"](call)


def open(call: Call) -> Reply:
    with call.open() as memory:
        opened = memory.open_evidence(call.args.locator, call.args.out)
    return Reply("opened", opened, lambda page: draw.opened(page, opened))


def _add(call: Call) -> Reply:
    args = call.args
    names = _named(call, "a file to take in")
    if args.name and len(names) > 1:
        raise Invalid("one name does not fit several files", "add them one by one")
    results: list[Any] = []
    with call.open() as memory:
        memory.prepare(call.progress.say)
        for name in names:
            results.append(
                memory.add_evidence(
                    call.cwd / name,
                    name=args.name,
                    origin=args.origin or "",
                    retention=args.retention or "",
                    days=args.days,
                )
            )
    refused = any(result.word == "refused" for result in results)

    def page_of(page: Page) -> None:
        for result in results:
            draw.taken(page, result, call.me)

    return Reply("refused" if refused else results[0].word, tuple(results), page_of, code=int(refused))


def _list(call: Call) -> Reply:
    with call.open() as memory:
        views, problems = memory.evidence()
    return Reply(
        "evidence", views, lambda page: draw.shelf(page, views, call.me), code=0 if views else 1, problems=problems
    )


def _show(call: Call) -> Reply:
    names = _named(call, "what to show")
    with call.open() as memory:
        views = tuple(memory.show_evidence(name) for name in names)

    def page_of(page: Page) -> None:
        for view in views:
            draw.exhibit(page, view, call.me)

    return Reply("evidence", views, page_of)


def _extract(call: Call) -> Reply:
    with call.open() as memory:
        memory.prepare(call.progress.say)
        found = [memory.extract_evidence(name) for name in call.args.names or [None]]
    read, problems = sum(n for n, _ in found), tuple(problem for _, some in found for problem in some)
    return Reply(
        "extracted", {"extracted": read}, lambda page: draw.counted(page, "read", read), int(bool(problems)), problems
    )


def _verify(call: Call) -> Reply:
    with call.open() as memory:
        found = [memory.verify_evidence(name) for name in call.args.names or [None]]
    sound, problems = sum(n for n, _ in found), tuple(problem for _, some in found for problem in some)
    return Reply(
        "damaged" if problems else "sound",
        {"sound": sound},
        lambda page: draw.counted(page, "sound", sound),
        int(bool(problems)),
        problems,
    )


def _drop(call: Call) -> Reply:
    with call.open() as memory:
        drops = memory.drop_evidence(call.args.names or (), consent=call.args.relied)
    return Reply(
        "asked" if drops.asked else "dropped",
        drops,
        lambda page: draw.drops(page, drops, call.me),
        int(bool(drops.asked)),
        drops.problems,
    )


def _named(call: Call, what: str) -> list[str]:
    names: list[str] = call.args.names or []
    if not names:
        raise Invalid(f"name {what}", f"memoranda evidence {call.args.action} NAME")
    return names
