"""Where an anchored text stands in a file: followed when its very words are there, and never when they are not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memoranda.anchor import text as module
from memoranda.anchor.text import alike, joined, lines_of, onto, sha, shifted, text_of, windows

LONG = ["def capped(count):", "    return min(count, RETRIES)"]


def where(now: list[str], then: list[str] | None, place: tuple[int, int], old: list[str]) -> tuple[int, int] | None:
    return shifted(now, then, place, sha(joined(old)))


def test_of_two_pieces_that_read_the_same_the_right_one_is_followed():
    then = ["a = {", "    'x': 1,", "}", "b = {", "    'y': 2,", "}"]
    now = ["import os", *then]
    assert where(now, then, (3, 3), ["}"]) == (4, 4)
    assert where(now, then, (6, 6), ["}"]) == (7, 7)


def test_when_one_of_two_that_read_the_same_was_changed_the_other_is_not_taken_for_it():
    then = ["a(", "    timeout=5,", ")", "b(", "    timeout=5,", ")"]
    now = ["a(", "    timeout=9,", ")", "b(", "    timeout=5,", ")"]
    assert where(now, then, (2, 2), ["    timeout=5,"]) is None
    assert where(["b", "x"], ["x", "x"], (1, 1), ["x"]) is None
    assert where(["", "x", ""], ["x"], (1, 1), ["x"]) == (2, 2), "one then and one now"


def test_a_text_carried_over_other_code_is_followed_when_it_stands_once_and_is_long():
    then = [*LONG, "a = 1", "b = 2", "c = 3"]
    assert where(["a = 1", "b = 2", "c = 3", *LONG], then, (1, 2), LONG) == (4, 5)
    assert where([*LONG, "x", *LONG], None, (9, 10), LONG) is None
    assert where(["x", *LONG], None, (9, 10), LONG) == (2, 3)
    assert where(["x", "    return None"], None, (1, 1), ["    return None"]) is None, "too short to say"


def test_a_version_that_does_not_hold_the_text_is_as_good_as_none():
    assert where(["x", *LONG], ["something", "else"], (1, 2), LONG) == (2, 3)


def test_a_search_that_would_cost_too_much_is_not_made(monkeypatch):
    assert windows(["a", "b"], 1, sha(b"b\n")) == [(2, 2)]
    monkeypatch.setattr(module, "SEARCH_BYTES", 3)
    assert windows(["a", "b"], 1, sha(b"b\n")) == []


def test_files_too_long_to_compare_are_not_compared(monkeypatch):
    then = ["}", "a", "}"]
    assert where(["x", *then], then, (3, 3), ["}"]) == (4, 4)
    monkeypatch.setattr(module, "COMPARED_LINES", 3)
    assert where(["x", *then], then, (3, 3), ["}"]) is None
    assert onto(["x", *then], then, (3, 3)) is None


def test_what_took_the_place_of_lines_is_found():
    then = ["import os", "", "RETRIES = 5", "LIMIT = 1", "", "def f():", "    pass"]
    now = ["import os", "import re", "", "RETRIES = 9", "LIMIT = 1", "", "def f():", "    pass"]
    assert onto(now, then, (3, 3)) == (4, 4)
    assert onto(now, then, (3, 4)) == (4, 5)
    assert onto([*now[:3], *now[5:]], then, (3, 4)) is None, "taken out"
    assert 0.6 < alike(["RETRIES = 5"], ["RETRIES = 9"]) < 0.7
    assert alike(["a b"], ["c d e"]) == 0.0
    assert alike([], [""]) == 1.0


_LINE = st.sampled_from(["", "}", "    return None", "a = 1", "    timeout=5,", "def capped(count, retries, limit):"])
_FILE = st.lists(_LINE, min_size=1, max_size=16)


@given(_FILE, _FILE, st.data(), st.booleans())
def test_c5_what_is_called_moved_reads_word_for_word_as_it_did(then, now, data, known):
    first = data.draw(st.integers(1, len(then)))
    last = data.draw(st.integers(first, len(then)))
    old = then[first - 1 : last]
    found = where(now, then if known else None, (first, last), old)
    if found is not None:
        assert now[found[0] - 1 : found[1]] == old


@given(_FILE, st.data())
def test_c5_a_text_that_was_edited_where_it_stood_is_never_called_moved(then, data):
    first = data.draw(st.integers(1, len(then)))
    old = then[first - 1]
    now = [*then[: first - 1], "# edited", *then[first:]]
    assert where(now, then, (first, first), [old]) is None


@given(_FILE, st.integers(1, 9), st.data())
def test_c5_lines_put_in_before_a_text_only_move_it(then, count, data):
    first = data.draw(st.integers(1, len(then)))
    last = data.draw(st.integers(first, len(then)))
    now = [*["# put in"] * count, *then]
    assert where(now, then, (first, last), then[first - 1 : last]) == (first + count, last + count)


@given(st.text(max_size=40))
def test_line_ends_are_read_alike(text):
    data = text.encode("utf-8", "surrogatepass")
    read = text_of(data)
    if read is not None:
        assert "\r" not in read
        assert joined(lines_of(read)) in (read.encode(), (read + "\n").encode(), b"\n")
