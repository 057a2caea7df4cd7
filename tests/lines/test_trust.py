"""What kind of word a record is: whose it is stays with it, an agent's counts like a person's, doubt shows once."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any, Callable

import pytest
from support.doors import AGENT, PERSON, WEB

from memoranda import Memory
from memoranda.model.outcome import Stored
from memoranda.model.record import Channel, Confidence, Record
from memoranda.model.settings import Settings

Open = Callable[..., Memory]


def stored(memory: Memory, text: str, **more: Any) -> Record:
    outcome = memory.remember(text, **more)
    assert isinstance(outcome, Stored), outcome
    return outcome.record


@pytest.mark.parametrize("first", [PERSON, AGENT])
def test_b32_an_agents_conclusion_is_found_and_scored_like_a_persons(open_as: Open, first: Any) -> None:
    """The same words in the same shape, said by both: they differ in channel and confidence, not in their score."""
    second = AGENT if first is PERSON else PERSON
    one = stored(open_as(first), "The depot gate of hall seven uses the long timeout", category="constraint")
    two = stored(open_as(second), "The depot gate of hall three uses the long timeout", category="constraint")
    hits = {hit.record.id: hit for hit in open_as(AGENT).recall("depot gate long timeout", lexical=True).concluded}
    assert {one.id, two.id} <= set(hits)
    assert hits[one.id].score == pytest.approx(hits[two.id].score, rel=0.05)
    assert not [factor for hit in hits.values() for factor in hit.because if factor.multiplier != 1]
    words = {record.channel: record.confidence for record in (one, two)}
    assert words == {Channel.DIRECT_SESSION: Confidence.HIGH, Channel.AGENT: Confidence.MEDIUM}


@pytest.mark.parametrize("doubts", [1, 2, 5])
def test_b47_repeated_contradiction_puts_a_record_up_for_one_check(open_as: Open, doubts: int) -> None:
    person, agent = open_as(PERSON), open_as(AGENT)
    old = stored(person, "The depot gate closes at nine in the evening", category="constraint")
    for number in range(doubts):
        stored(agent, f"On walk {number} the gate was seen open at ten", contradicts=[old.id], category="reference")

    def unsettled() -> list[str]:
        (hit,) = [
            hit
            for hit in person.recall("when does the depot gate close in the evening", lexical=True).concluded
            if hit.record.id == old.id
        ]
        return [text for text in hit.notices if "not settled" in text]

    (note,) = unsettled()
    assert f"contradicted {doubts} times" in note
    assert person.history(old.id)[0].record.confidence is old.confidence  # doubt alone changes nothing
    agent.verify(old.id)  # what rests on nothing is a person's to confirm
    person.verify()
    assert len(unsettled()) == 1
    (looked,) = person.verify(old.id)
    assert looked.settled
    assert not person.verify(old.id)[0].settled
    assert [e.kind for e in person.history(old.id)[0].events].count("verified") == 1
    assert unsettled() == []
    stored(agent, "On a later walk the gate was seen open at eleven", contradicts=[old.id], category="reference")
    (again,) = unsettled()
    assert "contradicted 1 time" in again


def committed(shop: Path) -> Path:
    """A file of a repository with one commit."""
    ground = shop / "gate.py"
    shop.mkdir()
    ground.write_text("CLOSES = 21\n")
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (("init", "-q"), ("add", "."), (*who, "commit", "-qm", "gate")):
        subprocess.run(["git", "-C", str(shop), *words], check=True)
    return ground


def test_b47_ground_that_holds_settles_a_doubt_whoever_looks_and_changed_ground_does_not(
    open_as: Open, tmp_path: Path
) -> None:
    ground = committed(tmp_path / "shop")
    agent = open_as(AGENT)
    old = stored(agent, "The depot gate closes at nine in the evening", category="constraint", anchors=[str(ground)])
    stored(agent, "On one walk the gate was seen open at ten", contradicts=[old.id], category="reference")
    ground.write_text("CLOSES = 22\n")
    assert not agent.verify(old.id)[0].settled
    ground.write_text("CLOSES = 21\n")
    assert [one.settled for one in agent.verify()] == [True]


def test_b47_a_walk_begins_with_what_was_contradicted_then_the_oldest_ground(open_as: Open, tmp_path: Path) -> None:
    agent = open_as(AGENT)
    ground = committed(tmp_path / "shop")
    anchored = stored(agent, "The depot gate closes at nine in the evening", anchors=[str(ground)])
    stored(agent, "The depot has two gates")
    assert [one.record.id for one in agent.verify()] == [anchored.id]
    loose = stored(agent, "The depot is painted green", category="reference")
    stored(agent, "On one walk the depot was seen painted blue", contradicts=[loose.id], category="reference")
    first, second = agent.verify()
    assert (first.record.id, first.due, first.verdicts) == (loose.id, "contradicted 1 time since it was verified", ())
    assert (second.record.id, second.due) == (anchored.id, "")
    assert not first.settled


def test_b47_a_memory_that_cannot_be_written_is_looked_at_all_the_same(
    open_as: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memoranda.memory.store import Store
    from memoranda.model.errors import Unavailable

    def full(self: Store, kind: str, target: str, cause: str) -> None:
        raise Unavailable("the disk is full")

    person = open_as(PERSON)
    old = stored(person, "The depot gate closes at nine in the evening", category="constraint")
    stored(person, "On one walk the gate was seen open at ten", contradicts=[old.id], category="reference")
    monkeypatch.setattr(Store, "event", full)
    (looked,) = person.verify(old.id)
    assert not looked.settled


def test_b47_a_word_from_outside_raises_no_doubt(open_as: Open) -> None:
    person = open_as(PERSON)
    old = stored(person, "The depot gate closes at nine in the evening", category="constraint")
    open_as(WEB).remember("A page shows the gate open at ten", contradicts=[old.id])
    assert not [event for event in person.history(old.id)[0].events if event.kind == "contradicted"]


def test_b61_where_a_record_comes_from_stays_with_it_through_every_step(
    open_as: Open, settings: Settings, tmp_path: Path
) -> None:
    person = open_as(PERSON)
    mine = stored(person, "We decided that the depot gate closes at nine", category="decision", source="the meeting")
    page = stored(open_as(WEB), "The gate maker documents a timeout of ten seconds", source="maker.example/gate")
    person.promote(mine.id, core=True)
    person.promote(page.id)
    wanted = {r.id: (r.source, r.channel, r.principal, r.created) for r in (mine, page)}

    def told(record: Record) -> tuple[str, Channel, str | None, str]:
        return record.source, record.channel, record.principal, record.created

    hits = person.recall("depot gate timeout of the maker", lexical=True, weak=True).concluded
    assert {hit.record.id: told(hit.record) for hit in hits} == wanted
    assert {id: told(person.history(id)[0].record) for id in wanted} == wanted
    core = person.core()
    assert mine.id in core.text
    assert page.id not in core.text
    person.close()
    copy = tmp_path / "copy"
    shutil.copytree(person.root, copy)
    with Memory.open(copy, settings=settings, door=PERSON) as other:  # another's memory until it is trusted
        again = {id: other.history(id)[0] for id in wanted}
        assert {id: told(entry.record) for id, entry in again.items()} == wanted
        assert {entry.authority.name for entry in again.values()} <= {"FOREIGN", "EXTERNAL"}
        other.trust()
    with Memory.open(copy, settings=settings, door=PERSON) as other:
        assert {id: told(other.history(id)[0].record) for id in wanted} == wanted


def test_b61_a_copied_record_that_is_adopted_keeps_its_source_and_gains_nothing(open_as: Open, tmp_path: Path) -> None:
    with open_as(PERSON, tmp_path / "theirs") as theirs:
        page = stored(theirs, "The gate maker documents a timeout of ten seconds", source="maker.example/gate")
        file = theirs.root / page.path
    for adopter in (AGENT, WEB):
        memory = open_as(adopter)
        (adopted,) = memory.adopt([file])
        (outcome,) = adopted.outcomes
        record = getattr(outcome, "record", None)
        assert record is not None, outcome
        assert record.source == "maker.example/gate"
        assert page.id in record.aliases
        assert memory.history(record.id)[0].authority.outside
