"""Keeping up with sessions while they go on."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Iterator, Sequence

from memoranda.memory.store import Store
from memoranda.model.errors import Busy

if TYPE_CHECKING:
    from memoranda.ports.protocols import TranscriptReader
    from memoranda.remember.capture import CaptureReport

#: A history that was touched is read so many seconds later: agents write a turn in several strokes.
SETTLE_SECONDS = 0.3
#: Two captures are at least so far apart, and after this long there is one whether anything was heard or not: an agent
#: that was installed meanwhile has folders nobody listens to yet.
LEAST_SECONDS = 1.0
MOST_SECONDS = 60.0
#: Levels above a history where a folder for the next one may be made: some agents have folders by day and month.
ABOVE = 2


class Live:
    """Part of `Memory`."""

    _store: Store

    if TYPE_CHECKING:

        def capture(
            self,
            paths: Sequence[Path | str] = (),
            *,
            harness: str | None = None,
            seconds: float | None = None,
            embed_seconds: float | None = None,
            check: bool = False,
            keep_media: bool = False,
        ) -> CaptureReport: ...

        def _readers(self, harness: str | None) -> Sequence[TranscriptReader]: ...

    def watch(
        self, paths: Sequence[Path | str] = (), *, harness: str | None = None, keep_media: bool = False
    ) -> Iterator[CaptureReport]:
        """Capture now, and again whenever a history is touched; a report for each, without end.

        Between two captures it sleeps until the kernel says that something was written (Linux; elsewhere it looks
        every two seconds). A memory that somebody else captures into is left to them. Raises as `capture` does.
        """
        from memoranda.truth.watch import Bell

        while True:
            began = time.monotonic()
            bell = Bell(self._folders(paths, harness))  # before the look: what comes after it rings
            try:
                try:
                    report = self.capture(paths, harness=harness, keep_media=keep_media)
                except Busy:
                    time.sleep(LEAST_SECONDS)
                    continue
                yield report
                if bell.wait(MOST_SECONDS):
                    time.sleep(max(SETTLE_SECONDS, began + LEAST_SECONDS - time.monotonic()))
            finally:
                bell.close()

    def _folders(self, paths: Sequence[Path | str], harness: str | None) -> set[str]:
        """The folders of all histories there are, those above them, where new ones come, and what was named."""
        from collections import Counter

        from memoranda.remember.sources import find

        settings = self._store.settings
        named = [Path(path) for path in paths]
        found = find(self._readers(harness), settings.user_home, settings.variables, named, [], Counter())
        folders = {os.path.dirname(os.path.realpath(source.path)) for _, source in found}
        above = folders
        for _ in range(ABOVE):
            above = {os.path.dirname(folder) for folder in above}
            folders |= above | {child for folder in above for child in _folders_in(folder)}
        folders |= {str(path) for path in named if path.is_dir()}
        return folders or {str(settings.user_home)}


def _folders_in(folder: str) -> list[str]:
    """The folders right below one: a session's may have been made, with nothing in it yet."""
    try:
        with os.scandir(folder) as entries:
            return [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
