"""The truth as the index may read it."""

from __future__ import annotations

from typing import Iterator, Mapping

from memoranda.model.evidence import Exhibit, Extract
from memoranda.model.problem import Problem
from memoranda.model.record import Record
from memoranda.model.turn import Turn
from memoranda.model.world import TurnFile
from memoranda.truth.records import RecordStore
from memoranda.truth.turns import TurnStore


class FolderView:
    """A `TruthView` over the stores of one memory."""

    def __init__(self, records: RecordStore, turns: TurnStore) -> None:
        self._records = records
        self._turns = turns

    def record_stamps(self) -> Mapping[str, str]:
        return self._records.stamps()

    def record(self, path: str) -> Record | Problem:
        return self._records.load(path)

    def turn_files(self) -> Iterator[TurnFile]:
        return self._turns.files()

    def turns(self, path: str, start: int = 0) -> Iterator[tuple[Turn, int] | Problem]:
        return self._turns.read(path, start)

    def extract_stamps(self) -> Mapping[str, str]:
        return {}

    def extract(self, sha256: str) -> tuple[Exhibit, Extract] | None:
        return None
