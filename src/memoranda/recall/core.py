"""What is always in mind: the records in core/, under a fixed budget, cut by value, everything left out named."""

from __future__ import annotations

import re
from typing import Callable

from memoranda.model.record import Confidence, Record
from memoranda.model.values import dataclass
from memoranda.recall.facts import Facts, gather
from memoranda.recall.readable import Readable
from memoranda.recall.tokens import estimate
from memoranda.truth.sheet import core_line

#: Agents keep about this much of what a hook says; what is longer they put into a file and show its beginning
#: (Claude Code 2.1.332 and Codex 0.171.0 were seen to keep 9,990 characters whole, and not 10,010).
MOST_CHARS = 9_000

#: What a person would miss most, first.
_CATEGORIES = ("constraint", "preference", "decision", "goal", "reference", "summary", "note")
_CONFIDENCE = {Confidence.HIGH: 2, Confidence.MEDIUM: 1, Confidence.LOW: 0}
#: An image or other bytes, or what stands for them: a data URI or what is left of one, Markdown and HTML that embed.
_BYTES = re.compile(
    r"data:[\w.+-]+/[\w.+-]+[;,]|\[elided:[^\]]+\]|evidence:sha256:|!\[[^\]]*\][(\[]|<(?:img|video|audio|object)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CoreEntry:
    """One record in the block: where its file lies, and the marks that stand behind its words."""

    id: str
    path: str
    marks: str


@dataclass(frozen=True, slots=True)
class CoreBlock:
    """`text` is what goes before an agent, at most `budget` tokens; `left_out` names each record not in it and why.

    `entries` are the records in it, in its order.
    """

    text: str
    tokens: int
    budget: int
    left_out: tuple[str, ...] = ()
    entries: tuple[CoreEntry, ...] = ()


def core(memory: Readable, budget_tokens: int, now: str, count: Callable[[str], int] = estimate) -> CoreBlock:
    """The core of one memory. Records elsewhere play no part; untrusted, held, retired and replaced ones stay out.

    `count` says what a text costs in tokens.
    """
    world = memory.world()
    ids = sorted(id for id, entry in memory.catalog.entries.items() if entry.path.startswith("core/"))
    found = [(id, gather(id, memory, world, now)) for id in ids]
    left_out = [f"{id} ({_unfit(facts)})" for id, facts in found if _unfit(facts)]
    fit = sorted((facts for _, facts in found if facts is not None and not _unfit(facts)), key=_value)
    entries: list[CoreEntry] = []
    lines: list[str] = []
    spent = size = 0
    for facts in fit:
        entry = CoreEntry(facts.record.id, facts.record.path, _marks(facts))
        line = core_line(facts.record.body, entry.marks)
        cost = count(line + "\n")
        if spent + cost <= budget_tokens and size + len(line) <= MOST_CHARS:
            entries.append(entry)
            lines.append(line)
            spent += cost
            size += len(line) + 1
        else:
            left_out.append(f"{facts.record.id} {facts.record.headline[:80]} (over budget)")
    return CoreBlock("\n".join(lines), spent, budget_tokens, tuple(left_out), tuple(entries))


def beyond_text(record: Record) -> str:
    """What keeps a record out of core because it is not text alone, "" when it is."""
    if any(anchor.startswith("evidence:") for anchor in record.anchors):
        return "rests on stored bytes"
    return "shows an image or other bytes" if _BYTES.search(record.body) else ""


def _unfit(facts: Facts | None) -> str:
    """Why a record in core/ has no effect there, "" when it has."""
    if facts is None:
        return "unreadable"
    if facts.absent:
        return facts.absent
    if facts.successors:
        return f"replaced by {' '.join(facts.successors)}"
    return facts.authority.word if facts.authority.outside else beyond_text(facts.record)


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


def _marks(facts: Facts) -> str:
    record = facts.record
    marks = [record.id, record.category.value, facts.authority.word, record.created[:10]]
    if facts.broken:
        marks.append("stale: look again before relying on it")
    if facts.expired:
        marks.append("unverified")
    return ", ".join(marks)
