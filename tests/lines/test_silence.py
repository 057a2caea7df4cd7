"""C20: a question without support gets nothing, and is told how much was withheld and how to see it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memoranda import Memory
from memoranda.model.query import IndexState, Ranked
from memoranda.recall.disclose import supported
from memoranda.recall.weights import LIKENESS, SUPPORT, SUPPORT_BY_WORDS


def captured(memory: Memory, folder: Path, *texts: str) -> None:
    rows = [
        {
            "format": 1, "session": "s", "turn": f"t{n}", "ts": f"2026-07-02T16:{n:02d}:00Z", "role": "user",
            "harness": "mine", "blocks": [{"type": "text", "text": text}],
        }
        for n, text in enumerate(texts)
    ]  # fmt: skip
    folder.mkdir()
    (folder / "s.turns.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    memory.capture([folder], embed_seconds=0)


@pytest.fixture
def stocked(memory: Memory, tmp_path: Path) -> Memory:
    memory.remember("The gateway retries three times before it gives up.")
    memory.remember("The parser keeps its backlog in memory.")
    captured(memory, tmp_path / "said", "Why does the gateway give up?", "It retries three times.", "And the parser?")
    return memory


def test_c20_words_that_match_by_chance_are_no_answer(stocked: Memory) -> None:
    question = "which zeppelin umbrella does the marzipan orchestra memory rehearse"
    found = stocked.recall(question, lexical=True)
    assert (found.concluded, found.said) == ((), ())
    assert dict(found.withheld)["weak"] >= 1
    shown = stocked.recall(question, lexical=True, weak=True)
    assert [hit.record.body for hit in shown.concluded] == ["The parser keeps its backlog in memory."]
    assert "weak" not in dict(shown.withheld)


def test_c20_why_says_that_a_section_had_no_support(stocked: Memory) -> None:
    (record,) = stocked.recall("parser backlog", lexical=True).concluded
    question = "which zeppelin umbrella does the marzipan orchestra memory rehearse"
    ((_, reason),) = stocked.recall(question, lexical=True, why=[record.record.id]).absences
    assert reason.startswith("weak:")
    assert "--weak" in reason


@pytest.mark.parametrize("question", ["how often does the gateway retry", "gateway", "what of the backlog in memory"])
def test_c20_what_is_asked_in_its_own_words_is_answered(stocked: Memory, question: str) -> None:
    assert stocked.recall(question, lexical=True).concluded


def test_c20_a_pasted_text_is_not_asked_for_every_word_of_it(stocked: Memory) -> None:
    noise = " ".join(f"frame{n}x{n * 7919:x}" for n in range(40))
    assert stocked.recall(f"gateway retries: {noise}", lexical=True).concluded


def ranked(score: float) -> list[Ranked]:
    return [Ranked(key="k", doc="d", kind="turn", score=score)]


@pytest.mark.parametrize("section", sorted(LIKENESS))
def test_c20_both_bounds_hold(section: str) -> None:
    whole, part = IndexState(current=True), IndexState(current=True, unembedded=1)
    below, above = {"covered": ranked(SUPPORT - 0.01)}, {"covered": ranked(SUPPORT)}
    unlike, like = {"dense": ranked(LIKENESS[section] - 0.01)}, {"dense": ranked(LIKENESS[section])}
    assert not supported(section, below | unlike, whole)
    assert supported(section, above | unlike, whole)
    assert supported(section, below | like, whole)
    assert supported(section, below | unlike, part)  # what has no vector cannot be alike
    assert supported(section, below, whole)
    assert not supported(section, {"covered": ranked(SUPPORT_BY_WORDS - 0.01)}, whole)
    assert supported(section, unlike, whole)
