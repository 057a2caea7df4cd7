"""Media that stand inside turns as `data:` URIs: with `capture --keep-media` they go through the evidence door.

The turns keep `[elided:<type>:<bytes>:sha256:<hash>]` either way; the hash is that of the bytes, so what is kept is
found by it. Until they have passed the door the bytes lie in memory alone.
"""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Callable

from memoranda.extract.run import memory_folder
from memoranda.memory.media import Bench, claim
from memoranda.memory.times import now
from memoranda.model.errors import MemorandaError
from memoranda.model.outcome import Refused
from memoranda.model.problem import Problem
from memoranda.model.values import replace
from memoranda.remember.exhibit import take_in
from memoranda.screen.elide import payloads

if TYPE_CHECKING:
    from memoranda.memory.store import Store
    from memoranda.model.turn import Turn
    from memoranda.remember.capture import CaptureReport

#: Bytes of one inline file and of all of one capture that are held; more is named and left out.
_ONE_BYTES, _ALL_BYTES = 32 << 20, 256 << 20


class InlineMedia:
    """Collects the media of turns while they pass, and takes them in afterwards."""

    def __init__(self) -> None:
        self._found: dict[bytes, str] = {}
        self._size = 0
        self.left_out = 0

    def collect(self, turn: Turn) -> None:
        """Hold the media of one turn."""
        for block in turn.blocks:
            for kind, data in payloads(block.text):
                if data in self._found:
                    continue
                if len(data) > _ONE_BYTES or self._size + len(data) > _ALL_BYTES:
                    self.left_out += 1
                    continue
                self._size += len(data)
                self._found[data] = f"{turn.harness} {turn.session[:60]} {kind}"

    def before(self, mark: Callable[[Turn], Turn]) -> Callable[[Turn], Turn]:
        """`mark`, with the media of each turn collected first."""

        def collected(turn: Turn) -> Turn:
            self.collect(turn)
            return mark(turn)

        return collected

    def told(self, report: CaptureReport, store: Store) -> CaptureReport:
        """The report of a capture, with what became of the media in it."""
        kept, problems = self.take(store)
        return replace(report, media=kept, problems=(*report.problems, *problems))

    def take(self, store: Store) -> tuple[int, list[Problem]]:
        """Take in what was collected; how many exhibits are new, and why others were not kept."""
        kept, problems = 0, []
        if self.left_out:
            problems.append(Problem("capture", f"{self.left_out} inline files are too large to be kept"))
        with tempfile.TemporaryDirectory(prefix="memoranda-", dir=memory_folder()) as folder:
            for data, name in self._found.items():
                path = Path(folder) / "inline"
                path.write_bytes(data)
                try:
                    result = take_in(path, claim(store, name, "", "", None), Bench(store), now())
                except MemorandaError as error:
                    problems.append(Problem(name, error.message, error.hint))
                    continue
                if isinstance(result, Refused):
                    problems.append(Problem(name, result.message, result.hint))
                else:
                    kept += not result.known
                with suppress(FileNotFoundError):
                    path.unlink()
        self._found.clear()
        return kept, problems
