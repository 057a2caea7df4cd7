"""A disk that is full, out of inodes, read-only or swapped under us; no descriptors left; names that collide."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from faults.kill import in_child
from faults.scene import Scene

from memoranda.model.errors import Unavailable
from memoranda.model.outcome import Stored
from memoranda.truth import records

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")


def mounted(place: Path, options: str) -> Iterator[Path]:
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], check=False).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=False)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    scene = Scene(tmp_path / "user")
    with scene.init(commit=False) as memory:
        memory.remember("The kettle is blue.")
    return scene


def healthy(scene: Scene, count: int) -> None:
    """Whole, found, and written to as if nothing had been."""
    with scene.open(commit=False) as memory:
        assert [p for p in memory.check() if p.locator != ".index"] == []
        assert isinstance(memory.remember("And it still writes."), Stored)
        assert len(memory._store.records.scan()[0]) == count + 1
        assert memory.recall("kettle").concluded
    assert scene.temps() == []


def filled(scene: Scene) -> int:
    """Remember until the disk says no; how many were acknowledged."""
    kept: list[Stored] = []

    def fill() -> None:
        while isinstance(outcome := memory.remember(f"Fact {len(kept)}: " + "long " * 300), Stored):
            kept.append(outcome)

    with scene.open(commit=False) as memory, pytest.raises(Unavailable, match="full") as caught:
        fill()
    assert caught.value.hint
    return len(kept)


@root_only
@pytest.mark.parametrize("options", ["size=3m", "size=100m,nr_inodes=90"], ids=["f12-bytes", "f13-inodes"])
def test_f12_f13_a_full_disk_keeps_what_it_acknowledged_and_goes_on_when_freed(tmp_path: Path, options: str) -> None:
    for place in mounted(tmp_path / "disk", options):
        scene = Scene(place / "user")
        with scene.init(commit=False) as memory:
            memory.remember("The kettle is blue.")
        ballast = [scene.base / f"ballast{n}" for n in range(8)]
        for path in ballast:
            path.write_bytes(b"x" * 100_000)
        kept = filled(scene)
        assert kept > 3
        with scene.open(commit=False) as memory:
            assert memory.recall("kettle").concluded, "reading goes on"
        for path in ballast:
            path.unlink()
        healthy(scene, kept + 1)


@root_only
def test_f18_a_read_only_disk_is_named_and_still_read(tmp_path: Path) -> None:
    for place in mounted(tmp_path / "disk", "size=20m"):
        scene = Scene(place / "user")
        with scene.init(commit=False) as memory:
            memory.remember("The kettle is blue.")
        subprocess.run(["mount", "-o", "remount,ro", place], check=True)
        with scene.open(commit=False) as memory:
            assert memory.recall("kettle").concluded
            with pytest.raises(Unavailable, match="read-only"):
                memory.remember("Nothing can be written.")
        subprocess.run(["mount", "-o", "remount,rw", place], check=True)
        healthy(scene, 1)


def test_f20_without_descriptors_it_says_so_and_recovers(scene: Scene) -> None:
    with scene.open(commit=False) as memory:
        memory.remember("All files are open once.")
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        taken = []
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(map(int, os.listdir("/proc/self/fd"))) + 8, hard))
        try:
            with suppress(OSError):
                while True:
                    taken.append(os.open(os.devnull, os.O_RDONLY))
            with pytest.raises(Unavailable, match="too many open files"):
                memory.remember("No descriptor is left.")
        finally:
            for fd in taken:
                os.close(fd)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert isinstance(memory.remember("No descriptor is left."), Stored)
    healthy(scene, 3)


def _swaps(path: Path, outside: Path) -> Iterator[str]:
    """What else may lie where a record was."""
    data = path.read_bytes()
    for kind in ("symlink", "fifo", "folder", "dangling"):
        path.unlink()
        if kind == "symlink":
            outside.write_bytes(data)
            path.symlink_to(outside)
        elif kind == "fifo":
            os.mkfifo(path)
        elif kind == "folder":
            path.mkdir()
        else:
            path.symlink_to(outside.with_name("nowhere"))
        yield kind
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        path.write_bytes(data)


def test_links_pipes_and_folders_in_the_place_of_a_record_are_named_and_never_followed(
    scene: Scene, tmp_path: Path
) -> None:
    (path,) = (scene.root / "records").rglob("*.md")
    for kind in _swaps(path, tmp_path / "outside.md"):
        said = in_child(lambda say: _swapped(scene, say))
        assert said == ["named", "not shown", "written"], kind
    assert (tmp_path / "outside.md").read_bytes().endswith(b"The kettle is blue.\n")


def _swapped(scene: Scene, say) -> None:
    with scene.open(commit=False) as memory:
        say("named" if [p for p in memory.check() if p.locator.startswith("records/")] else "not named")
        say("shown" if memory.recall("kettle").concluded else "not shown")
        say("written" if isinstance(memory.remember(f"Written beside, {os.getpid()}."), Stored) else "not written")


def test_f16_a_flip_of_any_byte_of_a_record_is_noticed_and_shown_as_edited(scene: Scene) -> None:
    (path,) = (scene.root / "records").rglob("*.md")
    data = path.read_bytes()
    for at in range(len(data)):
        flipped = bytearray(data)
        flipped[at] ^= 1
        path.write_bytes(flipped)
        with scene.open(commit=False) as memory:
            record = memory._store.records.load(str(path.relative_to(scene.root)))
            assert not getattr(record, "intact", False), f"byte {at}"
    path.write_bytes(data)
    healthy(scene, 1)


def test_names_that_differ_in_case_or_form_alone_are_told_apart_by_their_ids(scene: Scene) -> None:
    bodies = ("Café is the name.", "Cafe\u0301 is the name!", "CAFÉ IS THE NAME.", "café is the name.", "con", "CON.")
    with scene.open(commit=False) as memory:
        for body in bodies:
            memory.remember(body)
        names = [path.name for path in (scene.root / "records").rglob("*.md")]
        assert len(names) == len({name.lower() for name in names}) == len(bodies) + 1
        assert all(name.isascii() and name == name.lower() and name.startswith("mem_") for name in names)


def test_f15_a_record_that_could_not_be_read_once_is_taken_in_the_next_time(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk's hiccup is no flaw of the file: its stamp stays as it was, and so must not mean "seen"."""

    def hiccup(path: object, limit: int) -> bytes:
        raise OSError(5, "Input/output error")

    with scene.open(commit=False) as memory:
        with monkeypatch.context() as patched:
            patched.setattr(records, "read_capped", hiccup)
            memory.reindex()
            assert memory.recall("kettle").concluded == ()
        assert [item.record.body for item in memory.recall("kettle").concluded] == ["The kettle is blue."]
        assert memory.check() == ()
