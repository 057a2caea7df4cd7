"""F45: a disk on which neither case nor the composition of letters counts, mounted in user space."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Iterator

import pytest
from faults.scene import Scene
from support.doors import PERSON
from support.publishing import say
from support.teams import Teammate, record

from memoranda import Memory
from memoranda.model.outcome import Stored

pytestmark = pytest.mark.slow
DISK = Path(__file__).with_name("folding.py")
BODIES = ("The Café closes at nine.", "The café has two doors.", "ÉCLAIRS are sold out by ten.", "The kettle is blue.")
SESSIONS = ("Abc", "aBC", "abc", "caf\u00e9", "cafe\u0301", "CAF\u00c9")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    pytest.importorskip("mfusepy", reason="mfusepy or libfuse is not installed", exc_type=Exception)
    below, place = tmp_path / "below", tmp_path / "disk"
    below.mkdir()
    place.mkdir()
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.skip("this user cannot mount in user space")
    running = subprocess.Popen([sys.executable, DISK, below, place], stderr=subprocess.PIPE)
    try:
        while not os.path.ismount(place):
            if running.poll() is not None:
                pytest.skip(f"it was not mounted: {running.communicate()[1][-200:].decode()}")
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=False)
        running.wait(60)


@pytest.fixture
def scene(disk: Path) -> Scene:
    (disk / "Ada").mkdir()
    assert (disk / "aDA").is_dir()
    return Scene(disk / "Ada")


def test_f45_ids_and_words_survive_where_case_and_form_do_not_count(scene: Scene, disk: Path, tmp_path: Path) -> None:
    kept = {}
    with scene.init() as memory:
        for body in BODIES:
            outcome = memory.remember(body)
            assert isinstance(outcome, Stored)
            kept[outcome.record.id] = outcome.record.body
        for number, session in enumerate(SESSIONS):
            say(memory, tmp_path / "spool", session, f"The word of session {number} is w{number}x.")
        memory.promote(next(iter(kept)))
    again = Scene(disk / "ADA")  # the same folder, as somebody else writes it
    with again.open() as memory:
        assert [problem for problem in memory.check(deep=True) if problem.locator != ".index"] == []
        assert {one.id: one.body for one in memory._store.records.scan()[0]} == kept
        memory.reindex()
        for number, session in enumerate(SESSIONS):
            (said,) = memory.recall(f"w{number}x", lexical=True).said
            assert said.session == session
        assert memory.remember(BODIES[3]).word == "known"
        assert isinstance(memory.remember("One more, by another spelling of the same home."), Stored)
    status = subprocess.run(
        ["git", "-C", again.root, "status", "--porcelain"], capture_output=True, text=True, check=True
    )
    assert status.stdout == ""
    assert again.temps() == []


@pytest.mark.parametrize(("clash", "arrives"), [("mem_", 1), ("records", 0)])
def test_f45_what_comes_in_with_names_that_fall_together_is_refused(
    scene: Scene, tmp_path: Path, clash: str, arrives: int
) -> None:
    """A name in capitals is no record's; of two folders that would be one here, nobody can say which is meant."""
    mate = Teammate(tmp_path / "shop")
    mate.says(record("The staging host is documented at docs/staging.md"))
    (file,) = mate.memory.rglob("mem_*.md")
    mate.put(str(file.relative_to(mate.top)).replace(clash, clash.upper()), file.read_bytes())
    mate.commits()
    with scene.init() as memory:
        receipt = memory.receive(str(mate.top))
        assert [one.outcome.word for one in receipt.arrived] == ["stored"] * arrives
        assert receipt.problems
        assert len(memory._store.records.scan()[0]) == arrives
        assert [problem for problem in memory.check() if problem.locator != ".index"] == []


def test_f45_a_memory_opened_by_another_case_of_its_path_is_the_same_memory(scene: Scene, disk: Path) -> None:
    with scene.init() as memory:
        first = memory.remember(BODIES[0])
    other = Scene(disk / "aDa").settings()
    with Memory.open(settings=other, door=PERSON) as memory:
        assert memory.remember(BODIES[0]).word == "known"
        assert isinstance(first, Stored)
        assert [one.record.id for one in memory.recall("closes").concluded] == [first.record.id]
