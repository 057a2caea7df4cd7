"""Tells whether a person sits before the agent that started this hook. When it cannot be told, one does.

Agents that say so in the environment are believed. For the others the processes above this one are looked at, as far
as /proc shows them: an agent that was given a flag to print one answer, or that has no terminal, has no person.
"""

from __future__ import annotations

import os
from typing import Mapping, NamedTuple

_HIGHEST = 8  # an agent, its runtime, a shell and a wrapper or two


class Signs(NamedTuple):
    """How one agent is known among the processes, and when nobody sits before it.

    `programs` are names of its executable or script, `flags` arguments of a run without a person, `terminal` says that
    a run with a person always has one. `variable` is set in its environment to how it was started; `values` are the
    beginnings of those without a person.
    """

    programs: tuple[str, ...]
    flags: tuple[str, ...] = ()
    terminal: bool = True
    variable: str = ""
    values: tuple[str, ...] = ()


def headless(signs: Signs, variables: Mapping[str, str], proc: str = "/proc") -> bool:
    """True when the agent above this process runs without a person."""
    named = variables.get(signs.variable, "") if signs.variable else ""
    if named:
        return named.startswith(signs.values)
    process = os.getppid()
    for _ in range(_HIGHEST):
        words = _command(proc, process)
        names = [os.path.basename(word) for word in words[:3]]
        if any(name.partition(".")[0] in signs.programs for name in names):
            return bool(set(words) & set(signs.flags)) or (signs.terminal and not _terminal(proc, process))
        process = _parent(proc, process)
        if process <= 1:
            break
    return False


def _command(proc: str, process: int) -> list[str]:
    try:
        with open(f"{proc}/{process}/cmdline", "rb") as file:
            return file.read(1 << 16).decode("utf-8", "replace").split("\0")
    except OSError:
        return []


def _parent(proc: str, process: int) -> int:
    try:
        with open(f"{proc}/{process}/stat", "rb") as file:  # the name in brackets may hold anything
            return int(file.read(4096).rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0


def _terminal(proc: str, process: int) -> bool:
    """Whether its input or its output is a terminal; True when it cannot be seen."""
    seen = False
    for number in (0, 1):
        try:
            place = os.readlink(f"{proc}/{process}/fd/{number}")
        except OSError:
            continue
        seen = True
        if place.startswith(("/dev/pts/", "/dev/tty", "/dev/console")):
            return True
    return not seen
