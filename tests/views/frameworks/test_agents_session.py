"""A conversation through the real SDK with a scripted model, beside the SDK's own session."""

from __future__ import annotations

import asyncio
from typing import Any, Callable

import pytest
from support.doors import AGENT, PERSON
from support.invented import tokens
from support.items import ITEMS, MESSAGE

from memoranda import Memory
from memoranda.model.errors import Invalid
from memoranda.views.frameworks.openai_agents import AgentsSession

sdk = pytest.importorskip("agents", reason="the OpenAI Agents SDK is not installed: make frameworks")


@pytest.fixture
def agent(open_as: Callable[..., Memory]) -> Memory:
    return open_as(AGENT)


@pytest.fixture(autouse=True)
def no_traces() -> None:
    sdk.set_tracing_disabled(True)


async def _through(session: Any) -> list[Any]:
    """Everything that can be asked of a session, and its answers."""
    said: list[Any] = [await session.get_items(), await session.pop_item()]
    await session.clear_session()
    await session.add_items(ITEMS[:4])
    said += [await session.get_items(), await session.get_items(2), await session.get_items(0)]
    said += [await session.pop_item(), await session.pop_item(), await session.get_items()]
    await session.add_items([MESSAGE, MESSAGE])
    said += [await session.get_items(), await session.pop_item(), await session.get_items(1)]
    await session.add_items([])
    await session.clear_session()
    said += [await session.get_items(), await session.pop_item()]
    await session.add_items(ITEMS)
    return [*said, await session.get_items()]


def test_answers_as_the_sdks_own_session(agent: Memory) -> None:
    ours = asyncio.run(_through(AgentsSession("s1", agent, away=asyncio.to_thread)))
    assert ours == asyncio.run(_through(sdk.SQLiteSession("s1")))


def test_it_is_a_session_by_the_sdks_own_test(agent: Memory) -> None:
    assert isinstance(AgentsSession("s1", agent), sdk.Session)


def test_two_handles_go_on_with_one_conversation_and_other_sessions_are_others(
    open_as: Callable[..., Memory], agent: Memory
) -> None:
    async def talk() -> list[Any]:
        first, second = AgentsSession("s1", agent), AgentsSession("s1", open_as(AGENT))
        await first.add_items([MESSAGE])
        await second.add_items([ITEMS[1]])
        await AgentsSession("s2", agent).add_items([MESSAGE])
        return await first.get_items()

    assert asyncio.run(talk()) == ITEMS[:2]


def test_what_was_said_is_recalled_with_session_and_turn_even_after_it_was_cleared(
    agent: Memory, open_as: Callable[..., Memory]
) -> None:
    async def talk() -> None:
        session = AgentsSession("release talk", agent)
        await session.add_items(ITEMS)
        await session.pop_item()
        await session.clear_session()
        assert await session.get_items() == []

    asyncio.run(talk())
    person = open_as(PERSON)
    said = person.recall("deployed to kingfisher").said[0]
    assert (said.harness, said.session, said.type, said.role) == (
        "openai-agents",
        "release talk",
        "tool_result",
        "tool",
    )
    assert said.locator == f"turn:openai-agents/release%20talk/{said.turn}"
    assert person.get(said.locator, before=0, after=0).turns[0].blocks[0].text == "deployed to kingfisher"
    assert [page.session for page in person.sessions().sessions] == ["release talk"]
    assert person.check(deep=True) == ()


def test_a_credential_is_cut_out_before_anything_is_kept(agent: Memory) -> None:
    secret = tokens()["stripe-live"]

    async def talk() -> list[Any]:
        session = AgentsSession("s1", agent)
        call = {**ITEMS[2], "arguments": f'{{"token":"{secret}"}}', "id": secret}
        await session.add_items([{"role": "user", "content": f"the key is {secret}"}, call])
        return await session.get_items()

    message, call = asyncio.run(talk())
    assert message["content"].startswith("the key is [REDACTED:")
    assert call["arguments"].startswith('{"token":"[REDACTED:')
    assert (call["call_id"], call["type"], call["name"]) == ("call_1", "function_call", "deploy")
    assert not [path for path in agent.root.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]


def test_who_cannot_keep_a_conversation_is_told(open_as: Callable[..., Memory], agent: Memory) -> None:
    with pytest.raises(Invalid, match="person's voice"):
        AgentsSession("s1", open_as(PERSON))
    for name in ("", "a\nb", "x" * 201):
        with pytest.raises(Invalid, match="session id"):
            AgentsSession(name, agent)

    async def talk() -> list[Any]:
        session = AgentsSession("s1", agent)
        with pytest.raises(TypeError):
            await session.add_items([MESSAGE, {"role": "user", "content": object()}])
        return await session.get_items()

    assert asyncio.run(talk()) == []


def test_an_agent_runs_over_it_calls_a_tool_and_another_run_goes_on(
    agent: Memory, open_as: Callable[..., Memory]
) -> None:
    """The SDK's runner with a scripted model: the second run is given all of the first, and recall finds it."""
    from agents import Agent, Runner, function_tool
    from agents.testing import ScriptedModel, assistant_message, function_call

    @function_tool
    def deploy(day: str) -> str:
        return f"deployed to kingfisher on {day}"

    first = ScriptedModel(
        [[function_call("deploy", {"day": "Friday"}, call_id="call_1")], [assistant_message("Done, on Friday.")]]
    )
    second = ScriptedModel([[assistant_message("It was Friday.")]])
    session = AgentsSession("release", agent, away=asyncio.to_thread)

    async def runs() -> str:
        await Runner.run(Agent(name="a", model=first, tools=[deploy]), "Please deploy", session=session)
        done = await Runner.run(Agent(name="a", model=second, tools=[deploy]), "When was it?", session=session)
        return str(done.final_output)

    assert asyncio.run(runs()) == "It was Friday."
    given = second.calls[0].input
    assert [item.get("type", item.get("role")) for item in given] == [
        "user",
        "function_call",
        "function_call_output",
        "message",
        "user",
    ]
    said = open_as(PERSON).recall("where was it deployed?", type=["tool_result"]).said
    assert [(one.session, one.text) for one in said] == [("release", "deployed to kingfisher on Friday")]
