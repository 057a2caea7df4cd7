"""Commands that read without a question: sessions, scan, sketch, entities."""

from __future__ import annotations

from memoranda.views.commands.call import Call
from memoranda.views.commands.reply import Reply
from memoranda.views.commands.times import when
from memoranda.views.render import browsing
from memoranda.views.render import entities as draw_entities


def sessions(call: Call) -> Reply:
    args = call.args
    with call.open() as memory:
        page_of = memory.sessions(
            limit=args.limit,
            offset=args.offset,
            since=when(args.since, call.now) if args.since else None,
            until=when(args.until, call.now, end=True) if args.until else None,
            harness=tuple(args.harness or ()),
            repo=tuple(args.repo or ()),
        )
    return Reply(
        "found" if page_of.sessions else "nothing",
        page_of,
        lambda page: browsing.sessions(page, page_of, call.me),
        code=0 if page_of.sessions else 1,
    )


def scan(call: Call) -> Reply:
    args = call.args
    with call.open() as memory:
        found = memory.scan(
            args.session,
            " ".join(args.text),
            ignore_case=args.ignore_case,
            first=args.first,
            last=args.last,
            context=args.context,
            limit=args.limit,
        )
    again = f"{call.me} scan" + (" --ignore-case" if args.ignore_case else "")
    return Reply(
        "found" if found.hits else "nothing",
        found,
        lambda page: browsing.scan(page, found, call.me, again),
        code=0 if found.hits else 1,
    )


def sketch(call: Call) -> Reply:
    with call.open() as memory:
        found = memory.sketch(call.args.session, units=call.args.units, max_chars=call.args.max_chars)
    return Reply("found", found, lambda page: browsing.sketch(page, found, call.me))


def entities(call: Call) -> Reply:
    args, name = call.args, " ".join(call.args.name or ())
    with call.open() as memory:
        if name:
            about = memory.entity(name, limit=args.limit)
            return Reply("found", about, lambda page: draw_entities.about(page, about, call.now, call.me))
        found = memory.entities(limit=args.limit, offset=args.offset)
    return Reply(
        "found" if found.entities else "nothing",
        found,
        lambda page: draw_entities.entities(page, found, call.me),
        code=0 if found.entities else 1,
    )
