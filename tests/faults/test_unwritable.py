"""A memory that can only be read, by a user who is not root and on a full disk: all that reads goes on."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from faults.kill import in_child
from faults.scene import Scene
from faults.test_disks import filled, mounted, root_only

from memoranda.model.errors import MemorandaError
from memoranda.model.record import Record

NOBODY = 65534
SAID = ["recalled", "turns", "got", "counted", "checked", "unavailable"]


@pytest.fixture
def place() -> Iterator[Path]:
    """Not below pytest's own folder, which only root may enter."""
    path = Path(tempfile.mkdtemp(prefix="memoranda-unwritable-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


def _filled_in(scene: Scene) -> str:
    folder = scene.base / ".claude" / "projects" / "-w-app"
    folder.mkdir(parents=True)
    row = '{"type":"user","uuid":"u1","sessionId":"s","timestamp":"2026-07-01T10:00:00.000Z",'
    row += '"message":{"role":"user","content":"The ladder leans on the barn."}}\n'
    (folder / "s.jsonl").write_text(row)
    with scene.init(commit=False) as memory:
        outcome = memory.remember("The kettle is blue.")
        memory.capture(harness="claude", embed_seconds=0)
    assert outcome.record is not None  # type: ignore[union-attr]
    return outcome.record.id  # type: ignore[union-attr]


def _read(scene: Scene, id: str, say: Callable[[str], None]) -> None:
    """Say a word for each thing that works, and the code of one of our own errors where one is raised."""
    memory = scene.open(commit=False)

    def tried(word: str, act: Callable[[], bool]) -> None:
        try:
            say(word if act() else f"not {word}")
        except MemorandaError as error:
            say(error.code if error.hint else f"{error.code} without a hint")

    def whole() -> bool:
        return [p for p in memory.check(deep=True) if not p.locator.startswith((".index", ".git"))] == []

    def recalled() -> bool:
        answer = memory.recall("kettle")
        return [item.record.id for item in answer.concluded] == [id] or not answer.index.current

    def turns() -> bool:
        answer = memory.recall("ladder barn", weak=True)
        return "ladder" in str(answer.said) or not answer.index.current

    tried("recalled", recalled)
    tried("turns", turns)
    tried("got", lambda: getattr(memory.get(id), "intact", False))
    tried("counted", lambda: memory.status().records == 1)
    tried("checked", whole)
    tried("written", lambda: bool(memory.remember("Nothing can be written.")))
    memory.close()


def _given_away(scene: Scene, writable: bool) -> None:
    for path in (scene.base, *scene.base.rglob("*")):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        if not writable and not path.is_symlink():
            path.chmod(0o500 if path.is_dir() else 0o400)


def _as_nobody(scene: Scene, id: str, say: Callable[[str], None]) -> None:
    """Loads what it needs first: Python and the compiled rules may lie where this user may not look."""
    other = Scene(scene.base.with_name("other"))
    kept = _filled_in(other)
    _read(other, kept, lambda _: None)
    with other.open(commit=False) as memory:
        memory._store.screeners()
        shared = memory._store.__dict__["_screeners"]
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    from memoranda.memory import store

    store.Store._screeners = shared  # type: ignore[assignment,method-assign]
    _read(scene, id, say)


@root_only
@pytest.mark.parametrize("index", ["whole", "left by a kill", "damaged", "none"])
def test_f18_f19_a_read_only_memory_of_a_user_who_is_not_root_is_read(place: Path, index: str) -> None:
    scene = Scene(place / "user")
    id = _filled_in(scene)
    if index == "left by a kill":
        in_child(lambda say: (scene.open(commit=False).reindex(), say("made"), os._exit(0)))
        assert (scene.root / ".index" / "map.sqlite-wal").stat().st_size
    elif index == "damaged":
        for path in (scene.root / ".index").glob("words/*.idx"):
            path.write_bytes(bytes(path.stat().st_size))
    elif index == "none":
        shutil.rmtree(scene.root / ".index")
    _given_away(scene, writable=False)
    before = scene.truth()
    said = in_child(lambda say: _as_nobody(scene, id, say))
    # What only the index knows cannot be had where it is damaged and nobody may make it anew; that is said. Without
    # one the answer says that it is behind.
    assert said == (SAID if index != "damaged" else ["unavailable", "unavailable", *SAID[2:]]), said
    assert scene.truth() == before


@root_only
def test_f12_all_that_reads_goes_on_where_a_disk_is_full_to_the_last_byte(tmp_path: Path) -> None:
    for disk in mounted(tmp_path / "disk", "size=4m"):
        scene = Scene(disk / "user")
        id = _filled_in(scene)
        assert filled(scene) > 3
        with suppress_full(), open(disk / "ballast", "wb", buffering=0) as file:
            while True:
                file.write(b"x" * 4096)
        assert os.statvfs(disk).f_bavail == 0
        with scene.open(commit=False) as memory:
            assert id in [item.record.id for item in memory.recall("kettle").concluded]
            assert isinstance(memory.get(id), Record)
            assert memory.status().records > 3
            assert [p for p in memory.check(deep=True) if not p.locator.startswith((".index", ".git"))] == []


class suppress_full:
    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        return isinstance(error, OSError) and error.errno == 28
