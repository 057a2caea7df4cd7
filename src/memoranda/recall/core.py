"""What is always in mind: the records in core/, under a fixed budget, cut by value, everything left out named."""

from __future__ import annotations

from dataclasses import dataclass

from memoranda.model.record import Confidence
from memoranda.recall.facts import Facts, gather
from memoranda.recall.readable import Readable
from memoranda.recall.tokens import estimate

#: What a person would miss most, first.
_CATEGORIES = ("constraint", "preference", "decision", "goal", "reference", "summary", "note")
_CONFIDENCE = {Confidence.HIGH: 2, Confidence.MEDIUM: 1, Confidence.LOW: 0}


@dataclass(frozen=True, slots=True)
class CoreBlock:
    """`text` is what goes before an agent, at most `budget` tokens; `left_out` names each record not in it and why."""

    text: str
    tokens: int
    budget: int
    left_out: tuple[str, ...] = ()


def core(memory: Readable, budget_tokens: int, now: str) -> CoreBlock:
    """The core of one memory. Records elsewhere play no part; untrusted, held, retired and replaced ones stay out."""
    world = memory.world()
    ids = sorted(id for id, entry in memory.catalog.entries.items() if entry.path.startswith("core/"))
    found = [(id, gather(id, memory, world, now)) for id in ids]
    left_out = [f"{id} ({_unfit(facts)})" for id, facts in found if _unfit(facts)]
    fit = sorted((facts for _, facts in found if facts is not None and not _unfit(facts)), key=_value)
    lines: list[str] = []
    spent = 0
    for facts in fit:
        line = _line(facts)
        cost = estimate(line + "\n")
        if spent + cost <= budget_tokens:
            lines.append(line)
            spent += cost
        else:
            left_out.append(f"{facts.record.id} {facts.record.headline[:80]} (over budget)")
    return CoreBlock("\n".join(lines), spent, budget_tokens, tuple(left_out))


def _unfit(facts: Facts | None) -> str:
    """Why a record in core/ has no effect there, "" when it has."""
    if facts is None:
        return "unreadable"
    if facts.absent:
        return facts.absent
    if facts.successors:
        return f"replaced by {' '.join(facts.successors)}"
    return facts.authority.word if facts.authority.outside else ""


def _value(facts: Facts) -> tuple[bool, int, int, int, str, str]:
    """Sort key, most valuable first: sound ground, authority, confidence, category, then the most recent ground."""
    record = facts.record
    since = max(record.created, facts.standing.verified)
    return (
        bool(facts.broken),
        -facts.authority,
        -_CONFIDENCE[record.confidence],
        _CATEGORIES.index(record.category.value),
        _backwards(since),
        record.id,
    )


def _backwards(text: str) -> str:
    """A key that sorts later times first."""
    return "".join(chr(0x7F - ord(char)) if char.isascii() else char for char in text)


def _line(facts: Facts) -> str:
    record = facts.record
    marks = [record.category.value, facts.authority.word, record.created[:10]]
    if facts.broken:
        marks.append("stale: look again before relying on it")
    if facts.expired:
        marks.append("unverified")
    body = record.body.strip().replace("\n", "\n  ")
    return f"- {body} [{record.id}, {', '.join(marks)}]"
