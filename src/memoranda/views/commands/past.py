"""Commands that look back: diff, blame."""

from __future__ import annotations

from memoranda.model.errors import Invalid
from memoranda.views.commands.call import Call
from memoranda.views.commands.reply import Reply
from memoranda.views.commands.times import as_of
from memoranda.views.render import past


def diff(call: Call) -> Reply:
    given = [*([call.args.since] if call.args.since else []), *call.args.points]
    if not 1 <= len(given) <= 2:
        raise Invalid("diff takes one or two points", "memoranda diff --since 2w, or memoranda diff 2026-07-01 HEAD")
    points = [as_of(text, call.now) or text for text in given]
    with call.open() as memory:
        found = memory.diff(*points)
    return Reply(
        "same" if found.empty else "differs",
        found,
        lambda page: past.diff(page, found, call.me),
        code=1 if found.empty else 0,
    )


def blame(call: Call) -> Reply:
    with call.open() as memory:
        found = memory.blame(call.args.id)
    return Reply("found", found, lambda page: past.blame(page, found, call.now))
