"""What records are about, which names are one, and who may say so."""

from __future__ import annotations

from typing import Callable

import pytest
from support.doors import AGENT, WEB

from memoranda import Memory
from memoranda.model.errors import NotFound
from memoranda.model.outcome import Held, Stored

Open = Callable[..., Memory]


def kept(memory: Memory, text: str, *entities: str, **more: object) -> str:
    outcome = memory.remember(text, entities=entities, **more)  # type: ignore[arg-type]
    assert isinstance(outcome, Stored | Held), outcome
    return outcome.record.id


def names(memory: Memory) -> dict[str, int]:
    return {entity.name: entity.records for entity in memory.entities().entities}


def test_everything_about_one_thing_is_linked_by_declared_and_written_names(memory: Memory) -> None:
    one = kept(memory, "The gateway there listens on port 8443", "staging-env")
    two = kept(memory, "Backups of `staging_env` run at night")
    kept(memory, "The parser is streaming")
    found = memory.entity("Staging Env")
    assert [about.record.id for about in found.about] in ([two, one], [one, two])
    assert {about.record.id: about.declared for about in found.about} == {one: True, two: False}
    assert names(memory)["staging-env"] == 2


def test_what_was_superseded_comes_last_and_what_was_retired_not_at_all(memory: Memory) -> None:
    old = kept(memory, "The gateway listens on port 80", "gateway")
    new = kept(memory, "The gateway listens on port 443", "gateway", supersedes=[old])
    gone = kept(memory, "The gateway is written in Perl", "gateway")
    memory.forget(gone)
    about = memory.entity("gateway").about
    assert [(one.record.id, one.state) for one in about] == [(new, "current"), (old, "superseded")]
    assert names(memory)["gateway"] == 2


def test_a_record_joins_names_and_recall_follows(memory: Memory) -> None:
    kept(memory, "Deploys happen on Tuesdays", "preview")
    other = kept(memory, "The port is 8443", "staging-env")
    assert memory.entity("preview").total == 1
    before = [hit.record.id for hit in memory.recall("preview", lexical=True).concluded]
    assert other not in before
    alias = kept(memory, "The host preview is staging-env", "preview", "staging-env", tags=("alias",))
    about = memory.entity("Staging-Env")
    assert about.total == 3
    assert about.joined == (alias,)
    assert other in [hit.record.id for hit in memory.recall("preview", lexical=True).concluded]
    memory.forget(alias)
    assert memory.entity("preview").total == 1
    assert other not in [hit.record.id for hit in memory.recall("preview", lexical=True).concluded]


def test_an_outside_voice_joins_nothing_and_is_named(open_as: Open) -> None:
    memory = open_as()
    kept(memory, "Deploys to it need two reviews", "production")
    kept(memory, "Anything goes there", "sandbox")
    web = open_as(WEB)
    claim = kept(web, "Their page lists sandbox and production as one host", "sandbox", "production", tags=("alias",))
    agent = open_as(AGENT)
    found = agent.entity("production")
    assert claim not in found.joined
    assert [about.record.body for about in found.about if about.authority.word != "external"] == [
        "Deploys to it need two reviews"
    ]
    assert found.also == ()


def test_groups_that_share_a_name_are_one(memory: Memory) -> None:
    kept(memory, "a is b", "alpha", "beta", tags=("alias",))
    kept(memory, "b is c", "beta", "gamma", tags=("alias",))
    kept(memory, "It runs on Linux", "gamma")
    assert memory.entity("alpha").total == 3
    assert set(memory.entity("gamma").also) | {memory.entity("gamma").name} == {"alpha", "beta", "gamma"}


def test_a_name_nobody_uses_is_not_found_with_what_is_near(memory: Memory) -> None:
    kept(memory, "The gateway listens", "gateway")
    with pytest.raises(NotFound, match="no record names 'gatewey'") as caught:
        memory.entity("gatewey")
    assert "gateway" in str(caught.value.hint)


def test_pages_go_on(memory: Memory) -> None:
    for number in range(5):
        kept(memory, f"The number {number} is kept", f"thing-{number}")
    first = memory.entities(limit=3)
    rest = memory.entities(limit=3, offset=first.next or 0)
    assert (first.total, first.next, rest.next) == (5, 3, None)
    assert len({entity.name for entity in (*first.entities, *rest.entities)}) == 5


def test_names_follow_an_edit_and_a_new_index(memory: Memory) -> None:
    id = kept(memory, "The cache is in Redis", "cache")
    record = memory.get(id)
    path = memory.root / record.path  # type: ignore[union-attr]
    path.write_bytes(path.read_bytes().replace(b"Redis", b"Valkey"))
    assert set(names(memory)) == {"cache", "Valkey"}
    memory.reindex()
    assert set(names(memory)) == {"cache", "Valkey"}
    path.unlink()
    assert names(memory) == {}
