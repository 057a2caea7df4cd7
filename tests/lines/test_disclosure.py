"""What an answer costs does not grow with the memory, and what it leaves out is a named step away."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest
from support.attacks import FROM_A_PAGE
from support.doors import PERSON

from memoranda import Memory
from memoranda.model.errors import NotFound
from memoranda.model.record import Channel, Confidence
from memoranda.model.settings import Settings
from memoranda.recall.tokens import estimate
from memoranda.truth.grammar import print_record, seal
from memoranda.views.commands.call import Call
from memoranda.views.commands.parser import parse
from memoranda.views.commands.progress import Progress
from memoranda.views.commands.reading import recall
from memoranda.views.terminal import Page

WORDS = ("gateway", "parser", "cache", "deploy", "retry", "backup")


def filled(settings: Settings, number: int) -> Memory:
    """A memory of so many records, written as files: by a person, a word in common, each with its own number."""
    memory = Memory.init(settings=settings, door=PERSON)
    place = memory.root / "records" / "2026" / "07"
    place.mkdir(parents=True)
    for n in range(number):
        body = f"The {WORDS[n % 6]} decision number {n}: " + f"limit {n} holds for the staging cluster in detail. " * 4
        record = replace(FROM_A_PAGE, body=body, channel=Channel.DIRECT_SESSION, confidence=Confidence.HIGH)
        sealed = seal(replace(record, source="user_message", principal="owner"))
        (place / f"{sealed.id}-decision.md").write_bytes(print_record(sealed))
    memory.reindex()
    return memory


def page_of(memory: Memory, settings: Settings, *words: str) -> tuple[str, str]:
    """The page and its next commands."""

    class Here(Call):
        def settings(self) -> Settings:
            return settings

    call = Here(parse(["recall", "--lexical", *words]), memory.door, terminal=False, progress=Progress(quiet=True))
    page = Page()
    recall(call).draw(page)
    return page.text(), "\n".join(line for line in page.lines if line.startswith("run: memoranda recall"))


@pytest.mark.parametrize(
    ("number", "budget"), [(100, 4000), (1000, 600), pytest.param(10_000, 4000, marks=pytest.mark.slow)]
)
def test_b56_an_answer_stays_within_its_budget_and_names_the_way_to_the_rest(
    settings: Settings, number: int, budget: int
) -> None:
    with filled(settings, number) as memory:
        text, further = page_of(memory, settings, "--budget-tokens", str(budget), "staging cluster limit decision")
        assert estimate(text) <= budget
        assert "withheld: " in text
        for _ in range(4):  # each step shows more, until nothing of what was found is left out
            words = shlex.split(further.removeprefix("run: memoranda "))
            wider, further = page_of(memory, settings, *words[1:])
            assert wider.count("[concluded ") > text.count("[concluded ")
            text = wider
            if not further:
                break
        assert text.count("[concluded ") >= min(number, 100)


def test_c21_an_id_that_was_expected_is_explained(memory: Memory) -> None:
    one = memory.remember("The gateway retries five times").record  # type: ignore[union-attr]
    other = memory.remember("Lunch is at noon").record  # type: ignore[union-attr]
    assert one is not None
    assert other is not None
    found = memory.recall("gateway retries", why=[one.id[:10], other.id], lexical=True)
    assert found.absences == (
        (one.id, "it is there: concluded 1"),
        (other.id, "no signal ranks it among its first 100"),
    )
    with pytest.raises(NotFound):
        memory.recall("gateway", why=["mem_ffffffffffff"])
    with pytest.raises(NotFound, match="was captured"):
        memory.recall("gateway", why=["turn:claude/nothing/0"])
