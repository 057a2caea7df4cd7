"""What a reader was just given, as (record id or place, text, authority), for the log of what was handed out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable, Iterator

from memoranda.memory.store import Store
from memoranda.model.locator import TurnLocator
from memoranda.model.outcome import Known, Refused
from memoranda.model.query import Answer
from memoranda.model.record import Authority, Record

if TYPE_CHECKING:
    from memoranda.memory.receive import Receipt
    from memoranda.memory.results import TurnsView

_MOST_ARRIVED = 500
Text = tuple[str, str, Authority]


def of_answer(answer: Answer) -> Iterator[Text]:
    for concluded in answer.concluded:
        yield concluded.record.id, concluded.record.body, concluded.authority
    for said in answer.said:
        yield f"{said.locator}#{said.start}", said.text, Authority.OBSERVED
    for shown in answer.shown:
        yield shown.locator, shown.text, shown.authority


def of_turns(view: TurnsView) -> Iterator[Text]:
    for turn in view.turns:
        place = TurnLocator(turn.harness, turn.session, turn=turn.turn)
        for number, block in enumerate(turn.blocks):
            if "echo" not in block.marks:
                yield f"{place}#{number}", block.text, Authority.OBSERVED


def of_records(store: Store, records: Iterable[Record]) -> Iterator[Text]:
    for record in records:
        yield record.id, record.body, store.authority(record)


def of_receipt(store: Store, receipt: Receipt) -> Iterator[Text]:
    """What arrived, under its name here; what only would arrive, under the name it has there. Of many the first: a
    sender of thousands must not drive out of the log what recall gave."""
    for one in receipt.arrived[:_MOST_ARRIVED]:
        if isinstance(one.outcome, Known):
            yield one.outcome.record.id, one.outcome.record.body, store.authority(one.outcome.record)
        elif not isinstance(one.outcome, Refused):
            yield one.id if receipt.dry else one.outcome.record.id, one.outcome.record.body, Authority.FOREIGN


def of_core(store: Store) -> Iterator[Text]:
    ids = [entry.id for entry in store.catalog.entries.values() if entry.path.startswith("core/")]
    return of_records(store, (record for record in map(store.read, ids) if record is not None))
