"""Commands that publish a memory and bring one back: push, pull, scrub. Consent is asked for at a terminal alone."""

from __future__ import annotations

import os
import sys

from memoranda.model.record import Channel
from memoranda.views.commands.call import Call
from memoranda.views.commands.reply import Reply
from memoranda.views.render import publishing as draw
from memoranda.views.terminal import one_line


def push(call: Call) -> Reply:
    args = call.args
    asks = call.terminal and call.door.channel is Channel.DIRECT_SESSION and not args.json
    with call.open() as memory:
        memory.prepare(call.progress.say)
        done = memory.push(
            call.place(args.target),
            create=args.create,
            yes=args.yes,
            ask=_agreed if asks else None,
            allow=tuple(args.allow or ()),
            embed_seconds=args.embed_seconds,
            progress=call.progress,
        )
    call.progress.done()
    word = "held" if done.all_held else "pushed" if done.rows else "known"
    return Reply(word, done, lambda page: draw.pushed(page, done, call.me), code=int(done.all_held))


def pull(call: Call) -> Reply:
    folder = os.path.join(call.cwd, os.path.expanduser(call.args.folder))
    with call.shared(call.place(call.args.target)) as memory:
        memory.prepare(call.progress.say)
        rows, problems = memory.pull(folder)
    told = {"folder": folder, "rows": rows}
    return Reply("pulled", told, lambda page: draw.pulled(page, folder, rows, len(problems)), problems=problems)


def scrub(call: Call) -> Reply:
    with call.open() as memory:
        memory.prepare(call.progress.say)
        found = memory.scrub(apply=call.args.yes, keep=tuple(call.args.keep or ()))
    stays = bool(found.left or (found.cut and not found.applied))
    word = "scrubbed" if found.applied and found.cut else "found" if stays else "sound"
    return Reply(word, found, lambda page: draw.scrubbed(page, found, call.me), code=int(stays))


def _agreed(question: str) -> bool:
    """A question put to the person at the terminal; anything but yes is no."""
    print(f"{one_line(question)} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
