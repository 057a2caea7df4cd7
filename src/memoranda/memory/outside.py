"""The world as one recall sees it: files in checkouts, turns and records of this memory. Caches for that long only."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, Sequence

from memoranda.model.locator import EvidenceLocator, FileLocator, TurnLocator
from memoranda.model.turn import Turn
from memoranda.model.world import Unseen
from memoranda.truth.tree import Checkouts, read_inside


class Outside:
    """A `World`. `turns` gives the turns a locator names, None when that session was never captured here."""

    def __init__(
        self,
        checkouts: Checkouts,
        project_top: Path | None,
        turns: Callable[[TurnLocator], Sequence[Turn] | None],
        digest: Callable[[str], str | None],
        evidence: Callable[[EvidenceLocator], str | None],
    ) -> None:
        self._checkouts, self._top, self._turns, self._digest = checkouts, project_top, turns, digest
        self._evidence = evidence
        self._files: dict[tuple[str | None, str], bytes | Unseen | None] = {}

    def file(self, locator: FileLocator) -> bytes | None:
        key = (locator.repo, locator.path)
        if key not in self._files:
            try:
                self._files[key] = self._read(locator)
            except Unseen as error:
                self._files[key] = error
        found = self._files[key]
        if isinstance(found, Unseen):
            raise found
        return found

    def _read(self, locator: FileLocator) -> bytes | None:
        if locator.repo is None:
            if self._top is None:
                raise Unseen("the anchor names no repository")
            return read_inside(self._top, locator.path)
        return self._checkouts.file(locator)

    def turn(self, locator: TurnLocator) -> str | None:
        if not locator.harness:
            raise Unseen("only the hash of the quoted words travels with this memory")
        turns = self._turns(locator)
        if turns is None:
            raise Unseen("that session was not captured here")
        if not turns:
            return None
        return "\n".join(turn.text for turn in turns)

    def record(self, id: str) -> str | None:
        return self._digest(id)

    def evidence(self, locator: EvidenceLocator) -> str | None:
        return self._evidence(locator)
