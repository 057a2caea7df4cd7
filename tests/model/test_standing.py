"""Standing: events fold to the same value in any order, and doubt goes to the lower authority."""

from __future__ import annotations

import random

from memoranda.model.event import Event
from memoranda.model.standing import fold


def event(writer: str, n: int, kind: str, ts: str = "2026-01-01T00:00:00Z", **seen: int) -> Event:
    return Event(n=n, prev="", ts=ts, kind=kind, target="t", writer=writer, seen=seen)


def standing(*events: Event, effective=lambda _: True):
    mixed = list(events)
    random.Random(len(events)).shuffle(mixed)
    return fold(mixed, effective)["t"]


def test_concurrent_release_and_rejection_resolve_to_the_lower_authority():
    assert standing(event("a", 0, "released"), event("b", 0, "rejected")).rejected
    assert not standing(event("a", 0, "released"), event("b", 0, "rejected")).released


def test_a_later_event_of_the_same_writer_replaces_the_earlier_one_whatever_the_clock_says():
    late, early = event("a", 1, "released", "2020-01-01T00:00:00Z"), event("a", 0, "rejected", "2030-01-01T00:00:00Z")
    assert standing(early, late).released


def test_an_event_that_had_seen_the_other_replaces_it():
    assert standing(event("a", 0, "rejected"), event("b", 0, "released", a=0)).released
    assert standing(event("a", 3, "rejected"), event("b", 0, "released", a=2)).rejected


def test_c34_foreign_events_are_listed_and_change_nothing():
    found = standing(event("x", 0, "retired"), effective=lambda e: e.writer != "x")
    assert not found.retired
    assert len(found.events) == 1


def test_b36_a_verification_settles_earlier_contradictions():
    first = event("a", 0, "contradicted", "2026-01-01T00:00:00Z")
    second = event("a", 1, "verified", "2026-02-01T00:00:00Z")
    third = event("a", 2, "contradicted", "2026-03-01T00:00:00Z")
    assert standing(first).contradicted == 1
    assert standing(first, second).contradicted == 0
    assert standing(first, second).verified == "2026-02-01T00:00:00Z"
    assert standing(first, second, third).contradicted == 1


def test_a_clock_that_goes_back_or_jumps_ten_years_reorders_nothing():
    jumped = event("a", 0, "contradicted", "2036-01-01T00:00:00Z")
    after = event("a", 1, "verified", "2026-01-01T00:00:00Z")
    back = event("a", 2, "contradicted", "2016-01-01T00:00:00Z")
    found = standing(jumped, after, back)
    assert [e.n for e in found.events] == [0, 1, 2]
    assert found.contradicted == 1
    assert found.verified == "2026-01-01T00:00:00Z"
    other = event("b", 0, "verified", "2000-01-01T00:00:00Z", a=2)
    assert [e.writer for e in standing(jumped, after, back, other).events] == ["a", "a", "a", "b"]
    assert standing(jumped, after, back, other).contradicted == 0


def test_the_verification_that_counts_is_the_last_of_the_chain_not_the_latest_by_the_clock():
    assert (
        standing(
            event("a", 0, "verified", "2036-01-01T00:00:00Z"), event("a", 1, "verified", "2026-01-01T00:00:00Z")
        ).verified
        == "2026-01-01T00:00:00Z"
    )
