"""Commits: of the tracked files, in batches, by one committer, running nothing that a repository says."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from memoranda.truth import repository
from memoranda.truth.committer import Committer
from memoranda.truth.events import EventLog
from memoranda.truth.folder import Folder
from memoranda.truth.lock import WriteLock
from memoranda.truth.records import RecordStore
from memoranda.truth.turns import TurnStore

WRITER = "w0123456789ab"


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture
def records(personal: Folder) -> RecordStore:
    return RecordStore(personal, WriteLock(personal.root / ".lock"))


def _commits(root: Path) -> int:
    return int(_git(root, "rev-list", "--count", "HEAD"))


def test_b11_a_batch_is_one_commit_by_the_writer_without_content(records: RecordStore, make: SimpleNamespace) -> None:
    root = records.folder.root
    committer = Committer(records.folder, WRITER, wait_seconds=60)
    paths = [records.write(make.draft(f"Confidential {n}.")).path for n in range(3)]
    for path in paths:
        committer.note(path)
    assert committer.flush() == 3
    author, message = _git(root, "log", "-1", "--format=%an%n%B").strip().split("\n", 1)
    assert author == f"memoranda {WRITER}"
    assert message == f"3 files by {WRITER}"
    names = _git(root, "show", "--name-status", "--format=", "HEAD").split()
    assert names == [word for path in sorted(paths) for word in ("A", path)]
    assert _git(root, "status", "--porcelain") == ""
    assert _git(root, "fsck", "--strict") == ""
    assert committer.flush() == 0
    assert _commits(root) == 2


def test_only_what_is_tracked_is_committed(records: RecordStore, make: SimpleNamespace) -> None:
    folder, lock = records.folder, records.lock
    records.write(make.draft("Held.", hold=["x"]))
    TurnStore(folder, WRITER, lock).append([make.turn("hello")])
    event = EventLog(folder, WRITER, lock).append("retired", "0" * 64)
    (folder.root / "my-notes.txt").write_text("mine")
    (folder.root / "records" / ".tmp-1-x").write_text("half")
    committer = Committer(folder, WRITER, wait_seconds=60)
    committer.note("turns/claude/x")
    assert committer.flush() == 0, "turns alone are nothing to commit"
    committer.note(f"events/{WRITER}/{event.ts[:7]}.jsonl")
    assert committer.flush() == 1
    tracked = _git(folder.root, "ls-files").split()
    assert tracked == [".gitattributes", ".gitignore", f"events/{WRITER}/{event.ts[:7]}.jsonl", "memory.toml"]


def test_the_timer_commits_by_itself_and_a_hundred_files_at_once(records: RecordStore, make: SimpleNamespace) -> None:
    root = records.folder.root
    committer = Committer(records.folder, WRITER, wait_seconds=0.05)
    committer.note(records.write(make.draft("One.")).path)
    _until(lambda: _commits(root) == 2)
    patient = Committer(records.folder, WRITER, wait_seconds=60, most_files=3)
    for n in range(3):
        patient.note(records.write(make.draft(f"Fact {n}.")).path)
    _until(lambda: _commits(root) == 3)
    assert patient.notices == ()


def _until(true: object) -> None:
    for _ in range(400):
        if true():  # type: ignore[operator]
            return
        time.sleep(0.025)
    raise AssertionError("it did not happen within ten seconds")


def test_a_crash_before_the_commit_is_made_good_by_the_next(records: RecordStore, make: SimpleNamespace) -> None:
    def work() -> None:
        records.write(make.draft("Never committed by its writer."))
        os.kill(os.getpid(), signal.SIGKILL)

    assert make.in_child(work) == -signal.SIGKILL
    committer = Committer(records.folder, WRITER, wait_seconds=60)
    assert committer.flush() == 0, "reading costs no git"
    committer.note(records.write(make.draft("The next.")).path)
    assert committer.flush() == 2


def test_moves_are_committed(records: RecordStore, make: SimpleNamespace) -> None:
    committer = Committer(records.folder, WRITER, wait_seconds=60)
    record = records.write(make.draft("Tabs, not spaces."))
    committer.note(record.path)
    committer.flush()
    committer.note(records.move(record, "core").path)
    assert committer.flush() == 3, "from, to, and what keeps the emptied folder"
    assert "R100\trecords/2026/07/" in _git(records.folder.root, "show", "-M", "--name-status", "--format=")


def test_what_was_added_and_never_committed_does_not_stop_the_next(records: RecordStore, make: SimpleNamespace) -> None:
    """A git that died after `add`: the log has grown since, and in the other case our index is no index at all."""
    root = records.folder.root
    log = EventLog(records.folder, WRITER, records.lock)
    log.append("retired", "0" * 64)
    committer = Committer(records.folder, WRITER, wait_seconds=60)
    committer.note("events")
    assert committer.flush() == 1
    for damage in (False, True):
        log.append("retired", "1" * 64)
        index = root / ".git" / "memoranda-index"
        if damage:
            index.write_bytes(b"DIRC and nothing else")
        else:
            environment = {**os.environ, "GIT_INDEX_FILE": str(index)}
            subprocess.run(["git", "-C", str(root), "add", "events"], check=True, env=environment)
        log.append("retired", "2" * 64)
        committer.note("events")
        assert committer.flush() == 1, committer.notices
        assert _git(root, "status", "--porcelain") == ""


def test_a_persons_index_that_lost_its_bytes_is_made_again(records: RecordStore, make: SimpleNamespace) -> None:
    root = records.folder.root
    committer = Committer(records.folder, WRITER, wait_seconds=60)
    for n, left in enumerate((b"", b"DIRC\0\0\0\2 half an index")):
        (root / ".git" / "index").write_bytes(left)
        committer.note(records.write(make.draft(f"Tabs, not {n} spaces.")).path)
        assert committer.flush() == 1, committer.notices
        assert _git(root, "status", "--porcelain") == ""


LOCKS = ("index.lock", "memoranda-index.lock", "HEAD.lock", "config.lock", "refs/heads/main.lock")


def test_locks_that_a_killed_git_left_do_not_stop_us(records: RecordStore, make: SimpleNamespace) -> None:
    git_folder = records.folder.root / ".git"
    for name in LOCKS:
        (git_folder / name).write_text("")
    committer = Committer(records.folder, WRITER, wait_seconds=60)
    committer.note(records.write(make.draft("Tabs, not spaces.")).path)
    assert committer.flush() == 1
    assert [name for name in LOCKS if (git_folder / name).exists()] == []


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="nobody tells who has a file open here")
def test_a_lock_is_never_taken_from_whoever_may_hold_it(records: RecordStore, make: SimpleNamespace) -> None:
    """A git that works in the folder, and a program of any name that has the lock open."""
    root = records.folder.root
    lock = root / ".git" / "refs" / "heads" / "main.lock"
    committer = Committer(records.folder, WRITER, wait_seconds=60)
    committer.note(records.write(make.draft("Tabs, not spaces.")).path)
    lock.write_text("")
    with subprocess.Popen(["git", "-C", str(root), "cat-file", "--batch"], stdin=subprocess.PIPE) as alive:
        _until(lambda: Path(f"/proc/{alive.pid}/comm").read_text().startswith("git"))
        _until(lambda: os.readlink(f"/proc/{alive.pid}/cwd") == str(root.resolve()))
        assert committer.flush() == 0
        assert lock.exists()
        assert "main.lock" in committer.notices[0]
        assert alive.stdin
        alive.stdin.close()
    holder = "import sys; file = open(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", holder, str(lock)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as alive:
        assert alive.stdout
        assert alive.stdin
        assert alive.stdout.readline() == b"open\n"
        assert committer.flush() == 0
        assert lock.exists()
        alive.stdin.close()
    here = os.open(root / ".git" / "refs", os.O_RDONLY)  # looking around is no work
    try:
        assert committer.flush() == 1
    finally:
        os.close(here)
    assert not lock.exists()


@pytest.mark.parametrize("lost", ["killed", "power"])
def test_a_repository_whose_making_was_cut_short_is_finished(
    personal: Folder, make: SimpleNamespace, lost: str
) -> None:
    """Killed between a lock and its name, or without power before these two were written out."""
    git_folder = personal.root / ".git"
    for name in ("HEAD", "config"):
        if lost == "killed":
            (git_folder / name).rename(git_folder / f"{name}.lock")
        else:
            (git_folder / name).write_bytes(b"")
    committer = Committer(personal, WRITER, wait_seconds=60)
    records = RecordStore(personal, WriteLock(personal.root / ".lock"))
    committer.note(records.write(make.draft("Tabs, not spaces.")).path)
    assert committer.flush() == 1
    assert _git(personal.root, "fsck", "--strict") == ""


def test_packing_throws_nothing_away(records: RecordStore, make: SimpleNamespace) -> None:
    """What nothing names yet may be somebody's work of this minute."""
    root = records.folder.root
    unnamed = _git(root, "hash-object", "-w", "--stdin", "--path=x").strip()
    committer = Committer(records.folder, WRITER, wait_seconds=60)
    committer.note(records.write(make.draft("Tabs, not spaces.")).path)
    committer.flush()
    (root / ".git" / "objects" / "17").mkdir(exist_ok=True)
    assert not repository.tend(root, root / ".git", -1, most=10**6)
    lock = WriteLock(root / ".git" / "memoranda.lock")
    with lock.hold():
        assert repository.tend(root, root / ".git", lock.fd, most=0)
    assert list((root / ".git" / "objects" / "pack").glob("*.pack"))
    assert _git(root, "cat-file", "-t", unnamed).strip() == "blob"
    assert _git(root, "fsck", "--strict", "--no-dangling") == ""


