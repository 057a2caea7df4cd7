"""Commands that look after a memory: capture, embed, verify, check, reindex, status, and `memoranda` alone."""

from __future__ import annotations

import sys
from pathlib import Path

from memoranda.model.errors import Invalid, NotFound
from memoranda.views.commands.call import Call
from memoranda.views.commands.reply import Reply
from memoranda.views.render import records, standing
from memoranda.views.render.answer import index_line
from memoranda.views.render.standing import steps
from memoranda.views.render.words import count
from memoranda.views.terminal import Page, tell


def overview(call: Call) -> Reply:
    """`memoranda` alone: how things stand, or how to begin."""
    try:
        return status(call)
    except NotFound:
        if call.args.memory or call.args.project:
            raise
    following = ("init", "capture")

    def draw(page: Page) -> None:
        page.line(("memoranda", "bold"), "  memory for AI agents that a person can read, audit and trust")
        page.line("There is no memory yet. Make one, then take in what your agents wrote down:")
        steps(page, following, call.me)
        page.line(("all commands: memoranda help", "dim"))

    return Reply("no_memory", {"next": [f"memoranda {word}" for word in following]}, draw)


def status(call: Call) -> Reply:
    with call.open() as memory:
        stands = memory.status()
    return Reply("status", stands, lambda page: standing.status(page, stands, call.now, call.me), state=stands.index)


def _watch(call: Call) -> None:
    """Capture whenever something is written, until Ctrl-C, with a line for whatever came and each problem once."""
    told: set[str] = set()
    with call.open() as memory:
        paths = tuple(Path(path) for path in call.args.paths)
        for report in memory.watch(paths, harness=call.args.harness, keep_media=call.args.keep_media):
            if report.turns:
                tell(f"captured {count(report.turns, 'turn')} of {count(report.sessions, 'session')}", sys.stderr)
            for problem in map(str, report.problems):
                if problem not in told:
                    tell(problem, sys.stderr)
                told.add(problem)


def capture(call: Call) -> Reply:
    args = call.args
    if args.watch:
        if args.check:
            raise Invalid("--watch takes in and --check does not", "give one of them")
        _watch(call)
    paths = tuple(Path(path) for path in args.paths)
    with call.open() as memory:
        memory.prepare(call.progress.say)
        report = memory.capture(
            paths,
            harness=args.harness,
            seconds=args.seconds,
            embed_seconds=args.embed_seconds,
            check=args.check,
            keep_media=args.keep_media,
            progress=call.progress,
        )
        index = memory.status().index
    call.progress.done()
    return Reply(
        "checked" if args.check else "captured",
        report,
        lambda page: standing.capture(page, report, index, call.me, args.check),
        code=1 if report.sources_refused or (report.problems and not report.sources) else 0,
        problems=report.problems,
        state=index,
    )


def embed(call: Call) -> Reply:
    with call.open() as memory:
        number = memory.embed(seconds=call.args.seconds, progress=call.progress)
        index = memory.status().index
    call.progress.done()

    def draw(page: Page) -> None:
        page.line(("embedded ", "green"), f" {count(number, 'passage')}")
        page.line((index_line(index), "dim"))
        if index.unembedded:
            page.command(f"{call.me} embed", indent=2)

    return Reply("embedded", {"embedded": number, "left": index.unembedded}, draw, state=index)


def verify(call: Call) -> Reply:
    with call.open() as memory:
        results = tuple(memory.verify(call.args.id))
    broken = any(verdict.state in ("changed", "gone", "redacted") for result in results for verdict in result.verdicts)
    return Reply(
        "changed" if broken else "verified",
        results,
        lambda page: records.verdicts(page, results, call.me),
        code=1 if broken else 0,
    )


def check(call: Call) -> Reply:
    with call.open() as memory:
        found = tuple(memory.check(deep=call.args.deep, repair=call.args.repair))

    def draw(page: Page) -> None:
        if found:
            standing.problems(page, found)
            page.gap()
            page.line((count(len(found), "problem"), "red"))
        else:
            page.line(("sound ", "green"), " every file reads as it should")

    data = {"problems": found}
    return Reply("problems" if found else "sound", data, draw, code=1 if found else 0)


def reindex(call: Call) -> Reply:
    with call.open() as memory:
        state = memory.reindex(progress=call.progress)
    call.progress.done()

    def draw(page: Page) -> None:
        page.line(("rebuilt ", "green"), " " + index_line(state))

    return Reply("rebuilt", None, draw, state=state)
