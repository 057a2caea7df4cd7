"""Whether the kernel tells of everything that a look at the files would find."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Callable, Iterator

import pytest

from memoranda.truth import watch as module
from memoranda.truth.watch import Bell, Watch

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells what was touched")


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Watch]:
    (tmp_path / "records/note/2026-07").mkdir(parents=True)
    (tmp_path / "records/note/2026-07/a.md").write_text("a")
    (tmp_path / "elsewhere").mkdir()
    made = Watch(tmp_path, ("records", "held", ".index/extracts"))
    made.arm()
    if not made.quiet():
        pytest.skip("no inotify on this file system")
    yield made
    made.close()


def into(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


TOUCHES: dict[str, Callable[[Path], object]] = {
    "edited in place": lambda root: (root / "records/note/2026-07/a.md").write_text("b"),
    "appended": lambda root: (root / "records/note/2026-07/a.md").open("a").write("more"),
    "cut": lambda root: os.truncate(root / "records/note/2026-07/a.md", 0),
    "deleted": lambda root: (root / "records/note/2026-07/a.md").unlink(),
    "renamed": lambda root: (root / "records/note/2026-07/a.md").rename(root / "records/note/2026-07/b.md"),
    "moved away": lambda root: (root / "records/note/2026-07/a.md").rename(root / "elsewhere/b.md"),
    "replaced": lambda root: (into(root / "elsewhere/n", "n"), (root / "elsewhere/n").replace(root / "records/a.md")),
    "a new file": lambda root: into(root / "records/note/2026-07/b.md", "b"),
    "a file in new folders": lambda root: into(root / "records/goal/2026-08/b.md", "b"),
    "a new top folder": lambda root: into(root / "held/b.md", "b"),
    "a folder moved away": lambda root: (root / "records/note").rename(root / "elsewhere/note"),
    "touched": lambda root: os.utime(root / "records/note/2026-07/a.md", (1, 1)),
    "a link": lambda root: (root / "records/l.md").symlink_to(root / "elsewhere"),
    "a hard link": lambda root: (root / "records/h.md").hardlink_to(root / "records/note/2026-07/a.md"),
    "settings": lambda root: (root / "memory.toml").write_text("x"),
}


@pytest.mark.parametrize("touch", TOUCHES.values(), ids=list(TOUCHES))
def test_every_touch_is_told_once(watch: Watch, tmp_path: Path, touch: Callable[[Path], object]) -> None:
    assert watch.quiet()
    touch(tmp_path)
    assert not watch.quiet()
    assert not watch.quiet()  # until somebody looked
    watch.arm()
    assert watch.quiet()


def test_what_does_not_matter_is_not_told(watch: Watch, tmp_path: Path) -> None:
    (tmp_path / "records/note/2026-07/a.md").read_text()
    list((tmp_path / "records").rglob("*"))
    (tmp_path / "elsewhere/b").write_text("b")
    assert watch.quiet()


def test_folders_that_came_are_watched_too(watch: Watch, tmp_path: Path) -> None:
    into(tmp_path / "records/goal/2026-08/b.md", "b")
    into(tmp_path / ".index/extracts/aa/one.json", "b")
    watch.arm()
    for place in ("records/goal/2026-08/b.md", ".index/extracts/aa/one.json", "records/goal/2026-08/c.md"):
        assert watch.quiet()
        into(tmp_path / place, "c")
        assert not watch.quiet()
        watch.arm()


def test_a_lost_count_is_not_quiet(watch: Watch, tmp_path: Path) -> None:
    """More was told than the kernel keeps (16,384 by default): the rest is lost, the loss is not."""
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if limit > 50_000:
        pytest.skip("the queue is too long here to be filled")
    one, other = tmp_path / "records/x", tmp_path / "records/y"
    for _ in range(limit // 2 + 10):
        one.write_text("")
        one.rename(other)
    assert not watch.quiet()
    watch.arm()
    assert watch.quiet()
    into(tmp_path / "records/note/2026-07/z.md", "b")
    assert not watch.quiet()


def test_without_the_means_it_is_never_quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("_calls", lambda: None), ("_local", lambda path: False), ("MOST_FOLDERS", 0)):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, value)
            watch = Watch(tmp_path, ("records",))
            watch.arm()
            assert not watch.quiet()
    gone = Watch(tmp_path / "gone", ("records",))
    gone.arm()
    assert not gone.quiet()


def test_closing_gives_the_handle_back(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        watch = Watch(tmp_path, ())
        watch.arm()
        watch.close()
        del watch
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_bell_rings_when_a_file_grows_comes_or_goes(tmp_path: Path) -> None:
    folder, other = tmp_path / "a", tmp_path / "b"
    folder.mkdir()
    other.mkdir()
    (folder / "s.jsonl").write_text("one\n")

    def rang(act: Callable[[], object]) -> bool:
        bell = Bell([str(folder), str(tmp_path / "not there")])
        try:
            act()
            return bell.wait(0.2)
        finally:
            bell.close()

    def grow() -> None:
        with open(folder / "s.jsonl", "a") as file:
            file.write("two\n")

    assert rang(grow)
    assert rang(lambda: (folder / "new.jsonl").write_text("x"))
    assert rang((folder / "new.jsonl").unlink)
    assert rang((folder / "deeper").mkdir)
    assert not rang((folder / "s.jsonl").read_text)
    assert not rang(lambda: (other / "x").write_text("x"))
    assert not rang(lambda: None)


def test_a_deaf_bell_rings_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_FOLDERS", 1)
    monkeypatch.setattr(Bell, "DEAF_SECONDS", 0.01)
    bell = Bell([str(tmp_path), str(tmp_path.parent)])
    assert bell.wait(60)
