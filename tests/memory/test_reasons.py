"""The reason of a retirement goes through the door as well."""

from __future__ import annotations

from typing import Callable

import pytest
from support.doors import AGENT, PERSON
from support.one_door import HELD, told, traces

from memoranda import Memory
from memoranda.model.errors import Invalid
from memoranda.model.record import Door
from memoranda.model.settings import Settings


@pytest.mark.parametrize("door", [PERSON, AGENT], ids=["person", "agent"])
def test_c11_a_reason_with_a_credential_is_refused_and_nothing_is_changed(
    door: Door, settings: Settings, open_as: Callable[..., Memory]
) -> None:
    memory = open_as(door)
    id = memory.remember("Retries are capped at 5").record.id  # type: ignore[union-attr]
    said = ""
    for text, _ in list(HELD.values())[::20]:
        with pytest.raises(Invalid, match="credential") as raised:
            memory.forget(id, text)
        said += str(raised.value) + raised.value.hint
    assert told(said) == []
    assert traces(memory.root, settings.state) == []
    assert memory.history(id)[0].state == "current"


def test_a_plain_reason_is_kept_as_it_is(memory: Memory) -> None:
    id = memory.remember("Retries are capped at 5").record.id  # type: ignore[union-attr]
    with pytest.raises(Invalid, match="characters"):
        memory.forget(id, "x" * 1001)
    memory.forget(id, "the service is gone; its password was rotated")
    assert memory.history(id)[0].state == "retired"
