"""The command line. Starting it imports neither the SDK nor any library: each command brings what it needs."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the process's exit code. Data goes to stdout, everything else to stderr."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["hook"]:  # an agent waits for it
        from memoranda.views.hooks import main as hook

        return hook(words[1:])
    _streams()
    try:
        if words in (["--version"], ["-V"]):
            from memoranda import __version__

            print(f"memoranda {__version__}", flush=True)
            return 0
        if words == ["mcp"]:  # an agent waits for its first answer, and needs no parser for this
            from memoranda.views.mcp.stdio import serve

            return serve(os.environ)
        from memoranda.views.cli.run import run

        return run(words)
    except KeyboardInterrupt:
        print("memoranda: stopped; what was acknowledged is kept", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader went away (`| head`). Nothing is left to say; keep the interpreter's last flush quiet.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 141
    except OSError as error:
        # Nothing but what is printed gets here: a full disk behind `> file`, or no stdout at all.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        with suppress(OSError):
            print(f"memoranda: the answer could not be printed: {error.strerror}", file=sys.stderr)
        return 6


def _streams() -> None:
    """Fill what was closed before we began, so that no file of a memory gets number 0, 1 or 2.

    A closed stdout becomes one that cannot be written: an answer that went nowhere must not look like one that came.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            with suppress(OSError):
                os.fstat(number)
                continue  # something else holds the number
            os.open(os.devnull, os.O_WRONLY if number == 2 else os.O_RDONLY)
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w", closefd=False))
