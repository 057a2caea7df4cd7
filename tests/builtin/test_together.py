"""Looking for all literals together finds what looking for each alone finds, in texts of every kind."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.families import samples, stated
from support.invented import others
from support.sentences import GIVEN_AWAY, HARMLESS, clean_notes

from memoranda.builtin.rules import context, digits, national, numbers, personal, plain, tokens
from memoranda.builtin.rules.lens import Lens
from memoranda.builtin.rules.places import Places, places_in

ROOMS = (tokens, context, plain, numbers, national, personal)
PEOPLE = (
    "Anna Meier, Lindenstraße 12, 10115 Berlin", "Call me: (030) 123 45 67", "She was born on 3 May 1984",
    "ship to:\n12 Harbour Road, Bristol", "number 7, Elm Street", "Ψ 4 Ω", "im Haus ae 5 Ünsal", "12345678 A", "a. 5 b",
)  # fmt: skip


def both(text: str) -> tuple[list[object], list[object]]:
    """The findings with an index and without, by room."""
    together, alone = Lens.over(text, 0), Lens.over(text, 1 << 40)
    assert alone.places is None
    return [sorted(room.find(together), key=repr) for room in ROOMS], [
        sorted(room.find(alone), key=repr) for room in ROOMS
    ]


def everything(seed: int) -> list[str]:
    texts = [stated(rule, token) for rule, token in samples(seed)]
    texts += [*others(seed).values(), *GIVEN_AWAY, *HARMLESS, *PEOPLE, *clean_notes(200)]
    random.Random(seed).shuffle(texts)
    return texts


@pytest.mark.parametrize("seed", range(3))
def test_the_same_is_found_in_a_text_that_holds_everything(seed: int) -> None:
    text = "\n".join(everything(seed))
    both(text)  # what is new to the index is known the second time
    together, alone = both(text)
    assert together == alone
    assert sum(map(len, together)) > 200  # type: ignore[arg-type]


@given(
    st.lists(
        st.one_of(
            st.sampled_from([*GIVEN_AWAY, *HARMLESS, *PEOPLE]),
            st.text(st.sampled_from("Aa0 ,.:(\n?>passwordAKIAß\x01\u4e2d-/"), max_size=40),
        ),
        max_size=12,
    ),
    st.sampled_from(["\n", " ", "", "\n\x01\n"]),
)
@settings(max_examples=60, deadline=None)
def test_the_same_is_found_in_any_text(parts: list[str], by: str) -> None:
    together, alone = both(by.join(parts))
    assert together == alone


@given(st.text(st.sampled_from("Aa0 ,.:(\n?>9x"), max_size=60))
@settings(max_examples=120, deadline=None)
def test_numbers_begin_at_the_same_places(text: str) -> None:
    numpy = pytest.importorskip("numpy")
    lens = Lens.over(text, 1 << 40)
    assert digits.number_starts(numpy, lens.shape) == personal._starts(lens)


@given(st.binary(max_size=60), st.binary(min_size=3, max_size=5))
def test_an_index_knows_every_place(low: bytes, literal: bytes) -> None:
    for _ in range(2):  # unknown at first, then known
        places = places_in(low)
        if places is None:
            assert len(low) < 3
            return
        assert isinstance(places, Places)
        found = [at for at in places.of(literal) if low.startswith(literal, at)]
        assert found == [at for at in range(len(low)) if low.startswith(literal, at)]
