"""What the events say of a record, folded into one value.

Pure: the same events in any order give the same standing. Where two events disagree, the one that leaves less
authority wins (SPEC section 1), but for pairs whose order the chain proves: a later event of the same writer, or one
that had `seen` the other, replaces it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Callable, Iterable, Mapping

from memoranda.model.event import Event

#: Kinds that settle the same question, the one that leaves less authority first.
_QUESTIONS: tuple[tuple[str, ...], ...] = (
    ("retired",),
    ("rejected", "released"),
    ("demoted", "promoted"),
    ("endorsed",),
)


@dataclass(frozen=True, slots=True)
class Standing:
    """`verified` is the time of the last verification ("" for none); `contradicted` counts those since then."""

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
    group.sort(key=lambda event: (event.ts, event.writer, event.n))
    counted = [event for event in group if effective(event)]
    answer = {kinds: _settle([e for e in counted if e.kind in kinds], kinds) for kinds in _QUESTIONS}
    verified = max((e.ts for e in counted if e.kind == "verified"), default="")
    return Standing(
        retired=answer[("retired",)] == "retired",
        released=answer[("rejected", "released")] == "released",
        rejected=answer[("rejected", "released")] == "rejected",
        promoted=answer[("demoted", "promoted")] == "promoted",
        endorsed=answer[("endorsed",)] == "endorsed",
        verified=verified,
        contradicted=sum(1 for e in counted if e.kind == "contradicted" and e.ts >= verified),
        events=tuple(group),
    )


def _settle(events: list[Event], kinds: tuple[str, ...]) -> str:
    """The kind that stands: of the events no other one is known to follow, the one with less authority."""
    last = [e for e in events if not any(_follows(other, e) for other in events)]
    present = {e.kind for e in last}
    return next((kind for kind in kinds if kind in present), "")


def _follows(later: Event, earlier: Event) -> bool:
    if later.writer == earlier.writer:
        return later.n > earlier.n
    return bool(later.seen) and (later.seen or {}).get(earlier.writer, -1) >= earlier.n
