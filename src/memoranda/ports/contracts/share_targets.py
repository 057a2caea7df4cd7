"""The suite a share target must pass. Derive a class named `Test…` from it and say how yours is made.

    class TestMine(ShareTargetContract):
        def target(self): return make(a place that is new and empty, the same one within a test)

Needs pytest to run, nothing else.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Mapping

import pytest

from memoranda.model.errors import Conflict, NotFound
from memoranda.ports.sharing import ShareTarget


def manifest(version: int) -> str:
    return f"memory.lance/_versions/{(1 << 64) - 1 - version:020}.manifest"


class ShareTargetContract:
    """The promises of `ShareTarget`, as tests."""

    def target(self) -> ShareTarget:
        raise NotImplementedError("say how your target is made")

    def files(self, folder: Path, version: int, mark: str = "a", **more: str) -> Mapping[str, Path]:
        folder.mkdir(exist_ok=True)
        texts = {f"memory.lance/data/{mark}{version}.lance": mark * 1000, manifest(version): f"{version} {mark}"}
        texts.update(more)
        paths = {}
        for number, (path, text) in enumerate(texts.items()):
            file = folder / f"{mark}-{version}-{number}"
            file.write_text(text)
            paths[path] = file
        return paths

    def test_nothing_is_there_at_first(self) -> None:
        assert self.target().head() is None

    def test_what_was_committed_is_the_head_and_reads_back(self, tmp_path: Path) -> None:
        target = self.target()
        made = target.commit(self.files(tmp_path / "f", 1), None, "first")
        assert target.head() == made
        assert self.target().head() == made
        assert made.manifest == manifest(1)
        target.read(manifest(1), made, tmp_path / "back")
        assert (tmp_path / "back").read_text() == "1 a"

    def test_the_newest_of_many_is_the_head(self, tmp_path: Path) -> None:
        target = self.target()
        head = None
        for version in range(1, 12):
            head = target.commit(self.files(tmp_path / "f", version), head, "one more")
        assert target.head() == head
        assert head is not None
        assert head.manifest == manifest(11)

    def test_who_comes_second_is_told_and_changes_nothing(self, tmp_path: Path) -> None:
        target = self.target()
        first = target.commit(self.files(tmp_path / "f", 1), None, "first")
        second = target.commit(self.files(tmp_path / "f", 2, "b"), first, "second")
        with pytest.raises(Conflict):
            target.commit(self.files(tmp_path / "f", 2, "c"), first, "too late")
        assert target.head() == second
        target.read(manifest(2), second, tmp_path / "back")
        assert (tmp_path / "back").read_text() == "2 b"

    def test_of_many_at_once_one_comes_first(self, tmp_path: Path) -> None:
        first = self.target().commit(self.files(tmp_path / "f", 1), None, "first")
        won: list[str] = []
        lost: list[str] = []
        start = threading.Barrier(4)

        def push(mark: str) -> None:
            files = self.files(tmp_path / mark, 2, mark)
            target = self.target()
            start.wait(60)
            try:
                target.commit(files, first, mark)
                won.append(mark)
            except Conflict:
                lost.append(mark)

        threads = [threading.Thread(target=push, args=(mark,)) for mark in "bcde"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert (len(won), len(lost)) == (1, 3)
        head = self.target().head()
        assert head is not None
        self.target().read(manifest(2), head, tmp_path / "back")
        assert (tmp_path / "back").read_text() == f"2 {won[0]}"

    def test_a_file_that_is_not_there_is_not_found(self, tmp_path: Path) -> None:
        target = self.target()
        head = target.commit(self.files(tmp_path / "f", 1), None, "first")
        with pytest.raises(NotFound):
            target.read("ids/none.gz", head, tmp_path / "back")

    def test_the_card_alone_is_replaced(self, tmp_path: Path) -> None:
        target = self.target()
        head = target.commit(self.files(tmp_path / "f", 1, **{"README.md": "one"}), None, "first")
        head = target.commit(self.files(tmp_path / "f", 2, **{"README.md": "two"}), head, "second")
        target.read("README.md", head, tmp_path / "card")
        assert (tmp_path / "card").read_text() == "two"
