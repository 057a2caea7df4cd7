"""What is true of a record when it is recalled: expiry to the second, chains to their ends, who has no say."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from memoranda.model.locator import Anchor, FileLocator
from memoranda.model.record import Authority, Category, Durability
from memoranda.model.standing import NOTHING, Standing
from memoranda.recall.facts import expiry, gather, live_ends

WINDOWS = {
    "decision": 365,
    "constraint": 180,
    "goal": 120,
    "preference": 90,
    "reference": 180,
    "summary": 60,
    "note": 30,
}
NOW = "2026-12-01T00:00:00Z"


def later(text: str, **by: int) -> str:
    return (datetime.fromisoformat(text) + timedelta(**by)).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.mark.parametrize("category", list(Category))
def test_b38_a_record_expires_one_second_after_its_window_and_not_before(shelf, category):
    record = shelf.keep("x", category=category, created="2026-01-31T12:30:15Z")
    end = later(record.created, days=WINDOWS[category.value])
    assert expiry(record, NOTHING, later(end, seconds=-1)) == ""
    assert expiry(record, NOTHING, end) == ""
    assert category.value in expiry(record, NOTHING, later(end, seconds=1))


def test_b37_b38_a_verification_begins_the_window_anew_and_an_older_one_does_not_shorten_it(shelf):
    record = shelf.keep("x", category=Category.NOTE, created="2026-01-31T00:00:00Z")
    verified = Standing(verified="2026-06-01T00:00:00Z")
    assert expiry(record, verified, "2026-07-01T00:00:00Z") == ""
    assert "verified 2026-06-01" in expiry(record, verified, "2026-07-01T00:00:01Z")
    before = Standing(verified="2025-06-01T00:00:00Z")
    assert expiry(record, before, "2026-03-02T00:00:00Z") == ""
    assert "created 2026-01-31" in expiry(record, before, "2026-03-02T00:00:01Z")


def test_b8_a_chain_ends_at_what_nothing_in_effect_replaces(shelf):
    first = shelf.keep("one")
    second = shelf.keep("two", supersedes=(first.id,))
    third = shelf.keep("three", supersedes=(second.id,))
    assert live_ends(first.id, shelf) == (third.id,)
    assert live_ends(third.id, shelf) == ()


def test_a_held_or_retired_superseder_counts_for_nothing(shelf):
    first = shelf.keep("one")
    second = shelf.keep("two", supersedes=(first.id,))
    shelf.waiting.add(second.id)
    assert live_ends(first.id, shelf) == ()
    shelf.waiting.clear()
    shelf.standings[second.digest] = Standing(retired=True)
    assert live_ends(first.id, shelf) == ()


def test_a_circle_has_no_end_and_stops_nothing(shelf):
    first = shelf.keep("one", supersedes=("mem_000000000002",))
    second = shelf.keep("two", supersedes=(first.id,))
    assert live_ends(first.id, shelf) == ()
    facts = gather(second.id, shelf, shelf.world(), NOW)
    assert facts is not None
    assert facts.rivals == ()


def test_two_live_ends_are_rivals_also_across_generations(shelf):
    first = shelf.keep("one")
    left = shelf.keep("left", supersedes=(first.id,))
    right = shelf.keep("right", supersedes=(first.id,))
    newer = shelf.keep("newer", supersedes=(left.id,))

    def rivals(record):
        return gather(record.id, shelf, shelf.world(), NOW).rivals

    assert rivals(newer) == (right.id,)
    assert rivals(right) == (newer.id,)
    assert rivals(left) == ()
    both = shelf.keep("both", supersedes=(newer.id, right.id))
    assert rivals(both) == ()


@pytest.mark.parametrize(
    ("change", "reason"),
    [({"retired": True}, "retired"), ({"rejected": True}, "rejected")],
)
def test_retired_and_rejected_records_are_absent(shelf, change, reason):
    record = shelf.keep("x")
    shelf.standings[record.digest] = Standing(**change)
    assert gather(record.id, shelf, shelf.world(), NOW).absent == reason


def test_b34_transient_is_absent_until_promoted(shelf):
    record = shelf.keep("x", durability=Durability.TRANSIENT)
    assert gather(record.id, shelf, shelf.world(), NOW).absent == "transient"
    shelf.standings[record.digest] = Standing(promoted=True)
    assert gather(record.id, shelf, shelf.world(), NOW).absent == ""


def test_b40_b42_anchors_are_read_each_time(shelf):
    text = b"TIMEOUT = 30\n"
    anchor = str(Anchor(FileLocator("app.py"), hashlib.sha256(text).hexdigest()))
    record = shelf.keep("x", anchors=(anchor,))
    states = []
    for content in (text, b"TIMEOUT = 45\n", None, text):
        shelf.files = {} if content is None else {"app.py": content}
        facts = gather(record.id, shelf, shelf.world(), NOW)
        states.append((facts.verdicts[0].state, bool(facts.broken)))
    assert states == [("fresh", False), ("changed", True), ("gone", True), ("fresh", False)]


def test_a_hand_edited_record_is_edited_and_external(shelf):
    record = shelf.keep("x")
    shelf.records[record.id] = replace(record, body="y", digest="f" * 64)
    facts = gather(record.id, shelf, shelf.world(), NOW)
    assert facts.edited
    assert facts.authority is Authority.EXTERNAL


def test_a_record_that_is_gone_has_no_facts(shelf):
    assert gather("mem_aaaaaaaaaaaa", shelf, shelf.world(), NOW) is None
