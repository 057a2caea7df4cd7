"""The command adopt: shows each file, asks a person, and adopts.

At a terminal nothing is adopted that was not shown and answered with yes. Elsewhere nothing is asked, and what is
adopted is an import.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Sequence

from memoranda.model.record import Channel
from memoranda.views.commands.call import Call
from memoranda.views.commands.reply import Reply
from memoranda.views.render import strays as draw
from memoranda.views.terminal import Page

if TYPE_CHECKING:
    from memoranda.memory.strays import Stray


def adopt(call: Call) -> Reply:
    paths = [Path(call.cwd / Path(path).expanduser()) for path in call.args.paths]
    person = call.door.channel is Channel.DIRECT_SESSION and not call.args.json
    with call.open() as memory:
        if call.args.dry_run or person:
            found = memory.adoptable(paths)
            if call.args.dry_run or not found:
                return _shown(call, found)
            wanted = [stray for stray in found if _asked(stray, call)]
            done = memory.adopt(paths, shown=[s.key for s in wanted], only=[s.key for s in wanted]) if wanted else ()
        else:
            done = memory.adopt(paths)
    whole = all(one.done for one in done)
    return Reply(
        "adopted" if whole and done else "nothing" if not done else "partly",
        done,
        lambda page: draw.adopted(page, done, call.me),
        code=0 if whole else 1,
    )


def _shown(call: Call, found: Sequence[Stray]) -> Reply:
    return Reply("found" if found else "nothing", found, lambda page: draw.strays(page, found, call.me))


def _asked(stray: Stray, call: Call) -> bool:
    """Show it and ask; what cannot be adopted is only shown."""
    page = Page(True, False, 80, True)
    draw.strays(page, [stray], call.me)
    sys.stdout.write(page.text())
    if stray.why_not:
        return False
    question = "Was it meant to be deleted?" if stray.kind == "deleted" else "Keep this as your own?"
    sys.stdout.write(f"{question} [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
