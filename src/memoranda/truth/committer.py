"""Commits what was written, in batches, beside the writing and never in its way.

About a second or a hundred files behind while a process lives; the rest at `close`. However many processes write, one
commit a second takes what all of them wrote. What a crash left goes into the next one, which takes whatever is new. A
commit that fails is a notice, never a lost write.
"""

from __future__ import annotations

import threading
import time
from typing import Callable

from memoranda.model.errors import MemorandaError
from memoranda.truth.folder import Folder
from memoranda.truth.git import GitFailed
from memoranda.truth.repository import TRACKED, commit_tracked, committed_at


class Committer:
    """Only a personal memory is ever committed; for a project every method does nothing."""

    def __init__(self, folder: Folder, writer: str = "", wait_seconds: float = 1.0, most_files: int = 100) -> None:
        self._folder = folder
        self._writer = writer
        self._wait_seconds = wait_seconds
        self._most_files = most_files
        self._waiting: set[str] = set()
        self._timer: threading.Timer | None = None
        self._state = threading.Lock()
        self._commits = threading.Lock()
        self._notices: dict[str, None] = {}

    @property
    def notices(self) -> tuple[str, ...]:
        """What keeps what was written from being committed, each once; none after a commit that was made."""
        return tuple(self._notices)

    def note(self, path: str) -> None:
        """Say that a file of the memory is new, changed or gone. Returns at once; others' paths are ignored."""
        if not self._folder.private or path.split("/", 1)[0] not in TRACKED:
            return
        with self._state:
            self._waiting.add(path)
            full = len(self._waiting) >= self._most_files
            if self._timer is not None and not full:
                return
            if self._timer is not None:
                self._timer.cancel()
            self._start(0.0 if full else self._wait_seconds, self.flush if full else self._turn)

    def _start(self, seconds: float, work: Callable[[], object]) -> None:
        self._timer = threading.Timer(seconds, work)
        self._timer.daemon = True
        self._timer.start()

    def _turn(self) -> None:
        """The timer's: a commit, unless another process has just made one. One a second is enough for all of them."""
        ago = time.time() - committed_at(self._folder.root)
        if 0 <= ago < self._wait_seconds:
            with self._state:
                self._start(self._wait_seconds - ago, self._turn)
        else:
            self.flush()

    def flush(self) -> int:
        """Commit now if anything was noted; how many files the commit holds. Never raises."""
        with self._commits:
            with self._state:
                timer, self._timer = self._timer, None
                waiting, self._waiting = self._waiting, set()
            if timer is not None:
                timer.cancel()
            if not waiting:
                return 0
            try:
                count = commit_tracked(self._folder.root, self._writer)
                self._notices.clear()
                return count
            except (MemorandaError, GitFailed) as error:
                self._notices[f"not committed to git yet: {error}"] = None
                with self._state:
                    self._waiting |= waiting
                return 0

    def close(self) -> None:
        """Commit the rest."""
        self.flush()
