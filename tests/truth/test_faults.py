"""What the disk and the system can do to a write: killed, full, read-only, unsyncable, without hard links."""

import errno
import os
import random
import resource
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from memoranda.model.errors import Conflict, MemorandaError, Unavailable
from memoranda.truth import files
from memoranda.truth.folder import Folder
from memoranda.truth.lock import WriteLock
from memoranda.truth.records import RecordStore
from memoranda.truth.turns import TurnStore

ROOT = os.geteuid() == 0


def _stores(folder: Folder) -> tuple[RecordStore, TurnStore]:
    lock = WriteLock(folder.root / ".lock")
    return RecordStore(folder, lock), TurnStore(folder, "w0123456789ab", lock)


@contextmanager
def _never_returning() -> Iterator[None]:
    """The body of a forked child: it ends here, whatever happens."""
    try:
        yield
    finally:
        os._exit(1)


def _temps(root: Path) -> list[Path]:
    return [path for path in root.rglob(".tmp-*") if "lost+found" not in path.parts]


def test_b15_sigkill_at_200_random_points_of_a_write(project: Folder, make: SimpleNamespace) -> None:
    """Every acknowledged record is there, every file parses, no temporary file is left after recovery."""
    rng = random.Random(15)
    acknowledged: list[str] = []
    killed_inside = 0
    for round_ in range(200):
        read_end, write_end = os.pipe()
        pid = os.fork()
        if pid == 0:  # pragma: no cover
            with _never_returning():
                records, _ = _stores(project)
                os.write(write_end, b"started\n")
                for n in range(10_000):
                    record = records.write(make.draft(f"Round {round_} fact {n}."))
                    os.write(write_end, f"{record.path}\n".encode())
        os.close(write_end)
        with os.fdopen(read_end) as pipe:
            assert pipe.readline() == "started\n"
            time.sleep(rng.uniform(0, 0.012))
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            acknowledged += [line.strip() for line in pipe if line.endswith("\n")]
        killed_inside += bool(_temps(project.root))
        if round_ % 20 == 19:
            project.recover()
            assert _temps(project.root) == []
    records, _ = _stores(project)
    project.recover()
    found, problems = records.scan()
    assert problems == []
    assert all(record.intact for record in found)
    assert set(acknowledged) <= {record.path for record in found}
    assert acknowledged
    assert killed_inside, "no kill fell inside a write: the test proves nothing"
    records.write(make.draft("And it still writes."))


