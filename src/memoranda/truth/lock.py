"""The write lock of one memory: across processes by flock, across threads by a lock of our own.

The system frees it when its holder dies, so it is never stale and never stolen. It is held only while writing.
"""

from __future__ import annotations

import errno
import os
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Iterator

from memoranda.model.errors import Busy, Unavailable
from memoranda.truth.files import explained

if os.name == "nt":  # pragma: no cover
    import msvcrt

    def _take(fd: int) -> None:
        os.lseek(fd, 1 << 30, os.SEEK_SET)  # far behind the pid, which others must be able to read
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]

    def _drop(fd: int) -> None:
        os.lseek(fd, 1 << 30, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined,unused-ignore]
else:
    import fcntl

    def _take(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _drop(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_UN)


_HELD_BY_OTHERS = {errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK}


class WriteLock:
    """One lock file. `hold` may nest within a thread; waiting is bounded by `wait_seconds`."""

    #: Whether nobody may ever hold it, because nothing is written there.
    shut = False

    def __init__(self, path: Path, wait_seconds: float = 10.0) -> None:
        self.path = path
        self.wait_seconds = wait_seconds
        self._threads = threading.RLock()
        self._depth = 0
        self._fd = -1

    @property
    def fd(self) -> int:
        """The descriptor while held (a child that inherits it keeps the lock alive), else -1."""
        return self._fd

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Hold the lock. Raises `Busy` naming the holder, `Unavailable` where locks do not work."""
        deadline = time.monotonic() + self.wait_seconds
        if not self._threads.acquire(timeout=max(self.wait_seconds, 0.0)):
            raise self._busy("another thread of this process")
        try:
            if self._depth == 0:
                self._fd = self._acquire(deadline)
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if self._depth == 0:
                    fd, self._fd = self._fd, -1
                    with suppress(OSError):
                        _drop(fd)
                    os.close(fd)
        finally:
            self._threads.release()

    def _acquire(self, deadline: float) -> int:
        with explained(self.path):
            fd = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        pause = 0.001
        while True:
            try:
                _take(fd)
                break
            except OSError as error:
                if error.errno not in _HELD_BY_OTHERS:
                    os.close(fd)
                    raise Unavailable(
                        f"{self.path}: this file system has no working lock ({error.strerror})",
                        "keep the memory on a local disk; nothing is written without a lock",
                    ) from error
            if time.monotonic() >= deadline:
                holder = self._holder(fd)
                os.close(fd)
                raise self._busy(holder)
            time.sleep(pause)
            pause = min(pause * 1.5, 0.006)  # the lock is held for about as long as a disk takes to sync
        # For people only, so a full disk may not stop it. Always as long as before: cutting a file to nothing makes
        # ext4 write it out when it is closed, which took as long as the fsync of a record.
        with suppress(OSError):
            os.pwrite(fd, f"{os.getpid():<20}\n".encode(), 0)
        return fd

    def _holder(self, fd: int) -> str:
        pid = os.pread(fd, 32, 0).strip()
        return f"process {pid.decode()}" if pid.isdigit() else "another process"

    def _busy(self, holder: str) -> Busy:
        return Busy(
            f"{self.path.parent} is being written by {holder}",
            f"waited {self.wait_seconds:g} s; try again when it is done",
        )
