"""Commands that wire agents: connect, disconnect, and hook, which is what wired agents start.

What goes before a model unasked is asked for one by one, with what it costs. Where nobody can be asked, nothing is
changed unless --yes says to take the defaults. Ending the input instead of answering changes nothing.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Mapping, Sequence

from memoranda.memory import places
from memoranda.memory.wiring import ledger
from memoranda.memory.wiring.connect import connect as wire
from memoranda.memory.wiring.connect import disconnect as unwire
from memoranda.model.errors import Invalid, NotFound, Unavailable
from memoranda.model.values import dataclass
from memoranda.ports import AgentWiring, Wish, discover
from memoranda.views.commands.call import Call
from memoranda.views.commands.reply import Reply
from memoranda.views.render import wiring as draw

if TYPE_CHECKING:
    from memoranda.memory.wiring.connect import Wired
    from memoranda.model.settings import Settings


class _Declined(Exception):
    """The input ended instead of an answer."""


@dataclass(frozen=True, slots=True)
class _Choice:
    core: bool
    recall: bool
    rules: bool


def connect(call: Call) -> Reply:
    args, settings = call.args, call.settings()
    names, missing = _chosen(args.agents, settings)
    wirings = _wirings()
    try:
        choice = _choice(call, {name: wirings[name].title for name in names}, settings)
    except _Declined:
        return Reply("declined", {"agents": names}, lambda page: page.line("nothing was changed"))
    if not args.dry_run:
        _memory(call)
    done = [
        wire(name, wirings[name], _wish(choice, settings), settings.state, write=not args.dry_run) for name in names
    ]
    changed = any(one.changes for one in done)
    if not args.dry_run and choice.core:
        with call.open() as memory:
            memory.core_sheet()
    outcome = "planned" if args.dry_run and changed else "connected" if changed else "unchanged"
    by_hand = any(one.by_hand for one in done)
    return Reply(
        outcome,
        {"agents": [_plain(one) for one in done], "missing": missing},
        lambda page: draw.wired(page, done, missing, call.me, args.dry_run),
        code=1 if by_hand else 0,
    )


def disconnect(call: Call) -> Reply:
    args, settings = call.args, call.settings()
    known, installed = ledger.load(settings.state), discover.names("wirings")  # what was put in goes without them
    for name in args.agents:
        if name not in known:
            raise NotFound(f"{name} is not connected", f"connected: {', '.join(known) or 'none'}")
    done = []
    for name in args.agents or known:
        title = discover.load("wirings", name)().title if name in installed else name
        done.append(unwire(name, title, settings.state, write=not args.dry_run))
    changed = any(one.changes for one in done)
    outcome = "planned" if args.dry_run and changed else "disconnected" if done else "nothing"
    return Reply(
        outcome, {"agents": [_plain(one) for one in done]}, lambda page: draw.unwired(page, done, args.dry_run)
    )


def _plain(one: Wired) -> dict[str, object]:
    """Which files and how, and none of their words: an agent's settings may hold keys."""
    files = [{"path": change.path, "how": draw.how(change)} for change in one.changes]
    left = [{"path": path, "why": why, "text": text} for path, why, text in one.by_hand]
    return {"agent": one.agent, "title": one.title, "files": files, "by_hand": left, "notes": one.notes}


def hook(call: Call) -> Reply:
    """Where options stand before it; agents start it without (views/cli/__init__.py)."""
    from memoranda.views.hooks import main

    wishes = [flag for flag, on in (("--core", call.args.core), ("--recall", call.args.recall)) if on]
    return Reply("done", code=main([call.args.agent, call.args.event, *wishes]))


def _wirings() -> dict[str, AgentWiring]:
    found = {name: discover.load("wirings", name)() for name in discover.names("wirings")}
    if not found:
        raise Unavailable("no agent's wiring is installed", 'pip install "memoranda[agents]"')
    return found


def _chosen(named: Sequence[str], settings: Settings) -> tuple[list[str], list[tuple[str, str, str]]]:
    """The agents to connect: those named, or those that are here. And what is not here with its install command."""
    wirings = _wirings()
    for name in named:
        if name not in wirings:
            raise Invalid(f"there is no wiring for {name!r}", f"there is one for: {', '.join(wirings)}")
    here = {name for name, wiring in wirings.items() if _here(wiring, settings)}
    names = list(dict.fromkeys(named)) or sorted(here)
    if not names:
        listed = ", ".join(wirings)
        raise NotFound(
            "no agent was found on this machine", f"name one: memoranda connect claude (there are: {listed})"
        )
    missing = [
        (name, wirings[name].title, wirings[name].program[1])
        for name in names
        if wirings[name].program[0]
        and shutil.which(wirings[name].program[0], path=settings.variables.get("PATH")) is None
    ]
    return names, missing


