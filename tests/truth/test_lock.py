"""The write lock: waited for within bounds, named when busy, free at once when its holder dies."""

import os
import signal
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from memoranda.model.errors import Busy, Unavailable
from memoranda.truth.lock import WriteLock


def _held_elsewhere(path: Path) -> int:
    """A child that holds the lock until killed; its pid."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:  # pragma: no cover
        try:
            with WriteLock(path).hold():
                os.write(write_end, b".")
                time.sleep(60)
        finally:
            os._exit(1)
    os.close(write_end)
    assert os.read(read_end, 1) == b"."
    os.close(read_end)
    return pid


def test_b17_busy_names_the_holder_and_the_lock_is_free_when_it_dies(tmp_path: Path) -> None:
    pid = _held_elsewhere(tmp_path / ".lock")
    try:
        with pytest.raises(Busy, match=f"process {pid}"), WriteLock(tmp_path / ".lock", 0.05).hold():
            pass
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    with WriteLock(tmp_path / ".lock", 0.05).hold():
        pass


def test_it_nests_within_a_thread(tmp_path: Path) -> None:
    lock = WriteLock(tmp_path / ".lock", 0.05)
    with lock.hold():
        with lock.hold():
            assert lock.fd >= 0
        with pytest.raises(Busy), WriteLock(tmp_path / ".lock", 0.01).hold():
            pass
    assert lock.fd == -1
    with WriteLock(tmp_path / ".lock", 0.01).hold():
        pass


def test_threads_exclude_each_other(tmp_path: Path) -> None:
    lock = WriteLock(tmp_path / ".lock", 0.05)
    caught: list[Exception] = []

    def other() -> None:
        try:
            with lock.hold():
                pass
        except Busy as error:
            caught.append(error)

    with lock.hold():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert len(caught) == 1


def test_an_error_inside_frees_it(tmp_path: Path) -> None:
    lock = WriteLock(tmp_path / ".lock", 0.05)
    with pytest.raises(ZeroDivisionError), lock.hold():
        raise ZeroDivisionError
    with WriteLock(tmp_path / ".lock", 0.05).hold():
        pass


def test_a_count_kept_under_the_lock_by_processes_is_exact(tmp_path: Path, make: SimpleNamespace) -> None:
    (tmp_path / "count").write_text("0")

    def work() -> None:
        for _ in range(50):
            with WriteLock(tmp_path / ".lock").hold():
                count = int((tmp_path / "count").read_text())
                (tmp_path / "count").write_text(str(count + 1))

    threads = [threading.Thread(target=lambda: make.in_child(work)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "count").read_text() == "150"


def test_no_folder_no_lock(tmp_path: Path) -> None:
    with pytest.raises(Unavailable), WriteLock(tmp_path / "gone" / ".lock").hold():
        pass
