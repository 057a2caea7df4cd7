"""What the events say of a record, folded into one value.

Pure: the same events in any order give the same standing. Where two events disagree, the one that leaves less
authority wins (SPEC section 1), but for pairs whose order the chain proves: a later event of the same writer, or one
that had `seen` the other, replaces it. No clock decides anything.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Callable, Iterable, Mapping

from memoranda.model.event import Event
from memoranda.model.values import dataclass

#: Kinds that settle the same question, the one that leaves less authority first.
_QUESTIONS: tuple[tuple[str, ...], ...] = (
    ("retired",),
    ("rejected", "released"),
    ("demoted", "promoted"),
    ("endorsed",),
)


@dataclass(frozen=True, slots=True)
class Standing:
    """`verified` is the time of the last verification ("" for none); `contradicted` counts those that no
    verification is known to follow. `events` respect the chains."""

    retired: bool = False
    released: bool = False
    rejected: bool = False
    promoted: bool = False
    endorsed: bool = False
    verified: str = ""
    contradicted: int = 0
    events: tuple[Event, ...] = ()


NOTHING = Standing()


def fold(events: Iterable[Event], effective: Callable[[Event], bool]) -> Mapping[str, Standing]:
    """Standing by target digest. Events for which `effective` is False (foreign ones) are listed and change nothing."""
    by_target: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        by_target[event.target].append(event)
    return {target: _one(group, effective) for target, group in by_target.items()}


def _one(group: list[Event], effective: Callable[[Event], bool]) -> Standing:
    group = _by_cause(group)
    counted = [event for event in group if effective(event)]
    answer = {kinds: _settle([e for e in counted if e.kind in kinds], kinds) for kinds in _QUESTIONS}
    checks = [e for e in counted if e.kind == "verified"]
    doubts = [e for e in counted if e.kind == "contradicted"]
    return Standing(
        retired=answer[("retired",)] == "retired",
        released=answer[("rejected", "released")] == "released",
        rejected=answer[("rejected", "released")] == "rejected",
        promoted=answer[("demoted", "promoted")] == "promoted",
        endorsed=answer[("endorsed",)] == "endorsed",
        verified=max((e.ts for e in _last(checks)), default=""),
        contradicted=sum(1 for doubt in doubts if not any(_follows(check, doubt) for check in checks)),
        events=tuple(group),
    )


def _settle(events: list[Event], kinds: tuple[str, ...]) -> str:
    """The kind that stands: of the events no other one is known to follow, the one with less authority."""
    present = {e.kind for e in _last(events)}
    return next((kind for kind in kinds if kind in present), "")


def _last(events: list[Event]) -> list[Event]:
    """Those that no other one is known to follow."""
    newest: dict[str, Event] = {}
    for event in events:
        if event.writer not in newest or event.n > newest[event.writer].n:
            newest[event.writer] = event
    return [e for e in newest.values() if not any(_follows(other, e) for other in events)]


def _by_cause(events: list[Event]) -> list[Event]:
    """In an order that respects each chain and what its writer had seen; times decide only where both are silent."""
    chains: dict[str, list[Event]] = defaultdict(list)
    for event in sorted(events, key=lambda event: event.n, reverse=True):
        chains[event.writer].append(event)
    ordered: list[Event] = []
    while chains:
        heads = [chain[-1] for chain in chains.values()]
        ready = [e for e in heads if not any(_follows(e, other) for other in heads if other is not e)]
        first = min(ready or heads, key=lambda event: (event.ts, event.writer))
        ordered.append(first)
        chains[first.writer].pop()
        if not chains[first.writer]:
            del chains[first.writer]
    return ordered


def _follows(later: Event, earlier: Event) -> bool:
    if later.writer == earlier.writer:
        return later.n > earlier.n
    return bool(later.seen) and (later.seen or {}).get(earlier.writer, -1) >= earlier.n