def _here(wiring: AgentWiring, settings: Settings) -> bool:
    program = wiring.program[0]
    if program and shutil.which(program, path=settings.variables.get("PATH")):
        return True
    edits = wiring.edits(_wish(_Choice(False, False, False), settings, ("memoranda",)))
    return any(edit.path.exists() for edit in edits if edit.form in ("json", "toml", "yaml"))


def _wish(choice: _Choice, settings: Settings, command: tuple[str, ...] | None = None) -> Wish:
    return Wish(
        command or _command(),
        settings.user_home,
        settings.variables,
        _repeated(settings.variables),
        choice.core,
        choice.recall,
        choice.rules,
    )


def _command() -> tuple[str, ...]:
    """How an agent starts memoranda: by its full path, since agents do not all have the user's PATH."""
    own = Path(sys.argv[0])
    if own.name.startswith("memoranda") and own.is_file() and os.access(own, os.X_OK):
        return (os.path.abspath(own),)
    beside = Path(sys.executable).with_name("memoranda")
    found = str(beside) if beside.is_file() else shutil.which("memoranda")
    return (found,) if found else (sys.executable, "-m", "memoranda.views.cli")


def _repeated(variables: Mapping[str, str]) -> dict[str, str]:
    """What an agent's server must be told, since it may not get the user's variables."""
    said = {name: variables[name] for name in places.VARIABLES if variables.get(name)}
    moved = {"XDG_STATE_HOME": places.state, "XDG_CACHE_HOME": places.cache, "XDG_CONFIG_HOME": places.settings}
    names = {"XDG_STATE_HOME": "MEMORANDA_STATE", "XDG_CACHE_HOME": "MEMORANDA_CACHE"}
    names["XDG_CONFIG_HOME"] = "MEMORANDA_SETTINGS"
    for variable, where in moved.items():
        if variables.get(variable):
            said.setdefault(names[variable], where(variables))
    return dict(sorted(said.items()))


def _choice(call: Call, titles: Mapping[str, str], settings: Settings) -> _Choice:
    """What the user wants: as given, or asked for one by one; what they said before is what Enter says again."""
    args = call.args
    given = _Choice(not args.no_core, args.recall, not args.no_rules)
    if args.yes or args.dry_run:
        return given
    if not call.terminal or args.json:
        raise Invalid("nobody can be asked here", "--dry-run shows what would change, --yes takes what is given")
    before = [one for name, one in ledger.load(settings.state).items() if name in titles]
    print(f"This connects {', '.join(titles.values())}: the memory's tools, and turns are taken in as they are said.")
    core = given.core and _ask(
        f"Put the core block into each session (at most {settings.core_tokens:,} tokens a session)?",
        all(one.core for one in before),
    )
    recall = given.recall or _ask(
        f"Look for records at each prompt and put them before it (at most {settings.pass_tokens:,} tokens a prompt)?",
        bool(before) and all(one.recall for one in before),
    )
    rules = given.rules and _ask(
        "Add a short text that says when to recall (70 tokens a session)?", all(one.rules for one in before)
    )
    if not _ask("Change their settings now?", True):
        raise _Declined
    return _Choice(core, recall, rules)


def _ask(question: str, default: bool) -> bool:
    sys.stdout.write(f"{question} [{'Y/n' if default else 'y/N'}] ")
    sys.stdout.flush()
    answer = sys.stdin.readline()
    if not answer:
        sys.stdout.write("\n")
        raise _Declined
    word = answer.strip().lower()
    return default if not word else word in ("y", "yes")


def _memory(call: Call) -> None:
    """The personal memory, made if it is not there, with what these agents wrote down so far."""
    from memoranda.memory import Memory

    with Memory.init(settings=call.settings(), door=call.door) as memory:
        memory.prepare(call.progress.say)
        if not call.args.no_capture:
            memory.capture(progress=call.progress, embed_seconds=0)
    call.progress.done()
