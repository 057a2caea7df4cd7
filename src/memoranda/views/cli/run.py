"""One run of the command line: parse, find the door, run the command, print its reply."""

from __future__ import annotations

import os
from typing import Mapping, Sequence

from memoranda.views.cli.door import agent, at_terminal, door
from memoranda.views.cli.output import Output
from memoranda.views.commands.call import SHARED, Call, Command, command, expected, function
from memoranda.views.commands.parser import parse
from memoranda.views.commands.progress import Progress
from memoranda.views.commands.reply import Reply

#: Operations that only a terminal has: a person decides there, or they wire, serve or explain the program itself.
OWN: Mapping[str, str] = {
    "connect": "connecting", "disconnect": "connecting", "hook": "connecting", "adopt": "adopting",
    "held": "review", "release": "review", "reject": "review", "endorse": "review", "rescan": "review",
    "push": "publishing", "pull": "publishing", "scrub": "publishing", "ask": "ask",
    "completion": "shell", "help": "shell", "mcp": "serving", "serve": "serving",
}  # fmt: skip


def run(argv: Sequence[str]) -> int:
    """Run one command; returns the exit code. Expected errors become one line and a hint."""
    environ = os.environ
    name = agent(environ)
    output = Output.choose({"json": "--json" in argv}, environ, bool(name))
    try:
        args = parse(argv)
        output = Output.choose(vars(args), environ, bool(name))
        progress = Progress(quiet=output.quiet or output.json)
        terminal = at_terminal()
        call = Call(args, door(environ, terminal), terminal, progress)
        reply = _version() if args.version else find(args.command)(call)
    except BrokenPipeError:
        raise
    except Exception as error:
        shown = expected(error, "run it again with -v and report what it prints")
        if shown is not error and ("-v" in argv or "--verbose" in argv):
            import traceback

            traceback.print_exc()
        return output.fail(shown)
    return output.emit(reply)


def find(name: str) -> Command:
    """The command of that name, "" for none."""
    if name in SHARED:
        return command(name)
    if name in OWN:
        return function(f"memoranda.views.cli.{OWN[name]}", "help_" if name == "help" else name)
    return function("memoranda.views.commands.upkeep", "overview")


def _version() -> Reply:
    from memoranda import __version__

    return Reply("version", {"version": __version__}, lambda page: page.line(f"memoranda {__version__}"))
