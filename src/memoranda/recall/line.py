"""The read line: one function, each step once, in order.

Query -> signals -> rankings -> fuse -> hits -> facts, reweigh -> sections -> disclose -> answer. No step calls back,
none writes, and the same files, settings and clock give the same answer.
"""

from __future__ import annotations

from collections import Counter
from typing import Mapping, Sequence

from memoranda.model.errors import Invalid
from memoranda.model.query import Answer, Concluded, Hit, Query
from memoranda.model.values import replace
from memoranda.recall.absence import absences
from memoranda.recall.conclude import conclude
from memoranda.recall.disclose import disclose, strong, supported
from memoranda.recall.fuse import fuse, weights_for
from memoranda.recall.quote import quote
from memoranda.recall.readable import Readable
from memoranda.recall.reweigh import explain
from memoranda.recall.show import show
from memoranda.recall.signals import ask
from memoranda.recall.weights import CONCLUDED, SAID


def recall(query: Query, memories: Sequence[Readable], now: str) -> Answer:
    """What is known about the question, in sections that are never mixed.

    `now` is UTC, "YYYY-MM-DDTHH:MM:SSZ". Nothing found is an answer, not an error. Raises `Invalid` for a question
    without words or bounds below one.
    """
    if not query.text.strip():
        raise Invalid("there is no question", 'memoranda recall "what you want to know"')
    if query.limit < 1 or query.budget_tokens < 1 or query.neighbours < 0:
        raise Invalid("limit and budget are at least 1, neighbours at least 0")
    withheld: Counter[str] = Counter()
    found = ask(query, memories)
    saying = weights_for(found.turns, SAID)
    showing = weights_for(found.exhibits, SAID)
    fused = (fuse(found.records, CONCLUDED), fuse(found.turns, saying), fuse(found.exhibits, showing))
    each = (("concluded", found.records), ("said", found.turns), ("shown", found.exhibits))
    support = [supported(section, rankings, found.index) for section, rankings in each]
    records, turns, exhibits = (strong(hits, query, withheld, held) for hits, held in zip(fused, support, strict=True))
    concluded = conclude(records, found.owners, query, now, withheld)
    said = quote(turns, found.owners, query, withheld)
    shown = show(exhibits, found.owners, query, withheld) if exhibits else []
    sections = ([record for record, _ in concluded], [turn for turn, _ in said], [passage for passage, _ in shown])
    (n_records, n_turns, n_shown), tokens = disclose(*sections, query.budget_tokens, withheld)
    answer = Answer(
        query=query,
        concluded=tuple(sections[0][:n_records]),
        said=tuple(sections[1][:n_turns]),
        shown=tuple(sections[2][:n_shown]),
        index=found.index,
        withheld=tuple(sorted((reason, count) for reason, count in withheld.items() if count)),
        notices=(*_asked(query), *found.notices, *_behind(memories, now), *_together(sections[0][:n_records])),
        tokens=tokens,
        trace=(
            *_trace([hit for _, hit in concluded[:n_records]], CONCLUDED),
            *_trace([hit for _, hit in said[:n_turns]], saying),
            *_trace([hit for _, hit in shown[:n_shown]], showing),
        ),
    )
    if not query.why:
        return answer
    weighed = tuple(zip(fused, (CONCLUDED, saying, showing), support, strict=True))
    return replace(answer, absences=absences(query, weighed, _places(answer), memories, now))


def _places(answer: Answer) -> dict[str, str]:
    """Where each document of an answer stands in it."""
    concluded = {hit.record.id: f"concluded {n}" for n, hit in enumerate(answer.concluded, 1)}
    said = {
        locator.partition("#")[0]: f"said {n}"
        for n, hit in enumerate(answer.said, 1)
        for locator in (hit.locator, *hit.also)
    }
    return concluded | said


def _asked(query: Query) -> tuple[str, ...]:
    """Said of an answer about the past."""
    if not query.as_of:
        return ()
    return (f"as this memory knew it at {query.as_of}; places in code are held against what stands there now",)


def _together(concluded: Sequence[Concluded]) -> tuple[str, ...]:
    """Said when statements from outside add up to an order; seldom are there two."""
    if sum(hit.authority.outside for hit in concluded) < 2:
        return ()
    from memoranda.recall.slate import together

    return together(concluded)


def _behind(memories: Sequence[Readable], now: str) -> tuple[str, ...]:
    """Said when the clock shows less than what is already written: then nothing may be called expired."""
    newest = max((memory.newest for memory in memories), default="")
    if newest <= now:
        return ()
    return (f"the clock shows {now}, but {newest} has already been written: no expiry was applied; check the clock",)


def _trace(hits: Sequence[Hit], weights: Mapping[str, float]) -> tuple[tuple[str, str], ...]:
    return tuple((hit.row.doc, str(explain(hit, weights))) for hit in hits)
