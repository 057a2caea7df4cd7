"""Core: a fixed budget, cut by value, everything left out named; nothing elsewhere changes a byte of it."""

from __future__ import annotations

import hashlib

import pytest

from memoranda.model.locator import Anchor, FileLocator
from memoranda.model.record import Category, Channel, Confidence
from memoranda.model.standing import Standing
from memoranda.recall import core
from memoranda.recall.core import MOST_CHARS
from memoranda.recall.tokens import estimate
from memoranda.truth.sheet import core_line

NOW = "2026-12-01T00:00:00Z"


def keep(shelf, body, **more):
    return shelf.keep(body, path=f"core/{len(shelf.records)}.md", **more)


def test_b53_an_archive_of_any_size_leaves_core_as_it_is(shelf):
    keep(shelf, "never force-push", category=Category.CONSTRAINT)
    before = core(shelf, 500, NOW)
    assert "never force-push" in before.text
    for n in range(10_000):
        shelf.keep(f"archived {n}")
    assert core(shelf, 500, NOW) == before


def test_c23_ten_times_the_budget_keeps_the_most_valuable_and_names_the_rest(shelf):
    weak = [
        keep(shelf, f"guess {n} " + "word " * 60, channel=Channel.AGENT, confidence=Confidence.LOW) for n in range(30)
    ]
    rule = keep(shelf, "never force-push", category=Category.CONSTRAINT)
    note = keep(shelf, "the office has a cat", category=Category.NOTE)
    whole = sum(estimate(r.body) for r in shelf.records.values())
    block = core(shelf, whole // 10, NOW)
    assert estimate(block.text) <= block.tokens <= block.budget
    assert block.text.index(rule.id) < block.text.index(note.id)
    named = "\n".join(block.left_out)
    for record in weak:
        assert (record.id in block.text) != (record.id in named)


def test_strangers_held_retired_and_replaced_records_stay_out_and_are_named(shelf):
    foreign, held, retired, old = (keep(shelf, name) for name in ("foreign", "held", "retired", "old"))
    new = keep(shelf, "new", supersedes=(old.id,))
    shelf.strange.add(foreign.id)
    shelf.waiting.add(held.id)
    shelf.standings[retired.digest] = Standing(retired=True)
    block = core(shelf, 500, NOW)
    assert [record.id in block.text for record in (foreign, held, retired, old, new)] == [False] * 4 + [True]
    assert {text.split(" ", 1)[0] for text in block.left_out} == {foreign.id, held.id, retired.id, old.id}


def test_a_stale_entry_is_marked_and_goes_last(shelf):
    stale = keep(shelf, "port 8080", anchors=(str(Anchor(FileLocator("a"), hashlib.sha256(b"x").hexdigest())),))
    sound = keep(shelf, "a guess", channel=Channel.AGENT, confidence=Confidence.LOW, category=Category.NOTE)
    shelf.files = {"a": b"y"}
    text = core(shelf, 500, NOW).text
    assert text.index(sound.id) < text.index(stale.id)
    assert "stale" in text[text.index(stale.id) :]


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"channel": Channel.DIRECT_SESSION}, {"channel": Channel.AGENT}),
        ({"confidence": Confidence.HIGH}, {"confidence": Confidence.LOW}),
        ({"category": Category.CONSTRAINT}, {"category": Category.NOTE}),
        ({"created": "2026-11-30T00:00:00Z"}, {"created": "2026-11-29T00:00:00Z"}),
    ],
)
def test_value_is_authority_then_confidence_then_category_then_freshness(shelf, better, worse):
    second = keep(shelf, "x", **worse)
    first = keep(shelf, "y", **better)
    text = core(shelf, 500, NOW).text
    assert text.index(first.id) < text.index(second.id)


@pytest.mark.parametrize(
    "body",
    [
        "the logo is ![logo](logo.png)",
        "icon: data:image/png;base64,iVBORw0KGgo=",
        "seen on [elided:image/png:4096:sha256:00ff]",
        "evidence:sha256:" + "0" * 64,
        'the page has <img src="x">',
    ],
)
def test_b54_what_is_not_text_alone_stays_out_and_is_named(shelf, body):
    shown, sound = keep(shelf, body), keep(shelf, "The data: 3 rows, image/png is fine [elided] as a word")
    block = core(shelf, 500, NOW)
    assert sound.id in block.text
    assert shown.id not in block.text
    assert any(shown.id in name and "bytes" in name for name in block.left_out)


def test_no_block_is_longer_than_agents_take_whole(shelf):
    for n in range(40):
        keep(shelf, f"fact {n} " + "word " * 100)
    block = core(shelf, 100_000, NOW)
    assert len(block.text) <= MOST_CHARS
    assert len(block.entries) + len(block.left_out) == 40


def test_the_entries_are_the_records_of_the_text_in_its_order(shelf):
    for n in range(3):
        keep(shelf, f"fact {n}\nand its second line")
    block = core(shelf, 500, NOW)
    lines = [core_line(shelf.records[entry.id].body, entry.marks) for entry in block.entries]
    assert "\n".join(lines) == block.text


def test_a_count_of_tokens_that_is_given_is_the_one_that_holds(shelf):
    for n in range(10):
        keep(shelf, f"fact {n}")
    block = core(shelf, 100, NOW, count=lambda text: 40)
    assert (len(block.entries), block.tokens) == (2, 80)