def test_a_persons_staged_work_is_left_alone(records: RecordStore, make: SimpleNamespace) -> None:
    root = records.folder.root
    (root / "README").write_text("mine")
    _git(root, "add", "README")
    committer = Committer(records.folder, WRITER, wait_seconds=60)
    committer.note(records.write(make.draft("Tabs, not spaces.")).path)
    assert committer.flush() == 1
    assert "README" not in _git(root, "ls-tree", "-r", "--name-only", "HEAD")
    assert _git(root, "status", "--porcelain") == "A  README\n"


def test_a_merge_under_way_is_not_concluded(records: RecordStore, make: SimpleNamespace) -> None:
    root = records.folder.root
    (root / ".git" / "MERGE_HEAD").write_text(_git(root, "rev-parse", "HEAD"))
    committer = Committer(records.folder, WRITER, wait_seconds=60)
    committer.note(records.write(make.draft("Tabs, not spaces.")).path)
    assert committer.flush() == 0
    assert "merge" in committer.notices[0]
    (root / ".git" / "MERGE_HEAD").unlink()
    assert committer.flush() == 1, "what waited is committed later"


@pytest.mark.parametrize(
    "config",
    [
        '[filter "x"]\n\tclean = touch {mark}\n\trequired = true\n',
        '[core] bare = false [filter "x"] clean = touch {mark}\n',
        "[include]\n\tpath = {mark}\n",
        '[IncludeIf "gitdir:/"]\n\tpath = {mark}\n',
        "[extensions]\n\tworktreeConfig = true\n",
    ],
)
def test_settings_that_could_run_programs_are_refused(
    records: RecordStore, make: SimpleNamespace, tmp_path: Path, config: str
) -> None:
    mark = tmp_path / "ran"
    root = records.folder.root
    with (root / ".git" / "config").open("a") as stream:
        stream.write(config.format(mark=mark))
    (root / ".gitattributes").write_text("* filter=x\n")
    committer = Committer(records.folder, WRITER, wait_seconds=60)
    record = records.write(make.draft("Tabs, not spaces."))
    committer.note(record.path)
    assert committer.flush() == 0
    assert "run programs" in committer.notices[0]
    assert not mark.exists()
    assert records.load(record.path) == record, "the write stands"


