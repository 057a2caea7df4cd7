"""The text of chunks that wait for a vector, read back from the truth: the session at hand is kept, nothing else."""

from __future__ import annotations

from memoranda.memory.store import Store
from memoranda.model.index import Pending
from memoranda.model.locator import TurnLocator, parse_locator
from memoranda.model.problem import Problem
from memoranda.model.turn import Turn


class PendingText:
    """Called with a pending chunk, gives its text, or None when the truth no longer has it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._session: tuple[str, str] | None = None
        self._turns: dict[str, Turn] = {}

    def __call__(self, pending: Pending) -> str | None:
        if pending.doc.startswith("evidence:"):
            found = self._store.passage(pending.doc, pending.block)
            return found[1].text[pending.start : pending.end] if found else None
        if not pending.doc.startswith("turn:"):
            record = self._store.read(pending.doc)
            return record.body[pending.start : pending.end] if record else None
        locator = parse_locator(pending.doc)
        assert isinstance(locator, TurnLocator)
        turn = self._turn(locator)
        if turn is None or pending.block >= len(turn.blocks):
            return None
        return turn.blocks[pending.block].text[pending.start : pending.end]

    def _turn(self, locator: TurnLocator) -> Turn | None:
        if self._session != (locator.harness, locator.session):
            self._session = (locator.harness, locator.session)
            self._turns = {}
            for path in self._store.turn_store.session_files(locator.harness, locator.session):
                for item in self._store.turn_store.read(path):
                    if not isinstance(item, Problem) and item[0].session == locator.session:
                        self._turns.setdefault(item[0].turn, item[0])
        return self._turns.get(locator.turn or "")
