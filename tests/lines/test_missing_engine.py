"""Without the engine our own rules go on, and status says so."""

from __future__ import annotations

import sys

import pytest
from support.doors import PERSON

from memoranda import Memory
from memoranda.model.outcome import Refused, Stored
from memoranda.model.settings import Settings
from memoranda.screen import RULES

TOKEN = "gh" + "p_" + "aB3dE5fG7h" * 3 + "Jk9Lm2"


@pytest.fixture
def memory(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Memory:
    monkeypatch.setitem(sys.modules, "kingfisher_sdk", None)  # type: ignore[arg-type]
    return Memory.init(settings=settings, door=PERSON)


def test_b22_our_own_rules_go_on_and_what_they_pass_is_stamped_partial(memory: Memory) -> None:
    assert isinstance(memory.remember(f"The runner uses {TOKEN}"), Refused)
    kept = memory.remember("The runner reads its limits from a file")
    assert isinstance(kept, Stored)
    assert kept.record.screened == f"{RULES}-partial"


def test_status_names_the_command_that_installs_the_engine(memory: Memory) -> None:
    assert memory.status().next[0] == "pip install kingfisher-secret-scanner"
