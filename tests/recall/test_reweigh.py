"""The scoring rule: each factor exactly, each state by name, and every score taken apart again."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoranda.model.query import Concluded, Hit, Ranked, Verdict
from memoranda.model.record import Authority, Category, Channel, Confidence, Durability, Record
from memoranda.model.standing import NOTHING, Standing
from memoranda.recall.facts import Facts
from memoranda.recall.reweigh import explain, factors, place, reweigh, states
from memoranda.recall.weights import CONCLUDED, K

CHANGED = Verdict("file:app.py@sha256:" + "0" * 64, "changed", "app.py changed")
GONE = Verdict("file:app.py@sha256:" + "0" * 64, "gone", "app.py is gone")
UNKNOWN = Verdict("file:app.py@sha256:" + "0" * 64, "unknown", "no checkout")
FRESH = Verdict("file:app.py@sha256:" + "0" * 64, "fresh")
OLD = "note, last created 2026-01-01, holds 30 days"


def facts(intact: bool = True, **more: object) -> Facts:
    record = Record(
        id="mem_aaaaaaaaaaaa",
        created="2026-01-01T00:00:00Z",
        category=Category.NOTE,
        source="x",
        channel=Channel.DIRECT_SESSION,
        durability=Durability.DURABLE,
        confidence=Confidence.HIGH,
        screened="1",
        body="x",
        digest=("a" if intact else "b") * 64,
    )
    values: dict[str, object] = {"authority": Authority.OWNER, "standing": NOTHING, **more}
    return Facts(record=record, memory="m", **values)  # type: ignore[arg-type]


HIT = Hit(Ranked("k", "mem_aaaaaaaaaaaa", "record", 1.0), 1.0 / (K + 1), (("words", 1),))


def ratio(**more: object) -> float:
    return reweigh(HIT, facts(**more)).weighed / HIT.score


def test_b39_past_the_window_counts_six_tenths():
    assert ratio(expired=OLD) == pytest.approx(0.6, abs=1e-9)
    assert "unverified" in states(facts(expired=OLD))


@pytest.mark.parametrize("verdict", [CHANGED, GONE])
def test_b40_changed_or_gone_ground_counts_half(verdict):
    assert ratio(verdicts=(FRESH, verdict)) == pytest.approx(0.5, abs=1e-9)
    assert "stale" in states(facts(verdicts=(verdict,)))


def test_b41_both_count_three_tenths():
    assert ratio(expired=OLD, verdicts=(CHANGED,)) == pytest.approx(0.3, abs=1e-9)
    assert {"stale", "unverified"} <= set(states(facts(expired=OLD, verdicts=(CHANGED,))))


@pytest.mark.parametrize("authority", [a for a in Authority if a.outside])
def test_outside_voices_count_eight_tenths(authority):
    assert ratio(authority=authority) == pytest.approx(0.8, abs=1e-9)


@pytest.mark.parametrize("authority", [a for a in Authority if not a.outside])
def test_owner_to_inferred_weigh_the_same(authority):
    assert ratio(authority=authority) == 1.0


def test_unknown_and_contested_cost_nothing_and_are_named():
    found = facts(verdicts=(UNKNOWN,), rivals=("mem_bbbbbbbbbbbb",))
    assert reweigh(HIT, found).weighed == HIT.score
    assert [(f.name, f.multiplier) for f in factors(found)] == [("unknown", 1.0), ("contested", 1.0)]
    assert all(f.reason for f in factors(found))


def test_b47_a_contradicted_record_is_not_settled_and_costs_nothing():
    found = facts(standing=Standing(contradicted=2))
    assert states(found) == ("not settled",)
    assert reweigh(HIT, found).weighed == HIT.score


def test_a_record_that_nothing_speaks_against_is_current():
    assert states(facts(verdicts=(FRESH,))) == ("current",)
    assert factors(facts(verdicts=(FRESH,))) == ()


anything = st.builds(
    facts,
    intact=st.booleans(),
    authority=st.sampled_from(Authority),
    expired=st.sampled_from(["", OLD]),
    verdicts=st.lists(st.sampled_from([CHANGED, GONE, UNKNOWN, FRESH]), max_size=3).map(tuple),
    rivals=st.sampled_from([(), ("mem_bbbbbbbbbbbb",)]),
)
ranks = st.dictionaries(st.sampled_from(sorted(CONCLUDED)), st.integers(1, 100), min_size=1).map(
    lambda found: tuple(sorted(found.items()))
)


@given(anything, ranks)
def test_b59_explain_reproduces_every_score_and_no_factor_raises_it(found, places):
    fused = sum(CONCLUDED[signal] / (K + rank) for signal, rank in places)
    hit = reweigh(dataclasses.replace(HIT, score=fused, ranks=places), found)
    told = explain(hit, CONCLUDED)
    assert told.score == pytest.approx(hit.weighed, rel=1e-12)
    assert told.fused == pytest.approx(sum(term.value for term in told.terms), rel=1e-12)
    assert 0 < hit.weighed <= fused
    assert all(factor.reason for factor in hit.factors)


@given(anything, anything, st.floats(0.001, 1), st.floats(0.001, 1))
def test_b43_what_is_stale_never_stands_before_what_is_not(one, other, high, low):
    def key(found: Facts, score: float):
        return place(reweigh(dataclasses.replace(HIT, score=score), found), found)

    if one.broken and not other.broken:
        assert key(one, high) > key(other, low)


def test_b58_usefulness_is_a_field_of_its_own_that_no_score_reads():
    fields = {field.name for field in dataclasses.fields(Concluded)}
    assert {"verdicts", "because", "usefulness"} <= fields
    assert "usefulness" not in {field.name for field in dataclasses.fields(Facts)}
