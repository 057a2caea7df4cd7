"""Why something that was expected is not in an answer: the first step of the read line at which it was lost."""

from __future__ import annotations

from typing import Mapping, Sequence

from memoranda.model.query import Filters, Hit, Query
from memoranda.recall.disclose import weak
from memoranda.recall.facts import gather
from memoranda.recall.readable import Readable
from memoranda.recall.reweigh import explain
from memoranda.recall.weights import DENSE_FLOOR, DEPTH

Fused = tuple[Sequence[Hit], Mapping[str, float], bool]


def absences(
    query: Query, fused: Sequence[Fused], shown: Mapping[str, str], memories: Sequence[Readable], now: str
) -> tuple[tuple[str, str], ...]:
    """For each document of `query.why` one sentence. `fused` are the hits of each section before anything was left
    out, with their weights and whether the section has support; `shown` maps the documents of the answer to their
    places."""
    return tuple((doc, _why(doc, query, fused, shown, memories, now)) for doc in query.why)


def _why(
    doc: str, query: Query, fused: Sequence[Fused], shown: Mapping[str, str], memories: Sequence[Readable], now: str
) -> str:
    if doc in shown:
        return f"it is there: {shown[doc]}"
    replaced = ""
    if doc.startswith("mem_"):
        found = (gather(doc, memory, memory.world(), now) for memory in memories)
        facts = next((one for one in found if one is not None), None)
        if facts is None:
            return "its file cannot be read, or two files claim the id: memoranda check"
        if facts.absent:
            return f"{facts.absent}: memoranda history {doc}"
        if facts.successors and not query.history:
            replaced = f"replaced by {' '.join(facts.successors)}; --history shows it"
    for hits, weights, support in fused:
        for place, hit in enumerate(hits, 1):
            if hit.row.doc == doc:
                return replaced or _lost(hit, place, len(hits), query, weights, support)
    filtered = " under these filters" if query.filters != Filters() else ""
    return replaced or f"no signal ranks it among its first {DEPTH}{filtered}"


def _lost(hit: Hit, place: int, total: int, query: Query, weights: Mapping[str, float], support: bool) -> str:
    if not query.weak and not support:
        return "weak: nothing beside it holds enough of the question, nor does it; --weak shows all that was found"
    if not query.weak and weak(hit):
        return f"weak: no word in common, and a likeness of {hit.row.score:.2f} under {DENSE_FLOOR}; --weak shows it"
    where = f"place {place} of {total} by the signals ({explain(hit, weights)})"
    if place > query.limit:
        return f"{where}, and the limit is {query.limit}; --limit {place} goes further"
    return f"{where}, and the budget is {query.budget_tokens} tokens; --budget-tokens gives more"
