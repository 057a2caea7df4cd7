"""The agents' own programs, wired by `memoranda connect`, against a model on loopback.

What is claimed of an agent is seen here in what its model was sent: the core block where a person agreed to it, the
answer of recall, and nothing else of ours; and afterwards its turns in the memory. `make clients` fetches the programs
(hundreds of megabytes); without them each test says so and is skipped.
"""

from __future__ import annotations

import json

import pytest
from support.hooking import until

from clients.recipes import RECIPES, fetch

HERE = [name for name in RECIPES if fetch.program(name) is not None]
AGENTS = [
    pytest.param(name, marks=[] if name in HERE else pytest.mark.skip(reason=f"{name} is not fetched: make clients"))
    for name in RECIPES
]
#: These run with every test, the others with `make clients`.
FIRST = [
    agent
    if set(agent.values) & {"claude", "codex"}
    else pytest.param(*agent.values, marks=[*agent.marks, pytest.mark.clients])
    for agent in AGENTS
]


@pytest.mark.parametrize("agent", FIRST)
def test_b52_c17_core_is_seen_recall_answers_and_the_turn_is_captured(desk, agent):
    here = desk(agent)
    here.connect()
    heard = here.ask(MEMORANDA_HOOK_HEADLESS="1")
    assert "vermilion" in heard, "core did not reach the model"
    assert heard.count("vermilion rule") <= 4 * len(here.model.requests)
    assert "zanzibar" in heard, "recall was not called"
    until(lambda: "turns in" in here.user.log())
    with here.user.memory() as memory:
        said = memory.recall("quokka", lexical=True).said
        assert any("quokka" in hit.text and hit.role == "user" for hit in said)
        assert not any("vermilion" in hit.text for hit in memory.recall("vermilion", lexical=True).said)


@pytest.mark.clients
@pytest.mark.parametrize("agent", AGENTS)
def test_c17_a_run_without_a_person_is_given_nothing(desk, agent):
    here = desk(agent)
    here.connect()
    heard = here.ask()
    assert "vermilion" not in heard
    assert "zanzibar" in heard, "recall was not called"


@pytest.mark.clients
@pytest.mark.parametrize("agent", AGENTS)
def test_a22_a23_without_the_core_hook_nothing_is_put_in(desk, agent):
    here = desk(agent)
    here.connect("--no-core", "--no-rules")
    heard = here.ask(MEMORANDA_HOOK_HEADLESS="1")
    assert "vermilion" not in heard
    assert "Past sessions and decisions are kept" not in heard


@pytest.mark.clients
@pytest.mark.parametrize("agent", [agent for agent in AGENTS if "hermes" not in agent.values])  # takes no prompt then
def test_b52_with_a_person_at_a_terminal_core_is_seen_and_the_turn_is_captured(desk, agent):
    here = desk(agent)
    here.connect()
    shown = here.sit(lambda heard: "vermilion" in heard and "zanzibar" in heard)
    assert not shown, shown
    until(lambda: "turns in" in here.user.log())


@pytest.mark.clients
@pytest.mark.skipif("claude" not in HERE, reason="claude is not fetched: make clients")
def test_b52_a_session_that_goes_on_is_told_of_a_new_core_once_and_of_an_old_one_never_again(desk):
    here = desk("claude")
    here.connect()
    more = {"MEMORANDA_HOOK_HEADLESS": "1"}
    here.ask(**more)
    here.ask(*["--continue"], **more)
    assert last(here).count("vermilion rule") == 1
    here.user.keep_in_core("The cobalt rule: reviews need two people")
    here.ask(*["--continue"], **more)
    assert last(here).count("cobalt rule") == 1
    here.ask(*["--continue"], **more)
    assert last(here).count("cobalt rule") == 1


@pytest.mark.clients
@pytest.mark.skipif("claude" not in HERE, reason="claude is not fetched: make clients")
def test_b52_after_compaction_core_is_in_the_context_again(desk):
    here = desk("claude")
    here.connect()
    more = {"MEMORANDA_HOOK_HEADLESS": "1"}
    here.ask(**more)
    here.ask(*["--continue"], prompt="/compact", **more)
    here.ask(*["--continue"], **more)
    assert last(here).count("vermilion rule") == 1


@pytest.mark.clients
@pytest.mark.skipif("claude" not in HERE, reason="claude is not fetched: make clients")
def test_a23_hooks_without_the_core_block_add_nothing_to_a_prompt(desk):
    here = desk("claude")
    here.connect("--no-core", "--no-rules")
    here.ask(MEMORANDA_HOOK_HEADLESS="1")
    wired = here.model.requests[0]
    settings = here.user.home / ".claude" / "settings.json"
    settings.write_text(json.dumps({**json.loads(settings.read_text()), "hooks": {}}))
    here.ask(MEMORANDA_HOOK_HEADLESS="1")
    bare = here.model.requests[0]
    assert json.dumps(wired["messages"]) == json.dumps(bare["messages"])
    assert len(json.dumps(wired["system"])) == len(json.dumps(bare["system"]))


def last(here) -> str:
    """The last request that offers our tool, as text."""
    return next(json.dumps(body["messages"]) for body in reversed(here.model.requests) if "recall" in json.dumps(body))