def test_hooks_monitors_and_the_users_settings_never_run(
    records: RecordStore, make: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, mark = records.folder.root, tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {mark}\n")
    script.chmod(0o755)
    (root / ".git" / "hooks").mkdir(exist_ok=True)
    for hook in (
        "pre-commit",
        "post-commit",
        "commit-msg",
        "prepare-commit-msg",
        "post-index-change",
        "reference-transaction",
    ):
        (root / ".git" / "hooks" / hook).symlink_to(script)
    with (root / ".git" / "config").open("a") as stream:
        stream.write(
            f"[core]\n\tfsmonitor = {script}\n\teditor = {script}\n\tpager = {script}\n[commit]\n\tgpgSign = true\n"
        )
    (tmp_path / "gitconfig").write_text(f"[gpg]\n\tprogram = {script}\n[core]\n\thooksPath = {root}/.git/hooks\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "elsewhere"))
    committer = Committer(records.folder, WRITER, wait_seconds=60)
    committer.note(records.write(make.draft("Tabs, not spaces.")).path)
    assert committer.flush() == 1, committer.notices
    assert not mark.exists()


def test_without_git_writing_goes_on_and_says_so(
    records: RecordStore, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoranda.truth.git.program", lambda: None)
    committer = Committer(records.folder, WRITER, wait_seconds=60)
    record = records.write(make.draft("Tabs, not spaces."))
    committer.note(record.path)
    assert committer.flush() == 0
    assert "git is not installed" in committer.notices[0]
    assert records.load(record.path) == record
    monkeypatch.undo()
    committer.close()
    assert _commits(records.folder.root) == 2


def test_two_committers_of_two_processes_lose_nothing(records: RecordStore, make: SimpleNamespace) -> None:
    def work() -> None:
        committer = Committer(records.folder, WRITER, wait_seconds=60)
        for n in range(4):
            committer.note(records.write(make.draft(f"Fact {n} of {os.getpid()}.")).path)
            committer.flush()
        assert committer.notices == ()

    codes: list[int] = []
    threads = [threading.Thread(target=lambda: codes.append(make.in_child(work))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == [0, 0, 0]
    root = records.folder.root
    tracked = _git(root, "ls-tree", "-r", "--name-only", "HEAD", "records").split()
    assert len(tracked) == 12
    assert _git(root, "status", "--porcelain") == ""


def test_a_project_is_never_committed(store: RecordStore, make: SimpleNamespace) -> None:
    committer = Committer(store.folder, WRITER)
    committer.note(store.write(make.draft("Tabs, not spaces.")).path)
    committer.close()
    assert not (store.folder.root / ".git").exists()
