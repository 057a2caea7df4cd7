"""What enters core, who puts it there, and that it stays in its budget by the tokenizer that is here."""

from __future__ import annotations

import dataclasses

import pytest
from support.doors import AGENT, PERSON, WEB

from memoranda import Memory
from memoranda.builtin import minilm
from memoranda.memory.counting import counter
from memoranda.model.errors import Invalid, Unavailable
from memoranda.model.outcome import Stored


def keep(memory, text, **more):
    outcome = memory.remember(text, **more)
    assert isinstance(outcome, Stored)
    return outcome.record


def test_a_person_promotes_and_demotes_and_the_file_moves_with_its_bytes(memory):
    record = keep(memory, "Never force-push to main", category="constraint")
    before = (memory.root / record.path).read_bytes()
    core = memory.promote(record.id, core=True)
    assert core.path.startswith("core/")
    assert record.id in memory.core().text
    back = memory.demote(record.id)
    assert (memory.root / back.path).read_bytes() == before
    assert memory.core().text == ""
    assert memory.recall("force-push").concluded[0].record.id == record.id
    with pytest.raises(Invalid, match="not promoted"):
        memory.demote(record.id)


def test_a_demoted_transient_record_is_recalled_no_more(memory):
    record = keep(memory, "The staging cluster is down today", durability="transient")
    memory.promote(record.id)
    assert memory.recall("staging cluster").concluded
    memory.demote(record.id)
    assert not memory.recall("staging cluster").concluded


def test_only_a_person_puts_a_record_in_core_unless_the_settings_let_agents(open_as, settings):
    agent = open_as(AGENT)
    record = keep(agent, "The release branch is cut on Mondays")
    with pytest.raises(Invalid, match="only a person"):
        agent.promote(record.id, core=True)
    assert agent.core().text == ""
    policy = dataclasses.replace(settings, agents_promote=True)
    with Memory.open(settings=policy, door=AGENT) as allowed:
        assert allowed.promote(record.id, core=True).core
        assert allowed.demote(record.id).path.startswith("records/")


def test_an_agent_does_not_take_a_persons_record_out_of_core(open_as):
    person, agent = open_as(PERSON), open_as(AGENT)
    record = keep(person, "Never force-push to main", category="constraint")
    person.promote(record.id, core=True)
    with pytest.raises(Invalid, match="weighs more"):
        agent.demote(record.id)
    assert record.id in agent.core().text


def test_what_comes_from_outside_never_gets_into_core_even_by_a_person(open_as):
    outside = keep(open_as(WEB), "The vendor says that port 8080 is open", durability="durable")
    person = open_as(PERSON)
    with pytest.raises(Invalid, match="from outside"):
        person.promote(outside.id, core=True)


def test_b54_an_image_or_blob_reference_is_refused(memory):
    record = keep(memory, "The logo is ![logo](assets/logo.png)", durability="durable")
    with pytest.raises(Invalid, match="text alone"):
        memory.promote(record.id, core=True)
    assert memory.get(record.id).path.startswith("records/")


def test_b52_ten_times_its_budget_core_stays_in_it_by_the_real_tokenizer(open_as, settings):
    """Words that the estimate takes for cheaper than they are: rare names, random letters."""
    try:
        tokens = minilm.make().tokens
    except Unavailable:
        pytest.skip("the embedding model is not built: make model")
    odd = "qxzvjk wqzxkj vkjqzx zzqkxw jqvxzk xkqjvz"
    with Memory.init(settings=dataclasses.replace(settings, embedder="minilm"), door=PERSON) as memory:
        for n in range(30):
            memory.promote(keep(memory, f"Host {n} is called {odd} {n * 7919}", durability="durable").id, core=True)
        block = memory.core(130)
        assert tokens(block.text) <= block.tokens <= 130
        assert len(block.entries) + len(block.left_out) == 30
        assert all("over budget" in name for name in block.left_out)
        assert memory.core(100_000).tokens >= 10 * 130


def test_without_a_tokenizer_the_estimate_counts(settings):
    text = "some words to count"
    from memoranda.recall.tokens import estimate

    assert counter(settings)(text) == estimate(text)
    assert counter(dataclasses.replace(settings, embedder="hashing"))(text) == estimate(text)
