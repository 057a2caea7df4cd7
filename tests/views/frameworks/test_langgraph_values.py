"""Values and places on paper and back, without LangGraph: whatever JSON can say comes back as it was."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memoranda.views.frameworks.langgraph.filters import matches
from memoranda.views.frameworks.langgraph.places import below, place_of, scope_of
from memoranda.views.frameworks.langgraph.values import read, written

LEAF = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
JSON = st.recursive(
    LEAF, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=8
)
VALUE = st.dictionaries(st.text(), JSON, max_size=4)
SENTENCE = st.fixed_dictionaries({"text": st.text()})


def canonical(body: str) -> bool:
    """Whether a record keeps a body letter for letter (docs/format.md)."""
    ends = body.strip(" \t\n") == body and body.strip() != ""
    encodable = not any("\ud800" <= sign <= "\udfff" or sign in "\r\0" for sign in body)
    return ends and encodable and unicodedata.is_normalized("NFC", body)


@settings(max_examples=150, deadline=None)
@given(VALUE | SENTENCE)
@example({})
@example({"text": "Ada deploys on Fridays"})
@example({"text": '{"text":"a"}'})
@example({"text": "{}"})
@example({"text": "{not json"})
@example({"text": " edges "})
@example({"text": ""})
@example({"text": "Cafe\u0301"})
@example({"text": "one\r\ntwo"})
@example({"text": "\ud800"})
@example({"text": "a", "more": 1})
def test_a_value_is_written_as_a_body_that_a_record_keeps_and_read_back_the_same(value: dict[str, Any]) -> None:
    body = written(value)
    assert canonical(body)
    assert read(body) == value


GAP = st.sampled_from(["", " ", "  ", "\n", "\n\n"])


@settings(max_examples=100, deadline=None)
@given(st.tuples(GAP, GAP), st.tuples(GAP, GAP))
def test_values_that_differ_in_white_space_alone_are_different_statements(
    one: tuple[str, str], other: tuple[str, str]
) -> None:
    first, second = ({"text": f"a{x}b{y}c"} for x, y in (one, other))
    body = written(first)
    after = written(second, body)
    assert read(after) == second
    assert (after.split() == body.split()) == (first == second)


def test_a_plain_text_is_a_plain_sentence() -> None:
    assert written({"text": "Ada deploys on Fridays"}) == "Ada deploys on Fridays"
    assert written({"text": "Ada", "n": 1}) == '{"text":"Ada","n":1}'


@pytest.mark.parametrize("value", [{"a": (1, 2)}, {1: "a"}, {"a": {True: 1}}, {"a": float("nan")}, {"a": object()}])
def test_what_json_would_change_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="kept as JSON"):
        written(value)


NAME = st.text(min_size=1, max_size=12).filter(lambda name: not any("\ud800" <= sign <= "\udfff" for sign in name))


@settings(max_examples=150, deadline=None)
@given(st.lists(NAME, min_size=1, max_size=4), NAME)
@example(["users", "ada@example.org"], "a/b")
@example([".."], ".")
@example(["%2F"], "%")
@example(["Cafe\u0301"], "Café")
@example([" a", "a "], "a b")
def test_a_place_comes_back_from_its_scope(namespace: list[str], key: str) -> None:
    scope = scope_of(namespace, key)
    assert place_of(scope) == (tuple(namespace), key)
    assert scope.startswith(f"{below(namespace[:1])}/")
    assert canonical(scope)


@settings(max_examples=100, deadline=None)
@given(st.lists(NAME, min_size=1, max_size=3), st.lists(NAME, min_size=1, max_size=3))
def test_a_namespace_begins_only_what_lies_below_it(one: list[str], other: list[str]) -> None:
    lies = scope_of(other, "key").startswith(f"{below(one)}/")
    assert lies == (other[: len(one)] == one)


@pytest.mark.parametrize(
    "scope", [None, "", "langgraph/a", "tek/a/b", "langgraph/a//b", "langgraph/%ff/b", "langgraph/%61/b"]
)
def test_other_scopes_are_no_places(scope: str | None) -> None:
    assert place_of(scope) is None


def test_names_that_cannot_be_kept_are_said() -> None:
    for namespace, key in ((("a",), ""), (("",), "k"), (("\ud800",), "k"), (("a" * 1000,), "k")):
        with pytest.raises(ValueError):
            scope_of(namespace, key)


def test_a_filter_compares_fields_and_knows_its_operators() -> None:
    value = {"kind": "note", "score": 4, "tags": ["a", "b"], "deep": {"x": 1, "y": 2}}
    assert matches(value, {"kind": "note", "score": {"$gte": 4, "$lt": 5}, "tags": ("a", "b"), "deep": {"x": 1}})
    assert not matches(value, {"kind": {"$ne": "note"}})
    assert not matches(value, {"missing": {"$gt": 1}})
    with pytest.raises(NotImplementedError, match=r"\$regex"):
        matches(value, {"kind": {"$regex": "n"}})
