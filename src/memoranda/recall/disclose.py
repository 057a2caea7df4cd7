"""Cut an answer to its budget, and say what was left out."""

from __future__ import annotations

from collections import Counter
from typing import Mapping, Sequence

from memoranda.model.query import Concluded, Hit, IndexState, Query, Ranked, Said, Shown
from memoranda.recall.tokens import estimate
from memoranda.recall.weights import DENSE_FLOOR, LIKENESS, SUPPORT, SUPPORT_BY_WORDS

#: What is printed around a record, a passage, a neighbour, and once around the whole answer, in tokens: names, dates,
#: locators, commands. On the page for programs (tests/golden/cli/recall.txt) `estimate` gives 147, 104, 8 and 164;
#: rounded up for longer names.
RECORD_TOKENS, PASSAGE_TOKENS, NEIGHBOUR_TOKENS, ANSWER_TOKENS = 160, 120, 12, 180


def supported(section: str, rankings: Mapping[str, Sequence[Ranked]], index: IndexState) -> bool:
    """Whether any row of a section says enough of what was asked for the section to be an answer.

    Where the question's words are found in names and titles alone, or not at all, there is nothing to judge by: then
    only `weak` speaks.
    """
    covered, dense = rankings.get("covered", ()), rankings.get("dense", ())
    if not covered:
        return True
    complete = bool(dense) and not index.unembedded
    share = max(row.score for row in covered)
    likeness = max((row.score for row in dense), default=0.0)
    return share >= (SUPPORT if complete else SUPPORT_BY_WORDS) or likeness >= LIKENESS[section]


def strong(hits: Sequence[Hit], query: Query, withheld: Counter[str], support: bool) -> list[Hit]:
    """Hits without the weak ones: all of a section without support, and those found by meaning alone that even there
    are hardly alike.

    Only those that would have been shown are counted: everything is hardly alike to any question.
    """
    if query.weak:
        return list(hits)
    withheld["weak"] += sum(1 for hit in hits[: query.limit] if not support or weak(hit))
    return [hit for hit in hits if support and not weak(hit)]


def weak(hit: Hit) -> bool:
    """Found by meaning alone, and hardly alike even there."""
    return [signal for signal, _ in hit.ranks] == ["dense"] and hit.row.score < DENSE_FLOOR


def disclose(
    concluded: Sequence[Concluded],
    said: Sequence[Said],
    shown: Sequence[Shown],
    budget_tokens: int,
    withheld: Counter[str],
) -> tuple[tuple[int, int, int], int]:
    """How many of each section the budget holds, taken in turn from each, and the tokens they cost.

    A section ends at the first that does not fit, so that no place in it is skipped; what follows is counted.
    """
    costs = (list(map(record_cost, concluded)), list(map(passage_cost, said)), list(map(exhibit_cost, shown)))
    taken, closed, spent = [0, 0, 0], set[int](), ANSWER_TOKENS
    for place in range(max(map(len, costs))):
        for section, each in enumerate(costs):
            if place >= len(each) or section in closed:
                continue
            if spent + each[place] > budget_tokens:
                closed.add(section)
                continue
            spent += each[place]
            taken[section] += 1
    withheld["over budget"] += sum(map(len, costs)) - sum(taken)
    return (taken[0], taken[1], taken[2]), spent if any(taken) else 0


def record_cost(shown: Concluded) -> int:
    """Tokens of a record as it is shown, estimated high."""
    words = [shown.record.body, *shown.notices, *(f.reason for f in shown.because), *(v.anchor for v in shown.verdicts)]
    return RECORD_TOKENS + sum(map(estimate, words))


def passage_cost(shown: Said) -> int:
    """Tokens of a passage and its neighbours as they are shown, estimated high."""
    around = (*shown.before, *shown.after)
    words = [shown.text, *(neighbour.text for neighbour in around)]
    return PASSAGE_TOKENS + NEIGHBOUR_TOKENS * len(around) + sum(map(estimate, words))


def exhibit_cost(shown: Shown) -> int:
    """Tokens of a passage of an exhibit as it is shown, estimated high."""
    return PASSAGE_TOKENS + estimate(shown.text) + estimate(shown.locator)
