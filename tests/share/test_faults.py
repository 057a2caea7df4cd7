"""Pushing while others push, while the network goes, and while the process is killed. Rows A51, A56."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Callable, Iterator

import pytest
from support.doors import PERSON
from support.publishing import Wire, another, files, say

from memoranda import Memory
from memoranda.model.errors import Conflict, Offline, Unavailable
from memoranda.model.settings import Settings
from memoranda.model.share import Pushed
from memoranda.model.values import replace


@pytest.fixture
def wire(server: dict[str, str]) -> Iterator[Wire]:
    wire = Wire(server["AWS_ENDPOINT_URL"])
    yield wire
    wire.close()


@pytest.fixture
def direct(settings: Settings, server: dict[str, str]) -> Settings:
    return replace(settings, variables={**settings.variables, **server})


@pytest.fixture
def wired(direct: Settings, wire: Wire) -> Settings:
    return replace(direct, variables={**direct.variables, "AWS_ENDPOINT_URL": wire.address})


def read_back(address: str, settings: Settings, folder: Path) -> dict[str, bytes]:
    """The files somebody gets who reads the target for the first time."""
    with Memory.shared(address, settings=another(settings, folder)) as reader:
        _, problems = reader.pull(folder / "pulled")
        assert problems == ()
    return files(folder / "pulled")


@pytest.mark.parametrize("kind", ["s3", "folder"])
def test_a56_two_writers_at_once_are_both_there(
    direct: Settings, tmp_path: Path, new_bucket: Callable[[], str], kind: str
) -> None:
    address = new_bucket() if kind == "s3" else str(tmp_path / "published")
    machines = [another(direct, tmp_path / str(n)) for n in range(3)]
    memories = [Memory.init(settings=machine, door=PERSON) for machine in machines]
    memories[0].remember("The first word.")
    memories[0].push(address, create=True)
    for number, memory in enumerate(memories):
        say(memory, tmp_path / "spool", f"s{number}", *(f"Word {n} of machine {number}." for n in range(3)))
    pushed: list[Pushed] = []
    start = threading.Barrier(len(machines))

    def push(machine: Settings) -> None:
        with Memory.open(settings=machine, door=PERSON) as memory:
            start.wait(60)
            pushed.append(memory.push(address, yes=True))

    threads = [threading.Thread(target=push, args=(machine,)) for machine in machines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert sum(one.rows for one in pushed) == 9
    assert {key.rsplit("/", 1)[-1] for key in read_back(address, direct, tmp_path / "back")} == {
        *(path.rsplit("/", 1)[-1] for memory in memories for path in files(memory.root))
    }
    for memory in memories:
        assert memory.push(address, yes=True).rows == 0
        memory.close()


def _requests_of_a_push(memory: Memory, wire: Wire, address: str, create: bool) -> int:
    wire.start_counting()
    memory.push(address, create=create)
    return len(wire.requests)


_SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("first", "after"),
    [
        pytest.param(True, False, id="the first push, before it arrives", marks=_SLOW),
        pytest.param(True, True, id="the first push, after it arrived"),
        pytest.param(False, False, id="a later push, before it arrives"),
        pytest.param(False, True, id="a later push, after it arrived", marks=_SLOW),
    ],
)
def test_a_network_that_goes_at_any_request_leaves_a_push_that_converges(
    wired: Settings, wire: Wire, tmp_path: Path, new_bucket: Callable[[], str], first: bool, after: bool
) -> None:
    with Memory.init(settings=wired, door=PERSON) as memory:
        memory.remember("The first word.")
        say(memory, tmp_path / "spool", "s1", "A turn.", "Another turn.")
        trial = new_bucket()
        count = _requests_of_a_push(memory, wire, trial, create=True)
        assert count == 6  # what is there; transaction, data, ids, manifest; card
        for number in range(1, count + 1):
            address = trial if not first else new_bucket()
            if not first:
                say(memory, tmp_path / "spool", "s1", f"Turn {number} before.", first=10 * number)
            wire.start_counting(cut_at=number, after=after)
            with suppress(Offline):
                memory.push(address, create=True)
            wire.start_counting()
            memory.push(address, create=True)
            assert memory.push(address).rows == 0
            back = read_back(address, wired, tmp_path / f"{number}")
            assert back == files(memory.root)


_CHILD = """
import sys; sys.path.insert(0, sys.argv[1])
from pathlib import Path
from memoranda import Memory
from memoranda.model.settings import Settings
from support.doors import PERSON
home, state, cache, user, address, endpoint = sys.argv[2:]
variables = {"AWS_ENDPOINT_URL": endpoint, "AWS_ACCESS_KEY_ID": "here", "AWS_SECRET_ACCESS_KEY": "there",
             "AWS_REGION": "us-east-1"}
