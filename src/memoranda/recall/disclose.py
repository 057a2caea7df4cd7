"""Cut an answer to its budget, and say what was left out."""

from __future__ import annotations

from collections import Counter
from typing import Iterator, Sequence

from memoranda.model.query import Concluded, Hit, Query, Said
from memoranda.recall.tokens import estimate
from memoranda.recall.weights import DENSE_FLOOR

#: What is printed around a record, a passage, a neighbour, and once around the whole answer, in tokens: names, dates,
#: locators, commands. On the page for programs (tests/golden/cli/recall.txt) `estimate` gives 147, 104, 8 and 164;
#: rounded up for longer names.
RECORD_TOKENS, PASSAGE_TOKENS, NEIGHBOUR_TOKENS, ANSWER_TOKENS = 160, 120, 12, 180


def strong(hits: Sequence[Hit], query: Query, withheld: Counter[str]) -> list[Hit]:
    """Hits without the weak ones: found by meaning alone, and even there hardly alike.

    Only those that would have been shown are counted: everything is hardly alike to any question.
    """
    if query.weak:
        return list(hits)
    withheld["weak"] += sum(1 for hit in hits[: query.limit] if _weak(hit))
    return [hit for hit in hits if not _weak(hit)]


def _weak(hit: Hit) -> bool:
    return [signal for signal, _ in hit.ranks] == ["dense"] and hit.row.score < DENSE_FLOOR


def disclose(
    concluded: Sequence[Concluded], said: Sequence[Said], budget_tokens: int, withheld: Counter[str]
) -> tuple[tuple[Concluded, ...], tuple[Said, ...], int]:
    """As much of both sections as the budget holds, taken in turn from each; returns them and the tokens they cost.

    A section ends at the first that does not fit, so that no place in it is skipped; what follows is counted.
    """
    records, passages, spent = 0, 0, ANSWER_TOKENS
    open_sections = {"concluded", "said"}
    for section in _in_turn(len(concluded), len(said)):
        if section not in open_sections:
            continue
        cost = record_cost(concluded[records]) if section == "concluded" else passage_cost(said[passages])
        if spent + cost > budget_tokens:
            open_sections.discard(section)
            continue
        spent += cost
        records += section == "concluded"
        passages += section == "said"
    withheld["over budget"] += len(concluded) - records + len(said) - passages
    return tuple(concluded[:records]), tuple(said[:passages]), spent if records or passages else 0


def _in_turn(records: int, passages: int) -> Iterator[str]:
    for place in range(max(records, passages)):
        if place < records:
            yield "concluded"
        if place < passages:
            yield "said"


def record_cost(shown: Concluded) -> int:
    """Tokens of a record as it is shown, estimated high."""
    words = [shown.record.body, *shown.notices, *(f.reason for f in shown.because), *(v.anchor for v in shown.verdicts)]
    return RECORD_TOKENS + sum(map(estimate, words))


def passage_cost(shown: Said) -> int:
    """Tokens of a passage and its neighbours as they are shown, estimated high."""
    around = (*shown.before, *shown.after)
    words = [shown.text, *(neighbour.text for neighbour in around)]
    return PASSAGE_TOKENS + NEIGHBOUR_TOKENS * len(around) + sum(map(estimate, words))
