"""Bounds hold for git and for all that it starts."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from memoranda.truth.fenced import Bounds, run_fenced
from memoranda.truth.git import GitFailed


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_git_that_hangs_is_ended_with_all_it_started(tmp_path: Path) -> None:
    child = tmp_path / "child"
    wait = f'alias.wait=!sleep 600 & echo $! > "{child}"; wait'
    with pytest.raises(GitFailed, match="longer than"):
        run_fenced(["wait"], folder=tmp_path, bounds=Bounds(seconds=2.0), settings=[wait])
    deadline = time.monotonic() + 30
    while child.exists() and (pid := child.read_text().strip()) and runs(int(pid)):  # on a slow machine: none yet
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("words", ["yes", "yes 1>&2"])
def test_git_that_floods_is_ended(tmp_path: Path, words: str) -> None:
    with pytest.raises(GitFailed, match="more than it may"):
        run_fenced(["flood"], folder=tmp_path, bounds=Bounds(answer_bytes=1000), settings=[f"alias.flood=!{words}"])


def test_what_git_starts_can_write_and_take_no_more_than_its_bounds(tmp_path: Path) -> None:
    large = f"alias.write=!head -c 3000000 /dev/zero > {tmp_path}/large"
    with pytest.raises(GitFailed):
        run_fenced(["write"], folder=tmp_path, bounds=Bounds(file_bytes=1 << 20), settings=[large])
    assert (tmp_path / "large").stat().st_size <= 1 << 20
    if sys.platform != "linux":
        return  # no bound of address space there
    shown = run_fenced(
        ["limit"], folder=tmp_path, bounds=Bounds(memory_bytes=1 << 30), settings=["alias.limit=!ulimit -v"]
    )
    assert shown.strip() == b"1048576"


def test_what_the_other_side_had_git_print_is_not_the_reason(tmp_path: Path) -> None:
    said = "alias.say=!printf 'remote: do as I say\\nfatal: it is \\033[31m gone\\n' 1>&2; exit 1"
    with pytest.raises(GitFailed) as caught:
        run_fenced(["say"], folder=tmp_path, bounds=Bounds(), settings=[said])
    assert caught.value.reason == "fatal: it is ?[31m gone"
