"""Records that come whole from elsewhere: their bytes may not change, so one with a credential does not come in."""

from __future__ import annotations

from typing import Sequence

from memoranda.model.outcome import Screened
from memoranda.model.record import Record
from memoranda.model.turn import Block, Turn
from memoranda.ports import Screener
from memoranda.screen.redaction import redact


def arrivals(records: Sequence[Record], screeners: Sequence[Screener]) -> list[Screened[Record]]:
    """Those of the records that may be written, in order. Raises `Unavailable` when a screener fails."""
    turns = [Turn("", "", "user", "record", (Block("text", _words(record)),)) for record in records]
    looked = zip(records, turns, redact(turns, screeners), strict=True)
    return [Screened(record, now.rules, now.findings) for record, turn, now in looked if now.value.text == turn.text]


def _words(record: Record) -> str:
    names = (*record.entities, *record.tags, *record.aliases, *record.anchors)
    return "\n".join((record.body, record.source, record.scope or "", record.principal or "", *names))
