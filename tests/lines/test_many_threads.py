"""Twenty threads, each with a handle of its own, and four processes write to one memory: all is kept, each once."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import Callable, Iterator

import pytest
from support.doors import PERSON

from memoranda import Memory
from memoranda.model.outcome import Outcome, Stored
from memoranda.model.settings import Settings
from memoranda.model.values import replace

THREADS, PROCESSES, EACH = 20, 4, 25

CHILD = """
import sys
from pathlib import Path
from memoranda import Memory
from memoranda.model.record import Channel, Door
from memoranda.model.settings import Settings

home, cache, writer = sys.argv[1:]
settings = Settings(home=Path(home) / ".memoranda", state=Path(home) / "state", cache=Path(cache),
                    user_home=Path(home), embedder="", commit=False, lock_seconds=120.0)
with Memory.open(settings=settings, door=Door(Channel.DIRECT_SESSION, "owner", "test")) as memory:
    for n in range(25):
        print(memory.remember(f"Process {writer} counted {n} herons.").record.id)
"""


@pytest.fixture
def opened(settings: Settings) -> Iterator[Callable[[], Memory]]:
    """Handles without git; all look with the same screeners, since loading them twenty times proves nothing here."""
    patient = replace(settings, commit=False, lock_seconds=120.0)
    handles = [Memory.init(settings=patient, door=PERSON)]
    shared = handles[0]._store.screeners()

    def opener() -> Memory:
        memory = Memory.open(settings=patient, door=PERSON)
        memory._store.__dict__["_screeners"] = shared
        handles.append(memory)
        return memory

    yield opener
    for handle in handles:
        handle.close()


@pytest.mark.parametrize("each", [4, pytest.param(EACH, marks=pytest.mark.slow)])
def test_b16_twenty_threads_of_one_process_lose_nothing(opened: Callable[[], Memory], each: int) -> None:
    told: dict[int, list[Outcome]] = {}
    failed: list[BaseException] = []
    begin = threading.Barrier(THREADS)

    def write(number: int, memory: Memory) -> None:
        try:
            begin.wait()
            told[number] = [memory.remember(f"Thread {number} counted {n} cranes.") for n in range(each)]
        except BaseException as error:  # what a thread raises is otherwise swallowed
            failed.append(error)

    handles = [opened() for _ in range(THREADS)]
    threads = [threading.Thread(target=write, args=(n, handle)) for n, handle in enumerate(handles)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    kept = [outcome.record for outcomes in told.values() for outcome in outcomes if isinstance(outcome, Stored)]
    memory = opened()
    records, problems = memory._store.records.scan()
    assert len(kept) == THREADS * each
    assert {record.id for record in kept} == {record.id for record in records}
    assert (len(records), problems) == (THREADS * each, [])
    assert {record.body.strip() for record in records} == {
        f"Thread {number} counted {n} cranes." for number in range(THREADS) for n in range(each)
    }
    assert memory.recall("thread 7 counted cranes", limit=50).concluded
    assert memory.status().index.current
    assert [problem for problem in memory.check(deep=True) if not problem.locator.startswith(".git")] == []


def test_b16_four_processes_lose_nothing(settings: Settings, opened: Callable[[], Memory]) -> None:
    memory = opened()
    command = [sys.executable, "-c", CHILD, str(settings.user_home), str(settings.cache)]
    children = [
        subprocess.Popen([*command, str(n)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for n in range(PROCESSES)
    ]
    said = [child.communicate() for child in children]
    assert [child.returncode for child in children] == [0] * PROCESSES, said
    ids = {id for out, _ in said for id in out.split()}
    records, problems = memory._store.records.scan()
    assert (len(ids), problems) == (PROCESSES * EACH, [])
    assert ids == {record.id for record in records}
