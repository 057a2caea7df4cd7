"""The page that people see at a target: README.md, with what is counted in a marked region.

What stands outside the region is a person's and stays, to the byte. A page without the marks is left alone.
"""

from __future__ import annotations

from typing import Mapping

from memoranda.model.share import Stamp
from memoranda.model.values import dataclass

BEGIN = "<!-- memoranda: counted, do not edit between the marks -->"
END = "<!-- memoranda: end -->"
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


@dataclass(frozen=True, slots=True)
class Facts:
    """What is counted: the rows as they stand after this push, by kind."""

    turns: int
    records: int
    retractions: int
    stamp: Stamp
    now: str

    @staticmethod
    def of(known: Mapping[str, str], new: Mapping[str, str], stamp: Stamp, now: str) -> Facts:
        ids = known.keys() | new.keys()
        turns = sum(id.startswith("turn:") for id in ids)
        gone = sum(id.startswith("gone:") for id in ids)
        return Facts(turns, len(ids) - turns - gone, gone, stamp, now)

    @property
    def rows(self) -> int:
        return self.turns + self.records + self.retractions


def renewed(page: str | None, facts: Facts) -> str | None:
    """The page as it should be, None when it may stay as it is."""
    if page is None:
        return _new(facts)
    begin, end = page.find(BEGIN), page.find(END)
    if begin < 0 or end < begin or page.count(BEGIN) > 1 or page.count(END) > 1:
        return None
    fresh = page[:begin] + _region(facts) + page[end + len(END) :]
    return fresh if fresh != page else None


def _region(facts: Facts) -> str:
    model = facts.stamp.embedder or "none (no vectors are published)"
    return "\n".join(
        (
            BEGIN,
            "| | |",
            "|---|---|",
            f"| turns | {facts.turns:,} |",
            f"| records | {facts.records:,} |",
            f"| retired since | {facts.retractions:,} |",
            f"| rows | {facts.rows:,} |",
            f"| model of the vectors | {model} |",
            f"| schema | {facts.stamp.schema} |",
            f"| last push | {facts.now[:10]} |",
            END,
        )
    )


def _new(facts: Facts) -> str:
    size = next((word for most, word in _SIZES if facts.rows < most), "n>1M")
    of = f"the project {facts.stamp.project}" if facts.stamp.project else "a person's agents"
    return f"""---
pretty_name: memory
tags: [memoranda, agent-memory, lance]
size_categories: ["{size}"]
---
# A memory

What {of} said and concluded, published with memoranda. Every row is whole: the
files it came from can be rebuilt from it. Rows are only added.

Recall from it with `memoranda recall --memory <this address> "a question"`, or open `memory.lance` with anything that
reads [Lance](https://lance.org).

{_region(facts)}

It holds words as they were said. Read it before you make it public.
"""
