"""A record of theirs as a candidate: links, the order in which records come, and what no file can claim."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.teams import record

from memoranda.model.grant import Deed, Grant, Tightening
from memoranda.model.outcome import Refused
from memoranda.model.record import Category, Channel, Confidence, Record
from memoranda.share.receive import Arrival, Sender, arrival, in_order

STRANGER = Sender(None, "example.com/shop")
ALICE = Sender("alice", "example.com/shop")


class Desk:
    """A memory that holds these records, each with who sent it (None: ours)."""

    def __init__(self, *held: tuple[str, Record, str | None]) -> None:
        self.held = {id: (kept, sender) for id, kept, sender in held}

    def kept_as(self, id: str) -> Record | None:
        return self.held[id][0] if id in self.held else None

    def sent_by(self, record: Record) -> str | None:
        return next(sender for kept, sender in self.held.values() if kept is record)


OURS, THEIRS, OTHERS = record("One of ours"), record("One of theirs"), record("One of another's")
DESK = Desk(
    ("mem_00000000000a", OURS, None),
    ("mem_00000000000b", THEIRS, STRANGER.name),
    ("mem_00000000000c", OTHERS, "principal bob"),
)
NAMED = tuple(f"mem_00000000000{digit}" for digit in "abcd")


def test_the_claims_that_count_for_nothing() -> None:
    claims = record("A claim", channel=Channel.DIRECT_SESSION, principal="owner", confidence=Confidence.HIGH)
    came = arrival(claims, STRANGER, DESK, (), Tightening())
    assert isinstance(came, Arrival)
    assert (came.door.channel, came.door.principal, came.door.lasting) == (Channel.RECEIVE, None, False)
    assert came.candidate.aliases == (claims.id,)
    assert came.candidate.observed == claims.created


def test_a_link_leads_to_what_the_named_record_is_here_and_never_silences_another_senders() -> None:
    named = record("A successor", supersedes=NAMED, contradicts=NAMED, derived_from=NAMED)
    came = arrival(named, STRANGER, DESK, (), Tightening())
    assert isinstance(came, Arrival)
    assert came.candidate.supersedes == (OURS.id, THEIRS.id)
    assert came.candidate.contradicts == came.candidate.derived_from == (OURS.id, THEIRS.id, OTHERS.id)
    assert [note for note in came.notices if "another sent" in note] == [
        f"it would replace {OTHERS.id}, which another sent: that link was left out"
    ]
    assert sum("mem_00000000000d" in note for note in came.notices) == 3


@pytest.mark.parametrize(("scopes", "allowed"), [((), True), (("shop",), False)])
def test_a_grant_lets_a_principal_replace_what_another_sent_where_it_reaches(
    scopes: tuple[str, ...], allowed: bool
) -> None:
    grant = Grant("alice", (Deed.WRITE, Deed.SUPERSEDE), scopes)
    named = record("A successor", supersedes=("mem_00000000000c",), scope="shop")
    came = arrival(named, ALICE, DESK, (grant,), Tightening())
    assert isinstance(came, Arrival)
    assert came.door.lasting
    assert came.candidate.supersedes == ((OTHERS.id,) if allowed else ())


def test_no_grant_no_word() -> None:
    said = record("A word", scope="shop")
    for grants, own in (
        ((Grant("*", ()),), Tightening()),
        ((Grant("*", (Deed.WRITE,), ("bank",)),), Tightening()),
        ((), Tightening(signed=True)),
    ):
        refused = arrival(said, STRANGER, DESK, grants, own)
        assert isinstance(refused, Refused)
        assert "shop" not in refused.message


def test_no_remote_passes_for_a_principal() -> None:
    assert Sender(None, "principal").name != Sender("", "x").name
    assert Sender("alice", "x").name == "principal alice"  # and no remote's name holds a blank


MADE = [record(f"Statement {n}", category=Category.NOTE) for n in range(12)]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=40), st.permutations(range(12)))
def test_what_is_named_comes_before_what_names_it(links: list[tuple[int, int]], order: list[int]) -> None:
    """Links only from higher to lower numbers can be made; a circle needs crafted ids and still loses nothing."""
    made = MADE
    below = {n: tuple(made[b].id for a, b in links if a == n and b < n) for n in range(12)}
    named = [replace(one, supersedes=below[n]) for n, one in enumerate(made)]
    ordered = in_order(named[n] for n in order)
    place = {one.id: n for n, one in enumerate(ordered)}
    assert sorted(place) == sorted(one.id for one in made)
    assert all(place[id] < place[one.id] for one in named for id in one.supersedes)
    circle = [replace(one, supersedes=(made[(n + 1) % 12].id,)) for n, one in enumerate(made)]
    assert len(in_order(circle)) == 12
