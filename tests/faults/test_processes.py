"""Many processes on one memory at once: nothing lost, nothing twice, and a history that one after another explains."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from faults.kill import fork, said_on
from faults.linear import Done, linearizable
from faults.scene import Scene

from memoranda.memory.store import Store
from memoranda.model.errors import Busy
from memoranda.model.outcome import Known, Stored
from memoranda.truth import records as records_module
from memoranda.truth.lock import WriteLock


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    scene = Scene(tmp_path / "user")
    scene.init(commit=False).close()
    return scene


def together(count: int, work: Callable[[int, Callable[[str], None]], None]) -> list[list[str]]:
    """What `count` processes said that ran at once."""
    children = [fork(lambda say, n=n: work(n, say)) for n in range(count)]  # type: ignore[misc]
    said = [said_on(pipe) for _, pipe in children]
    for pid, _ in children:
        os.waitpid(pid, 0)
    assert [line for lines in said for line in lines if line.startswith("!")] == []
    return said


def test_linear_a_checker_that_never_complains_proves_nothing() -> None:
    add = [Done("add", frozenset("a"), 0, 1), Done("add", frozenset("b"), 0, 1)]
    assert linearizable([*add, Done("read", frozenset("ab"), 2, 3)])
    assert linearizable([*add, Done("read", frozenset("a"), 0.5, 3)]), "b may come after the read"
    assert not linearizable([*add, Done("read", frozenset("a"), 2, 3)]), "an update is lost"
    assert not linearizable([Done("read", frozenset("a"), 0, 1)]), "nobody wrote that"
    assert linearizable([Done("add", frozenset("a"), 0), Done("read", frozenset("a"), 1, 2)]), (
        "unknown, and it was done"
    )
    assert linearizable([Done("add", frozenset("a"), 0), Done("read", frozenset(), 1, 2)]), "unknown, and it was not"
    seen = [Done("read", frozenset("a"), 2, 3), Done("read", frozenset(), 4, 5)]
    assert not linearizable([Done("add", frozenset("a"), 0, 1), *seen]), "seen and then gone"


def _history(scene: Scene, processes: int, steps: int) -> list[Done]:
    """Each process supersedes one record and looks at what supersedes it, by turns."""
    with scene.open(commit=False) as memory:
        outcome = memory.remember("The register is empty.")
        assert isinstance(outcome, Stored)
        id = outcome.record.id

    def work(n: int, say: Callable[[str], None]) -> None:
        memory = scene.open(commit=False)
        for step in range(steps):
            called = time.monotonic()
            if (n + step) % 2:
                made = memory.remember(f"Process {n} wrote {step} in the register.", supersedes=[id])
                assert isinstance(made, Stored)
                say(json.dumps(["add", [made.record.id], called, time.monotonic()]))
            else:
                (entry,) = [entry for entry in memory.history(id) if entry.record.id == id]
                say(json.dumps(["read", entry.successors, called, time.monotonic()]))

    rows = [json.loads(line) for lines in together(processes, work) for line in lines]
    return [Done(kind, frozenset(value), called, returned) for kind, value, called, returned in rows]


def test_c15_superseding_and_reading_by_four_processes_is_linearizable(scene: Scene) -> None:
    history = _history(scene, 4, 4)
    assert len(history) == 16
    assert linearizable(history)


@pytest.mark.slow
def test_c15_superseding_and_reading_by_sixteen_processes_is_linearizable(scene: Scene) -> None:
    history = _history(scene, 16, 4)
    assert len(history) == 64
    assert linearizable(history)


def test_c15_a_seeded_lost_update_is_caught(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that acknowledges every third record and does not keep it."""
    create, calls = records_module.create, [0]

    def forgetful(root: Path, relative: str, data: bytes, private: bool) -> bool:
        calls[0] += 1
        made = create(root, relative, data, private)
        if calls[0] % 3 == 0:
            os.unlink(root / relative)
        return made

    monkeypatch.setattr(records_module, "create", forgetful)
    monkeypatch.setattr(Store, "take_in", lambda self, record: None)
    assert not linearizable(_history(scene, 1, 8))


def test_b16_one_statement_said_by_eight_processes_at_once_is_one_record(scene: Scene) -> None:
    def work(_: int, say: Callable[[str], None]) -> None:
        memory = scene.open(commit=False)
        for n in range(5):
            outcome = memory.remember(f"Shelf {n} is for maps.")
            assert isinstance(outcome, (Stored, Known))
            say(f"{type(outcome).__name__} {outcome.record.id}")
        memory.close()

    said = [line.split() for lines in together(8, work) for line in lines]
    assert len({id for _, id in said}) == 5
    assert sum(kind == "Stored" for kind, _ in said) == 5
    with scene.open(commit=False) as memory:
        records, problems = memory._store.records.scan()
        assert (len(records), problems) == (5, [])
        assert len(memory._store.all_events()) == 35
        assert memory.check() == ()


def test_b17_b18_a_stopped_holder_is_named_and_a_killed_one_frees_the_lock(scene: Scene) -> None:
    def hold(say: Callable[[str], None]) -> None:
        with WriteLock(scene.root / ".lock").hold():
            say("held")
            time.sleep(600)

    pid, pipe = fork(hold)
    assert os.read(pipe, 5) == b"held\n"
    os.kill(pid, signal.SIGSTOP)
    with scene.open(commit=False, lock_seconds=0.3) as memory:
        with pytest.raises(Busy, match=f"process {pid}"):
            memory.remember("Nobody can write now.")
        assert memory.recall("anything").concluded == ()  # readers never lock
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        assert isinstance(memory.remember("Nobody can write now."), Stored)
    os.close(pipe)


def test_b18_ten_processes_race_for_the_lock_of_a_killed_one(scene: Scene) -> None:
    """A counter that only whoever is alone counts right."""
    counter = scene.root / ".index" / "counter"
    counter.parent.mkdir(exist_ok=True)
    counter.write_text("0")

    def work(_: int, say: Callable[[str], None]) -> None:
        lock = WriteLock(scene.root / ".lock", 60.0)
        for _ in range(20):
            with lock.hold():
                counter.write_text(str(int(counter.read_text()) + 1))
        say("done")

    def die(say: Callable[[str], None]) -> None:
        with WriteLock(scene.root / ".lock").hold():
            say("held")
            os.kill(os.getpid(), signal.SIGKILL)

    pid, pipe = fork(die)
    assert said_on(pipe) == ["held"]
    os.waitpid(pid, 0)
    together(10, work)
    assert counter.read_text() == "200"
    counter.unlink()
