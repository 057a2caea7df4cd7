"""The command line. Starting it imports neither the SDK nor any library: each command brings what it needs."""

from __future__ import annotations

import os
import sys
from typing import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the process's exit code. Data goes to stdout, everything else to stderr."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words in (["--version"], ["-V"]):
        from memoranda import __version__

        print(f"memoranda {__version__}")
        return 0
    try:
        from memoranda.views.cli.run import run

        code = run(words)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print("memoranda: stopped; what was acknowledged is kept", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader went away (`| head`). Nothing is left to say; keep the interpreter's last flush quiet.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 141
