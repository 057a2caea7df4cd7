"""The hook command: `memoranda hook <agent> <event> [--core] [--recall]`, started by an agent, a few times a session.

What it promises, whatever happens: it ends within its deadline, it exits 0, it prints nothing but what the user agreed
to, nothing in sub-agents and where no person sits, and nothing it does starts another hook. `--core` puts the core
block where a session begins, after its context was cut, and when core changed; `--recall` is the automatic pass. Both
stand in the command since the user was asked for each. Standard input is read as far as it comes, never waited for.

It has a tenth of a second, most of which goes to starting Python: so it loads only what one event needs.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn, Sequence

from memoranda.memory.places import HOOKS_OFF

#: Seconds until it gives up: where core may have to be decided anew, and elsewhere.
SLOW_SECONDS, QUICK_SECONDS = 2.5, 0.9


def main(words: Sequence[str]) -> int:
    """Always 0. `words` are what stands after `hook`."""
    try:
        if os.environ.get(HOOKS_OFF) or len(words) < 2:
            return 0
        limit(SLOW_SECONDS if "--core" in words or "--recall" in words else QUICK_SECONDS)
        from memoranda.views.hooks.answer import answer

        said = answer(words[0], words[1], frozenset(words[2:]), os.environ)
        if said:
            sys.stdout.buffer.write(said.encode("utf-8", "backslashreplace") + b"\n")
            sys.stdout.flush()
    except BaseException as error:  # nothing may reach the agent, not even Ctrl-C
        _note(error)
    leave()


def limit(seconds: float) -> None:
    """End this process after `seconds`, quietly, whatever it waits for."""
    if os.name != "posix":
        return
    import signal

    signal.signal(signal.SIGALRM, lambda number, frame: leave())
    signal.setitimer(signal.ITIMER_REAL, seconds)


def leave() -> NoReturn:
    """Go now: no flush, no exit handler, no thread is waited for."""
    os._exit(0)


def _note(error: BaseException) -> None:
    """Kind and place of a fault into the log of hooks, and never its words."""
    try:
        from memoranda.memory.given import log

        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        place = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else ""
        log(os.environ, f"hook: {type(error).__name__} in {place}")
    except BaseException:
        return
