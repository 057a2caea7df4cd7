"""Which spellings are one name, and which names stand in a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoranda.model.naming import MOST_NAMES, named, names_in


@pytest.mark.parametrize(
    ("one", "other"),
    [("Staging-Env", "staging_env"), ("staging env", "STAGING.ENV"), ("Café", "cafe"), ("a  b", "a/b")],
)
def test_spellings_of_one_name(one: str, other: str) -> None:
    assert named(one) == named(other)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("It calls `fetch_all` at src/net/http.py, says Anna Meier", ("fetch_all", "src/net/http.py", "Anna Meier")),
        ("CamelCase, getUserName and MAX_RETRIES matter", ("CamelCase", "getUserName", "MAX_RETRIES")),
        ("see https://wiki.example.org/db and app.index.chunk", ("https://wiki.example.org/db", "app.index.chunk")),
        ("Deploys happen on Tuesdays, says Anna", ("Anna",)),
        ("@scope/pkg is pinned to 1.2.3", ("@scope/pkg",)),
        ("我们用 Postgres 数据库", ("Postgres",)),
        ("The end. Nothing else is here, and/or elsewhere", ()),
        ("Der Server läuft auf dem Rechner und die Datenbank im Keller", ()),
        ("How To Deploy The New Gateway", ()),
        ("version 1.2.3 on 2026-07-01 at 10:30", ()),
    ],
)
def test_names_are_told_by_their_form(text: str, names: tuple[str, ...]) -> None:
    assert names_in(text) == names


@given(st.text(max_size=400))
def test_names_stand_in_the_text_once_each_and_are_not_many(text: str) -> None:
    found = names_in(text)
    assert len(found) <= MOST_NAMES
    assert all(name in text for name in found)
    assert len({named(name) for name in found}) == len(found)
    assert names_in(text) == found