def test_sigkill_while_appending_turns_loses_nothing_acknowledged(project: Folder, make: SimpleNamespace) -> None:
    rng = random.Random(16)
    _, turns = _stores(project)
    acknowledged = 0
    for _ in range(25):
        start = sum(1 for file in turns.files() for _ in turns.read(file.path))
        read_end, write_end = os.pipe()
        pid = os.fork()
        if pid == 0:  # pragma: no cover
            with _never_returning():
                _, own = _stores(project)
                os.write(write_end, b".")
                for n in range(start, start + 10_000):
                    own.append([make.turn("x" * 20_000, n)])
                    os.write(write_end, b".")
        os.close(write_end)
        assert os.read(read_end, 1) == b"."
        time.sleep(rng.uniform(0, 0.02))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        while chunk := os.read(read_end, 65536):
            acknowledged += len(chunk)
        os.close(read_end)
    turns.append([make.turn("last", 10**6)])
    (file,) = turns.files()
    rows = list(turns.read(file.path))
    assert all(isinstance(row, tuple) for row in rows)
    assert len(rows) >= acknowledged + 1


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A file system of half a megabyte."""
    if not ROOT:
        pytest.skip("mounting needs root")
    place = Path(tempfile.mkdtemp(prefix="memoranda-disk-"))
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", place], capture_output=True, check=False
    )
    if mounted.returncode:
        place.rmdir()
        pytest.skip("mounting is not allowed here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=False)
        place.rmdir()


def test_a_full_disk_is_named_and_leaves_nothing_half(small_disk: Path, make: SimpleNamespace) -> None:
    folder = Folder.init(small_disk / ".memoranda", "project")
    records, turns = _stores(folder)
    kept = records.write(make.draft("Before."))
    (turn_file,) = turns.append([make.turn("before")])
    ballast = small_disk / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(b"x" * 4096):
            pass
    with pytest.raises(Unavailable, match="the disk is full") as caught:
        records.write(make.draft("a" * 20_000))
    assert "records/2026/07/mem_" in caught.value.message
    assert caught.value.hint
    with pytest.raises(Unavailable, match="the disk is full"):
        turns.append([make.turn("y" * 20_000, 1)])
    with pytest.raises(Unavailable, match="the disk is full"):
        turns.append([make.turn("y" * 20_000, 0, session="other"), make.turn("y" * 20_000, 1)])
    assert _temps(folder.root) == []
    assert records.scan() == ([kept], [])
    assert [(file.path, file.size) for file in turns.files()] == [(turn_file.path, turn_file.size)]
    ballast.unlink()
    assert records.write(make.draft("a" * 20_000)).intact
    turns.append([make.turn("y" * 20_000, 1)])
    assert len(list(turns.read(turn_file.path))) == 2


def test_a_file_size_limit_mid_write_leaves_nothing_half(project: Folder, make: SimpleNamespace) -> None:
    """Writes come up short first, then fail: both are survived. Runs everywhere, unlike the full disk."""

    def work() -> None:
        records, turns = _stores(project)
        (before,) = turns.append([make.turn("before")])
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, resource.RLIM_INFINITY))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        with pytest.raises(Unavailable):
            records.write(make.draft("a" * 20_000))
        with pytest.raises(Unavailable):
            turns.append([make.turn("y" * 20_000, 1)])
        assert [file.size for file in turns.files()] == [before.size]

    assert make.in_child(work) == 0
    assert _temps(project.root) == []
    assert _stores(project)[0].scan() == ([], [])


def test_a_read_only_folder_is_named_and_still_read(make: SimpleNamespace) -> None:
    """As another user where we are root, since nothing is read-only for root."""
    with tempfile.TemporaryDirectory(prefix="memoranda-ro-") as place:
        os.chmod(place, 0o755)
        folder = Folder.init(Path(place) / ".memoranda", "project")
        records, _ = _stores(folder)
        kept = records.write(make.draft("Before."))
        for path in [folder.root, *folder.root.rglob("*")]:
            os.chmod(path, 0o555 if path.is_dir() else 0o444)

        def work() -> None:
            if ROOT:
                os.setgid(65534)
                os.setuid(65534)
            records, turns = _stores(folder)
            assert records.scan() == ([kept], [])
            for attempt in (lambda: records.write(make.draft("x")), lambda: turns.append([make.turn("x")])):
                with pytest.raises(Unavailable) as caught:
                    attempt()
                assert "permission denied" in caught.value.message
                assert caught.value.hint
            assert folder.recover() == []

        assert make.in_child(work) == 0
        for path in [folder.root, *folder.root.rglob("*")]:
            os.chmod(path, 0o755)


def _unsyncable(fd: int) -> None:
    raise OSError(errno.EIO, "Input/output error")


def test_after_a_failed_sync_the_folder_is_read_only_for_this_process(
    project: Folder, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No disk here can be made to fail a sync, so the call is made to."""
    records, turns = _stores(project)
    monkeypatch.setattr(os, "fsync", _unsyncable)
    monkeypatch.setattr(files, "_failed", {})
    with pytest.raises(Unavailable, match="sync"):
        records.write(make.draft("Never acknowledged."))
    monkeypatch.setattr(os, "fsync", os.fdatasync)  # the disk seems well again, and what it dropped is still unknown
    for attempt in (lambda: records.write(make.draft("x")), lambda: turns.append([make.turn("x")])):
        with pytest.raises(Unavailable, match="read-only since"):
            attempt()
    assert _temps(project.root) == []
    assert records.scan() == ([], [])
    files._failed.clear()  # a new process
    assert records.write(make.draft("Never acknowledged.")).intact


def test_without_hard_links_a_file_is_renamed_and_never_replaced(
    project: Folder, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOTSUP, "Operation not supported")

    monkeypatch.setattr(os, "link", refuse)
    records, _ = _stores(project)
    record = records.write(make.draft("Tabs, not spaces."))
    assert records.write(make.draft("Tabs, not spaces.")) == record
    assert _temps(project.root) == []
    (project.root / "core" / "x").write_bytes(b"theirs")
    with pytest.raises(Conflict):
        files.create(project.root, "core/x", b"ours", private=False)
    assert (project.root / "core" / "x").read_bytes() == b"theirs"


def test_create_is_idempotent_and_never_replaces(project: Folder) -> None:
    assert files.create(project.root, "core/a", b"one", private=False)
    assert not files.create(project.root, "core/a", b"one", private=False)
    with pytest.raises(Conflict):
        files.create(project.root, "core/a", b"two", private=False)
    assert (project.root / "core" / "a").read_bytes() == b"one"


def test_errors_come_as_our_family_only(
    project: Folder, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT, errno.EMFILE, errno.EIO, errno.ENAMETOOLONG):

        def refuse(*_: object, number: int = number, **__: object) -> int:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(os, "write", refuse)
        records, turns = _stores(project)
        with pytest.raises(MemorandaError):
            records.write(make.draft("x"))
        with pytest.raises(MemorandaError):
            turns.append([make.turn("x")])
        monkeypatch.undo()
    assert _temps(project.root) == []
    assert list(_stores(project)[1].files()) == []
