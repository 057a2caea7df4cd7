"""Forgetting by filter: shown first, done when it is said again, by nobody who may not."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable

import pytest
from support.attacks import FROM_A_PAGE
from support.doors import AGENT, PERSON

from memoranda import Memory
from memoranda.model.errors import Invalid
from memoranda.model.record import Category, Channel, Confidence
from memoranda.truth.grammar import print_record, seal

Open = Callable[..., Memory]


def old(memory: Memory, body: str, created: str, principal: str = "owner") -> str:
    """A record as it was written long ago."""
    person = principal == "owner"
    record = replace(
        FROM_A_PAGE,
        body=body,
        created=created,
        category=Category.NOTE,
        source="user_message" if person else "agent_message",
        channel=Channel.DIRECT_SESSION if person else Channel.AGENT,
        confidence=Confidence.MEDIUM,
        principal=principal,
    )
    sealed = seal(record)
    place = memory.root / "records" / created[:4] / created[5:7]
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{sealed.id}-old.md").write_bytes(print_record(sealed))
    return sealed.id


def test_b76_a_filter_shows_first_and_retires_only_when_told(open_as: Open) -> None:
    memory = open_as(PERSON)
    past = old(memory, "The lift is being repaired this week", "2020-01-01T00:00:00Z")
    first = memory.remember("The gateway listens on port 80").record  # type: ignore[union-attr]
    assert first is not None
    second = memory.remember("The gateway listens on port 443", supersedes=[first.id]).record  # type: ignore[union-attr]
    assert second is not None
    shown = memory.prune(expired=True, superseded=True)
    assert [(one.record.id, one.why) for one in shown.found] == [
        (past, "note, last created 2020-01-01, holds 30 days"),
        (first.id, f"replaced by {second.id}"),
    ]
    assert not shown.done
    assert memory.status().records == 3
    done = memory.prune(expired=True, apply=True)
    assert [one.record.id for one in done.found] == [past]
    assert done.done
    assert [entry.state for entry in memory.history(past)] == ["retired"]
    assert [entry.state for entry in memory.history(second.id)] == ["current", "superseded"]
    assert memory.prune(expired=True, apply=True).found == ()
    assert not memory.prune(expired=True, apply=True).done
    with pytest.raises(Invalid, match="an id, or a filter"):
        memory.prune()


def test_what_was_confirmed_or_stands_in_core_is_not_past_its_window(open_as: Open) -> None:
    memory = open_as(PERSON)
    confirmed = old(memory, "The cellar key hangs by the door", "2020-01-01T00:00:00Z")
    core = old(memory, "Be brief", "2020-01-01T00:00:00Z")
    memory.verify(confirmed)
    memory.promote(core, core=True)
    assert memory.prune(expired=True).found == ()


def test_an_agent_prunes_its_own_and_leaves_what_weighs_more(open_as: Open) -> None:
    person = open_as(PERSON)
    mine = old(person, "The owner's note of long ago", "2020-01-01T00:00:00Z")
    its = old(person, "The agent's note of long ago", "2020-01-02T00:00:00Z", principal="robot")
    agent = open_as(AGENT)
    done = agent.prune(expired=True, apply=True)
    assert [one.record.id for one in done.found] == [its]
    assert [one.record.id for one in done.kept] == [mine]
    assert [entry.state for entry in agent.history(mine)] == ["current"]
