"""Every state a power cut may leave, operation by operation; the model also finds what a missing sync would lose."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict

import pytest
from faults.kill import in_child
from faults.operations import OPERATIONS
from faults.states import Tally, sweep

pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")

#: Syncs that an operation needs: without any of them the model must find something lost, or it proves nothing.
LYING = ("remember", pytest.param("forget", marks=pytest.mark.slow))


def swept(name: str, every: int = 1, lying: bool = False) -> Tally:
    """In a child, since screening and git leave threads behind in a process that is forked from later."""

    def run(say) -> None:
        from faults.kill import warm

        warm()
        say(json.dumps(asdict(sweep(OPERATIONS[name], every, lambda step: not lying or step.kind != "sync"))))

    (said,) = in_child(run)
    assert not said.startswith("!"), said
    return Tally(**json.loads(said))


@pytest.mark.parametrize("name", ["remember", "forget"])
def test_f06_every_state_after_a_power_cut_keeps_what_was_acknowledged(name: str, record_property) -> None:
    tally = swept(name)
    record_property("tally", json.dumps(asdict(tally) | {"wrong": len(tally.wrong)}))
    assert tally.wrong == []
    assert tally.acknowledged


@pytest.mark.slow
@pytest.mark.parametrize("name", ["known", "supersede", "move", "capture", "recovery", "init"])
def test_f06_every_state_of_the_longer_operations(name: str, record_property) -> None:
    tally = swept(name)
    record_property("tally", json.dumps(asdict(tally) | {"wrong": len(tally.wrong)}))
    assert tally.wrong == []
    assert tally.acknowledged


@pytest.mark.parametrize("name", LYING)
def test_f10_a_disk_that_lies_about_its_syncs_loses_what_was_acknowledged(name: str) -> None:
    """Nothing can prevent that; the model must see it, or it would see nothing."""
    assert any("acknowledged" in text for text in swept(name, lying=True).wrong)
