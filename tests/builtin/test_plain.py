"""Passwords in plain words are found, and talk about passwords is not."""

from __future__ import annotations

from typing import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.sentences import GIVEN_AWAY, HARMLESS

from memoranda.builtin.rules import plain, talk
from memoranda.builtin.rules.lens import Lens
from memoranda.builtin.screen_rules import make
from memoranda.model.outcome import Finding
from memoranda.screen.placeholders import is_placeholder

OWN = make()
CLEAN_WORDS = sorted(talk.SMALL | talk.STATES)
NOUNS = ("password", "Passwort", "passphrase", "pwd", "pw", "Kennwort", "contraseña", "mot de passe", "mdp", "PASSWORD")
DRAWN = ("maple", "orbit", "canyon", "violin", "kaktus", "regen", "fromage", "lampe", "girasol", "puente")


def found(text: str) -> Sequence[Finding]:
    seen = OWN.look([text])[0]
    return [f for f in seen if f.layer == "credentials" and not is_placeholder(text[f.start : f.end])]


@pytest.mark.parametrize("text", GIVEN_AWAY)
def test_b24_a_password_in_plain_words_is_found(text: str) -> None:
    assert found(text)


def test_b24_none_of_them_is_sure_so_turns_keep_their_words() -> None:
    assert not [f for text in GIVEN_AWAY for f in plain.find(Lens.over(text)) if f.validated]


@pytest.mark.parametrize("text", HARMLESS)
def test_b24_talk_about_passwords_is_not_one(text: str) -> None:
    assert [text[f.start : f.end] for f in found(text)] == []


@given(st.sampled_from(NOUNS), st.lists(st.sampled_from(CLEAN_WORDS), min_size=1, max_size=8))
def test_b24_words_that_are_said_of_passwords_never_count(noun: str, words: list[str]) -> None:
    for sign in (": ", " is ", "=", " = ", " ist ", " est "):
        assert not list(plain.find(Lens.over(f"{noun}{sign}{' '.join(words)}")))


@given(
    st.sampled_from(NOUNS),
    st.lists(st.sampled_from(DRAWN), min_size=4, max_size=7, unique=True),
    st.sampled_from("- "),
)
def test_b24_drawn_words_count_in_every_language_and_joined_by_anything(noun: str, words: list[str], by: str) -> None:
    text = f"{noun}: {by.join(words)}"
    (one,) = plain.find(Lens.over(text))
    assert text[one.start : one.end] == by.join(words)


@given(st.text(alphabet="pasword wi:=/\n'\"-A9é", max_size=120))
def test_a_finding_is_a_span_of_the_text(text: str) -> None:
    for one in plain.find(Lens.over(text)):
        assert 0 <= one.start < one.end <= len(text)
