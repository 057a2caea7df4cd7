"""One thread that does everything with a memory, one job after another; between jobs it looks for changes.

A handle on a memory is for one thread. What must be answered while a job runs (a ping, a cancellation) is answered by
whoever reads the client's messages.
"""

from __future__ import annotations

import queue
import sys
import threading
from typing import Callable

Job = Callable[[], None]

#: Jobs that may wait; a client that asks faster is told so.
MOST_WAITING = 256


class Worker:
    """`look` is called between jobs and says in how many seconds it wants to be called again, None for not at all."""

    def __init__(self, look: Callable[[], float | None], closed: Job, most_waiting: int = MOST_WAITING) -> None:
        self._look, self._closed = look, closed
        self._jobs: queue.Queue[Job | None] = queue.Queue()
        self._most = most_waiting
        self._thread = threading.Thread(target=self._work, name="memory", daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> bool:
        """Have it done; False when too many wait already."""
        if self._jobs.qsize() >= self._most:
            return False
        self._jobs.put(job)
        return True

    def stop(self, seconds: float) -> bool:
        """Finish what waits, then close the memory; False when that took longer."""
        self._jobs.put(None)
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _work(self) -> None:
        wait: float | None = None
        while True:
            try:
                job = self._jobs.get(timeout=wait)
            except queue.Empty:
                wait = self._safely(self._look)
                continue
            if job is None:
                break
            self._safely(job)
            wait = self._safely(self._look)
        self._safely(self._closed)

    def _safely(self, work: Callable[[], float | None]) -> float | None:
        """A job that fails must not end the thread; its own code has told the client already."""
        try:
            return work()
        except Exception as error:  # named by kind: a message may quote what was not screened
            print(f"memoranda: {type(error).__name__} while serving", file=sys.stderr)
            return 5.0
