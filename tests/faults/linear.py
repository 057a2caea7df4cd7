"""Is a history of one register linearizable? Wing and Gong's search, with the states already seen remembered (Lowe).

A history is a list of operations, each with the moments of its call and its return; of one that never returned nobody
knows whether it took effect, so its return is `inf` and it may be left out. The register is the set of records that
supersede one record: `add` puts one in, `read` sees the set. (J. M. Wing, C. Gong, "Testing and verifying concurrent
objects", 1993; G. Lowe, "Testing for linearizability", 2017.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Done:
    """One operation: `kind` is "add" of one member, or "read" of a set."""

    kind: str
    value: frozenset[str]
    called: float
    returned: float = math.inf


def linearizable(history: Sequence[Done]) -> bool:
    """Whether some order of all finished operations respects their times and explains every read."""
    operations = sorted(history, key=lambda done: done.called)
    finished = frozenset(n for n, done in enumerate(operations) if done.returned < math.inf)
    seen: set[tuple[frozenset[int], frozenset[str]]] = set()
    todo: list[tuple[frozenset[int], frozenset[str]]] = [(frozenset(), frozenset())]
    while todo:
        placed, state = todo.pop()
        if finished <= placed:
            return True
        if (placed, state) in seen:
            continue
        seen.add((placed, state))
        left = [n for n in range(len(operations)) if n not in placed]
        before = min(operations[n].returned for n in left)
        for n in left:
            done = operations[n]
            if done.called > before:  # something returned before this was called, so it cannot be next
                break
            if done.kind == "read" and done.value != state:
                continue
            todo.append((placed | {n}, state | done.value if done.kind == "add" else state))
    return False
