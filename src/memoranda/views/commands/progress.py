"""Progress on stderr: nothing in the first second, then a line that renews itself on a terminal, or one line every
ten seconds elsewhere, each with rate and remaining time."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from typing import TextIO

from memoranda.views.terminal import one_line

QUIET_SECONDS = 1.0
TERMINAL_SECONDS = 0.1
PIPE_SECONDS = 10.0


class Progress:
    """Called with what is counted, how many are done, of how many (0: unknown). Prints rarely, raises never."""

    def __init__(self, quiet: bool = False, stream: TextIO | None = None, now: float | None = None) -> None:
        self._quiet, self._stream = quiet, stream or sys.stderr
        self._start = time.monotonic() if now is None else now
        self._shown = self._start
        self._live = False

    def __call__(self, what: str, done: int, total: int = 0, now: float | None = None) -> None:
        at = time.monotonic() if now is None else now
        terminal = self._stream.isatty()
        wait = TERMINAL_SECONDS if terminal else PIPE_SECONDS
        if self._quiet or at - self._start < QUIET_SECONDS or at - self._shown < wait:
            return
        self._shown = at
        text = line(what, done, total, at - self._start)
        if terminal:
            self._live = True
            self._put("\r\x1b[K" + one_line(text)[:78])
        else:
            self._put("memoranda: " + one_line(text) + "\n")

    def say(self, words: str) -> None:
        """One line at once, for what is known to take long."""
        if not self._quiet:
            self._put("memoranda: " + one_line(words) + "\n")

    def done(self) -> None:
        """Take away the line that renews itself."""
        if self._live:
            self._put("\r\x1b[K")
            self._live = False

    def _put(self, text: str) -> None:
        with suppress(OSError):
            self._stream.write(text)
            self._stream.flush()


def line(what: str, done: int, total: int, seconds: float) -> str:
    """ "1,200 of 9,000 passages, 62/s, 2 min left"."""
    from memoranda.views.render.words import span

    rate = done / seconds if seconds > 0 else 0.0
    text = (f"{what}: " if what else "") + (f"{done:,} of {total:,}" if total else f"{done:,}")
    text += f", {rate:,.0f}/s" if rate >= 1 else ""
    if total > done and rate > 0:
        text += f", {span((total - done) / rate)} left"
    return text
