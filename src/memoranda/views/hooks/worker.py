"""Takes in what a session said, after its agent has answered: in a process of its own, which nobody waits for.

`start` is called by the hook and returns at once. One worker at a time works for a user; who comes meanwhile leaves a
mark, which the working one sees before it goes. What it does not get to, the next one or `memoranda capture` does.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Mapping

from memoranda.memory.given import folder, log

#: Agents write the last words of a turn shortly after they have said that it is over.
SETTLE_SECONDS = 0.7
#: How long one worker reads, and how often it looks again for marks.
READ_SECONDS, ROUNDS = 120.0, 5
#: How long what was put into a session is remembered.
KEPT_SECONDS = 90 * 86400


def start(agent: str, transcript: str, variables: Mapping[str, str]) -> None:
    """Begin the work elsewhere. Does nothing without a personal memory: a hook makes none. With no agent the other is
    a memory, whose core is to be decided."""
    from memoranda.memory import places

    if not os.path.exists(os.path.join(places.home(variables), "memory.toml")):
        return
    try:
        os.makedirs(os.path.join(folder(variables), "wanted"), 0o700, exist_ok=True)
        with open(os.path.join(folder(variables), "wanted", _name(agent, transcript)), "w", encoding="utf-8") as file:
            file.write(f"{agent}\n{transcript}\n")
    except (OSError, UnicodeError):
        return  # what cannot be marked is taken in by the next capture
    null = os.open(os.devnull, os.O_RDWR)
    os.posix_spawn(
        sys.executable,
        [sys.executable, "-m", "memoranda.views.hooks.worker"],
        {**variables, places.HOOKS_OFF: "1"},
        file_actions=[(os.POSIX_SPAWN_DUP2, null, number) for number in (0, 1, 2)],
        setsid=True,
        setsigmask=(),
    )


def work(variables: Mapping[str, str]) -> None:
    """Take in everything that is marked, unless another worker is at it."""
    import fcntl

    lock = os.open(os.path.join(folder(variables), "worker.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return
    os.nice(10)
    for _ in range(ROUNDS):
        time.sleep(SETTLE_SECONDS)
        wanted = _wanted(variables)
        if not wanted:
            break
        for agent, transcript in wanted:
            if agent:
                _take_in(agent, transcript, variables)
            else:
                _decide(transcript, variables)
    _forget_old(variables)


def _take_in(agent: str, transcript: str, variables: Mapping[str, str]) -> None:
    from memoranda.memory import Memory, places
    from memoranda.memory.settings import load
    from memoranda.model.errors import MemorandaError
    from memoranda.truth import sheet
    from memoranda.truth.places import state_folder

    began = time.monotonic()
    try:
        with Memory.open(settings=load(variables)) as memory:
            # Beside a history may lie a folder of its name: its sub-agents'.
            paths = [path for path in (transcript, os.path.splitext(transcript)[0]) if path and os.path.exists(path)]
            report = memory.capture(paths, harness=agent, seconds=READ_SECONDS)
            if sheet.load(state_folder(places.state(variables), str(memory.root))):
                memory.core_sheet()  # it is not older than a day that way
    except MemorandaError as error:
        log(variables, f"worker: {agent}: {error.code}: {error.message}")
    else:
        log(variables, f"worker: {agent}: {report.turns} turns in {time.monotonic() - began:.1f} s")


def _decide(root: str, variables: Mapping[str, str]) -> None:
    """What a hook had no time for."""
    from memoranda.memory import places
    from memoranda.model.errors import MemorandaError
    from memoranda.truth.places import state_folder
    from memoranda.views.hooks.block import BEGUN, decide

    begun = os.path.join(state_folder(places.state(variables), root), BEGUN)
    try:
        with open(begun, encoding="ascii") as file:
            decide(root, variables, int(file.read() or 0))
        os.unlink(begun)
    except (MemorandaError, OSError, ValueError) as error:
        log(variables, f"worker: core was not decided: {type(error).__name__}")


def _wanted(variables: Mapping[str, str]) -> list[tuple[str, str]]:
    """The marks, taken away: (agent, transcript), each once."""
    place = os.path.join(folder(variables), "wanted")
    found: dict[tuple[str, str], None] = {}
    for name in sorted(os.listdir(place)):
        try:
            with open(os.path.join(place, name), encoding="utf-8") as file:
                agent, transcript = file.read().split("\n")[:2]
            os.unlink(os.path.join(place, name))
        except (OSError, ValueError):
            continue
        found[agent, transcript] = None
    return list(found)


def _forget_old(variables: Mapping[str, str]) -> None:
    place = os.path.join(folder(variables), "sessions")
    try:
        for name in os.listdir(place):
            path = os.path.join(place, name)
            if time.time() - os.stat(path).st_mtime > KEPT_SECONDS:
                os.unlink(path)
    except OSError:
        return


def _name(agent: str, transcript: str) -> str:
    import hashlib

    return hashlib.sha256(f"{agent}/{transcript}".encode("utf-8", "backslashreplace")).hexdigest()[:16]


if __name__ == "__main__":
    try:
        work(os.environ)
    except Exception as error:
        log(os.environ, f"worker: {type(error).__name__}")
