"""Commands that share with others: receive."""

from __future__ import annotations

import os

from memoranda.views.commands.call import Call
from memoranda.views.commands.reply import Reply
from memoranda.views.render import sharing as draw


def receive(call: Call) -> Reply:
    args = call.args
    address = str(args.address)
    folder = call.cwd / os.path.expanduser(address)
    with call.open() as memory:
        memory.prepare(call.progress.say)
        receipt = memory.receive(
            str(folder) if folder.is_dir() else address,
            branch=args.branch,
            dry_run=args.dry_run,
            progress=call.progress,
        )
    call.progress.done()
    return Reply(
        "nothing" if receipt.nothing_came else "found" if args.dry_run else "received",
        receipt,
        lambda page: draw.received(page, receipt, call.me),
        code=int(receipt.nothing_came),
        problems=receipt.problems,
    )
