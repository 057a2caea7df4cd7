"""Where received records came from, read back from their events."""

from __future__ import annotations

from support.teams import record

from memoranda.memory.origins import Origin, Origins, parse_origin
from memoranda.model.event import Event

HERE, THERE = record("A statement here"), record("A statement there")
ORIGIN = Origin("example.com/shop", "c" * 40, THERE.digest, "agent")


def event(cause: str, kind: str = "received", target: str = HERE.digest) -> Event:
    return Event(0, "", "2026-07-02T16:40:00Z", kind, target, "", cause)


def test_an_origin_reads_back_as_it_was_written() -> None:
    assert parse_origin(event(str(ORIGIN))) == ORIGIN
    assert ORIGIN.id == THERE.id
    for odd in (event(""), event("a b c d"), event(str(ORIGIN), "known"), event(f"{ORIGIN} more"), event(f" {ORIGIN}")):
        assert parse_origin(odd) is None


def test_a_record_is_found_by_what_it_was_there_and_keeps_its_first_origin() -> None:
    later = Origin("example.com/other", "d" * 40, record("Said otherwise").digest, "agent")
    origins = Origins([event(str(ORIGIN)), event(str(later))])
    assert origins.here(THERE.digest) == origins.named(THERE.id) == HERE.digest
    assert origins.here(later.digest) == HERE.digest
    assert origins.of(HERE) == ORIGIN
    assert origins.of(THERE) is None
    assert (origins.last("example.com/shop"), origins.last("nowhere")) == ("c" * 40, None)
