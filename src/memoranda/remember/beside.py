"""One piece of work at a time in a thread of its own, beside the line that goes on meanwhile."""

from __future__ import annotations

import threading
from typing import Callable


class Beside:
    """What was started runs until it is waited for, and its error comes out there."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None

    def start(self, work: Callable[[], object]) -> None:
        """Begin `work`, after what was begun before it. Raises what that raised."""
        self.wait()
        self._thread = threading.Thread(target=self._run, args=(work,), name="capture")
        self._thread.start()

    def wait(self) -> None:
        """Until nothing runs any more. Raises what the work raised, once."""
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()
        error, self._error = self._error, None
        if error is not None:
            raise error

    def _run(self, work: Callable[[], object]) -> None:
        try:
            work()
        except BaseException as error:
            self._error = error
