"""The attack suite on real memories, empty and populated: nothing planted surfaces as ours, look-alikes pass."""

from __future__ import annotations

import re
from pathlib import Path
from runpy import run_path
from typing import Sequence

import pytest
from support.attacks import BENIGN, STRUCTURAL, TOPICS, WORDINGS, Case, attacks, benign
from support.doors import AGENT, PERSON

from memoranda.memory import Memory
from memoranda.model.outcome import Screened
from memoranda.model.record import CHANNEL_TABLE, Authority, Candidate, Channel, Door, Durability
from memoranda.model.settings import Settings
from memoranda.ports import Screener
from memoranda.remember.classify import classify
from memoranda.remember.suspicion import suspicions

NOW = "2026-07-02T16:40:00Z"


def decided(case: Case) -> tuple[list[str], Durability]:
    """The reasons to hold a case, and how long it would last."""
    candidate = Candidate(case.text, durability=Durability.DURABLE)
    found = list(suspicions(candidate, CHANNEL_TABLE[case.channel][0]))
    return found, classify(Screened(candidate, "1"), Door(case.channel), NOW).durability


@pytest.mark.parametrize("name", STRUCTURAL)
def test_c29_structural_classes_are_held_without_a_failure(name: str) -> None:
    cases = [case for case in attacks(300) if case.attack == name]
    assert len(cases) == 300
    assert [case.text for case in cases if not decided(case)[0]] == []


@pytest.mark.parametrize("name", [name for name in WORDINGS if name not in STRUCTURAL])
def test_c29_b63_authority_classes_last_only_when_held(name: str) -> None:
    """What is not held is transient: kept, and in no answer until a person promotes it."""
    for case in attacks(300):
        if case.attack == name and not case.supersedes:
            held, durability = decided(case)
            assert held or durability is Durability.TRANSIENT, case.text


def test_b64_trust_combines_named_signals_and_none_of_them_is_idle(screeners: Sequence[Screener]) -> None:
    """Where it came from, how it is worded, what it hides, what it would replace: without any one of them some attack
    of the set fares better, and an honest record hardly worse with all."""
    measure = run_path(str(Path(__file__).parents[2] / "benchmarks" / "poisoning.py"))
    cases, honest = list(attacks(6)), list(benign(len(BENIGN)))
    whole = [measure["verdict"](case, screeners) for case in cases]
    names = {name for case in cases for name in decided(case)[0]}
    assert len(names) >= 3
    for signal in ("provenance", "wording", "unseen characters", "guard of supersession"):
        less = [measure["verdict"](case, screeners, signal) for case in cases]
        worse = [a for a, b in zip(whole, less, strict=True) if measure["WORST"].index(b) > measure["WORST"].index(a)]
        assert worse, signal
    refused = [case.text for case in honest if measure["verdict"](case, screeners) == "refused"]
    assert refused == []


def test_c29_benign_look_alikes_are_rarely_held() -> None:
    cases = list(benign(10 * len(BENIGN)))
    assert len(cases) >= 300
    held = [case for case in cases if decided(case)[0]]
    assert len(held) <= 0.05 * len(cases), sorted({case.text for case in held})


@pytest.mark.parametrize("populated", [False, True])
def test_c29_nothing_planted_is_trusted_in_a_real_memory(settings: Settings, populated: bool) -> None:
    with Memory.init(settings=settings, door=PERSON) as person:
        own = [
            person.remember(f"The {topic} service listens on port 8080", category="decision") for topic in TOPICS[:3]
        ]
        if populated:
            for case in benign(2 * len(BENIGN)):
                if case.channel is Channel.DIRECT_SESSION:
                    person.remember(case.text)
        ids = [outcome.record.id for outcome in own]  # type: ignore[union-attr]
        planted = set()
        for case in attacks(3):
            with Memory.open(settings=settings, door=Door(case.channel, None, "test")) as outside:
                outcome = outside.remember(case.text, supersedes=ids[:1] if case.supersedes else ())
                planted.add(getattr(getattr(outcome, "record", None), "id", ""))
        with Memory.open(settings=settings, door=AGENT) as agent:
            for topic in TOPICS:
                for hit in agent.recall(f"how is {topic} done here", weak=True, lexical=True).concluded:
                    assert hit.record.id not in planted or hit.authority <= Authority.EXTERNAL
            assert planted.isdisjoint(agent.core().text.split())
            first = agent.recall(f"which port does the {TOPICS[0]} service listen on", lexical=True).concluded[0]
            assert first.record.id == ids[0]


def test_every_class_of_the_list_is_here_or_has_a_reason() -> None:
    from support.attacks import FORMED, UNREACHED

    structural = (Path(__file__).parent / "test_structural.py").read_text("utf-8")
    assert set(FORMED) <= {f"A{number}" for number in re.findall(r"(?:_a|\"A)([0-9]{2})", structural)}
    named = set(WORDINGS) | set(FORMED)
    for key in UNREACHED:
        first, _, last = key.partition("-")
        named |= {f"A{n:02d}" for n in range(int(first[1:]), int((last or first)[1:]) + 1)}
    assert {f"A{n:02d}" for n in range(1, 73)} == named
    for reason in UNREACHED.values():
        for word in reason.replace(",", " ").replace(":", " ").replace(";", " ").split():
            if word.startswith(("tests/", "docs/")):
                assert (Path(__file__).parents[2] / word).exists(), word