settings = Settings(home=Path(home), state=Path(state), cache=Path(cache), user_home=Path(user), embedder="",
                    variables=variables)
with Memory.open(settings=settings, door=PERSON) as memory:
    memory.push(address, create=True)
"""


@pytest.mark.parametrize("number", [pytest.param(n, marks=() if n == 5 else (pytest.mark.slow,)) for n in range(1, 7)])
def test_a_push_that_is_killed_at_any_request_converges(
    wired: Settings, wire: Wire, tmp_path: Path, new_bucket: Callable[[], str], number: int
) -> None:
    address = new_bucket()
    with Memory.init(settings=wired, door=PERSON) as memory:
        memory.remember("The first word.")
        say(memory, tmp_path / "spool", "s1", "A turn.", "Another turn.")
    folders = (wired.home, wired.state, wired.cache, wired.user_home)
    child: list[subprocess.Popen[bytes]] = []
    begun = threading.Event()

    def kill() -> None:
        begun.wait(60)
        os.kill(child[0].pid, signal.SIGKILL)

    wire.start_counting(cut_at=number, on_cut=kill)
    tests = str(Path(__file__).parents[1])
    arguments = [sys.executable, "-c", _CHILD, tests, *map(str, folders), address, wire.address]
    child.append(subprocess.Popen(arguments, stderr=subprocess.DEVNULL))
    begun.set()
    assert child[0].wait(120) == -signal.SIGKILL
    wire.start_counting()
    with Memory.open(settings=wired, door=PERSON) as memory:
        memory.push(address, create=True)
        assert memory.push(address).rows == 0
        assert read_back(address, wired, tmp_path / "back") == files(memory.root)


def test_a_push_of_nothing_new_is_one_request_here_and_at_most_three_elsewhere(
    wired: Settings, wire: Wire, tmp_path: Path, new_bucket: Callable[[], str]
) -> None:
    address = new_bucket()
    with Memory.init(settings=wired, door=PERSON) as memory:
        memory.remember("The first word.")
        memory.push(address, create=True)
        wire.start_counting()
        assert memory.push(address).rows == 0
        assert len(wire.requests) == 1
        import shutil

        shutil.rmtree(wired.cache / "shared")  # as on a machine that never pushed
        wire.start_counting()
        assert memory.push(address).rows == 0
        assert len(wire.requests) == 3


def test_a51_with_a_screener_that_fails_no_request_writes(
    wired: Settings, wire: Wire, new_bucket: Callable[[], str]
) -> None:
    address = new_bucket()
    with Memory.init(settings=wired, door=PERSON) as memory:
        memory.remember("The first word.")
        memory._store.__dict__["_screeners"] = list(memory._store.screeners())[1:]
        wire.start_counting()
        with pytest.raises(Unavailable):
            memory.push(address, create=True)
        assert not [request for request in wire.requests if not request.startswith("GET")]


def test_others_who_keep_coming_first_are_waited_out_and_then_named(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memoranda.builtin.targets.folder import FolderTarget
    from memoranda.model.errors import Busy

    tries: list[int] = []

    def always_late(*_: object) -> None:
        tries.append(1)
        raise Conflict("moved on")

    monkeypatch.setattr(FolderTarget, "commit", always_late)
    with Memory.init(settings=settings, door=PERSON) as memory:
        memory.remember("The first word.")
        with pytest.raises(Busy):
            memory.push(str(tmp_path / "published"), create=True)
    assert len(tries) == 10
