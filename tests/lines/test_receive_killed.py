"""A receive that is killed at any step: the next one finishes it, with nothing lost, nothing twice and every origin."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Callable

import pytest
from support.doors import PERSON
from support.teams import Teammate, record

from memoranda import Memory
from memoranda.model.settings import Settings

# What is killed: it dies by itself, at the n-th of the steps that write, before or after doing it.
CHILD = """
import json, os, signal, sys
from pathlib import Path
from memoranda import Memory
from memoranda.memory.store import Store
from memoranda.model.record import Channel, Door
from memoranda.model.settings import Settings
from memoranda.truth import quarantine

given = json.loads(sys.argv[1])
home = Path(given["home"])
settings = Settings(home / ".memoranda", home / "state", Path(given["cache"]), home, embedder="", variables={})
left = given["step"]


def deadly(owner, name):
    done = getattr(owner, name)

    def step(*arguments, **more):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        answer = done(*arguments, **more)
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer

    setattr(owner, name, step)


for owner, name in ((quarantine, "_fetch"), (Store, "write"), (Store, "event"), (Store, "catch_up")):
    deadly(owner, name)
with Memory.open(settings=settings, door=Door(Channel.DIRECT_SESSION, "owner", "test")) as memory:
    memory.receive(given["from"])
"""

OLD = record("The wiki lives at wiki.example.com")
NEW = record("The wiki lives at docs.example.com", supersedes=(OLD.id,), created="2026-07-05T10:00:00Z")
SAME = record("The build server is at docs/build.md")


def killed_at(step: int, settings: Settings, mate: Teammate) -> int:
    """Run one receive that dies at a step; its exit code."""
    given = {"home": str(settings.user_home), "cache": str(settings.cache), "step": step, "from": str(mate.top)}
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", CHILD, json.dumps(given)], env=environment, capture_output=True, check=False
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()
    return done.returncode


#: Two steps for each call: fetch, write, write, the event `known`, three events `received`, and the index.
STEPS = 16


@pytest.mark.parametrize(
    "step",
    [step if step in (2, 4, 7, 10) else pytest.param(step, marks=pytest.mark.slow) for step in range(1, STEPS + 1)],
)
def test_c26_a_receive_killed_at_a_step_is_finished_by_the_next(
    settings: Settings, open_as: Callable[..., Memory], tmp_path: Path, step: int
) -> None:
    mate = Teammate(tmp_path / "shop").says(OLD, NEW, SAME)
    mate.commits()
    with Memory.init(settings=settings, door=PERSON) as first:
        first.remember("The build server is at docs/build.md", category="reference")
    assert killed_at(step, settings, mate) == -signal.SIGKILL
    memory = open_as(PERSON)
    memory.receive(str(mate.top))
    store = memory._store.fresh()
    kept = [one for id in store.catalog.entries if (one := store.read(id)) is not None]
    assert Counter(one.body for one in kept) == Counter((OLD.body, NEW.body, SAME.body))
    by_body = {one.body: one for one in kept}
    assert store.superseders(by_body[OLD.body].id) == [by_body[NEW.body].id]
    for theirs in (OLD, NEW, SAME):
        events = [e for e in store.standing(by_body[theirs.body]).events if e.kind == "received"]
        assert [e.cause.split()[2] for e in events] == [theirs.digest]
    assert memory.check() == ()
    assert list((settings.state / "quarantine").iterdir()) == []
    before = memory._store.events.stamp()
    assert memory.receive(str(mate.top)).here == 3
    assert memory._store.events.stamp() == before


@pytest.mark.slow
def test_c26_there_are_no_further_steps_to_die_at(settings: Settings, tmp_path: Path) -> None:
    mate = Teammate(tmp_path / "shop").says(OLD, NEW, SAME)
    mate.commits()
    with Memory.init(settings=settings, door=PERSON) as first:
        first.remember("The build server is at docs/build.md", category="reference")
    assert killed_at(STEPS + 1, settings, mate) == 0
