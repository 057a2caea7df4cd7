"""Threads that do what many callers ask of a memory, each with handles of its own.

A handle on a memory is for one thread; callers wait in one line for whichever thread is free. Knows no protocol and
no event loop: who asks is called back on the thread that did it.
"""

from __future__ import annotations

import queue
import threading
from typing import Any, Callable, NamedTuple

from memoranda.views.serving.desk import Desk

Job = Callable[[Desk], Any]
#: Called once with the result, or with the error, on the thread that did the job.
Done = Callable[[Any, BaseException | None], None]


class _Asked(NamedTuple):
    job: Job
    done: Done
    wanted: Callable[[], bool]


class Pool:
    """`make` gives a desk for each thread; `most_waiting` bounds the line."""

    def __init__(self, make: Callable[[], Desk], threads: int, most_waiting: int) -> None:
        self._make, self._most = make, most_waiting
        self._line: queue.Queue[_Asked | None] = queue.Queue()
        self._threads = [
            threading.Thread(target=self._work, name=f"memory-{n}", daemon=True) for n in range(1, threads + 1)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def waiting(self) -> int:
        """About how many wait for a thread."""
        return self._line.qsize()

    def submit(self, job: Job, done: Done, wanted: Callable[[], bool] = lambda: True) -> bool:
        """Have it done; False when too many wait already. A job that is no longer `wanted` at its turn is left."""
        if self.waiting >= self._most:
            return False
        self._line.put(_Asked(job, done, wanted))
        return True

    def stop(self, seconds: float) -> bool:
        """Finish what waits, then close the memories; False when that took longer."""
        for _ in self._threads:
            self._line.put(None)
        for thread in self._threads:
            thread.join(seconds)
        return not any(thread.is_alive() for thread in self._threads)

    def _work(self) -> None:
        desk = self._make()
        while (asked := self._line.get()) is not None:
            if not asked.wanted():
                continue
            try:
                result = asked.job(desk)
            except BaseException as error:  # told to who asked; the thread must live on
                asked.done(None, error)
            else:
                asked.done(result, None)
        desk.close()
