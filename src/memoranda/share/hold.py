"""Who may read a local copy, and who may change it: any number the one, one the other.

By flock, so that it is freed when its holder dies.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from memoranda.model.errors import Busy


class Hold:
    """The lock of one copy. A reader takes it for one reading."""

    def __init__(self, path: Path, wait_seconds: float) -> None:
        self._path, self._wait_seconds = path, wait_seconds
        self._reading = -1

    def read(self) -> None:
        """Hold the copy as it is until `let_go`. Raises `Busy`."""
        self.let_go()
        self._reading = self._taken(fcntl.LOCK_SH)

    def let_go(self) -> None:
        if self._reading >= 0:
            os.close(self._reading)
            self._reading = -1

    @contextmanager
    def change(self) -> Iterator[None]:
        """Hold the copy alone. Whoever calls reads nothing meanwhile. Raises `Busy`."""
        self.let_go()
        handle = self._taken(fcntl.LOCK_EX)
        try:
            yield
        finally:
            os.close(handle)

    def _taken(self, kind: int) -> int:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        until, pause = time.monotonic() + self._wait_seconds, 0.001
        while True:
            try:
                fcntl.flock(handle, kind | fcntl.LOCK_NB)
                return handle
            except BlockingIOError:
                if time.monotonic() >= until:
                    os.close(handle)
                    raise Busy("another process is reading or renewing this copy", "try again in a moment") from None
                time.sleep(pause)
                pause = min(pause * 2, 0.05)
