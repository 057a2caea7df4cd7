"""Words of every script and of code, the same way when indexed and when asked."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoranda.builtin import words
from memoranda.builtin.weights import BITS, Spot, Weights, cover, lend, rarest, settle, worth


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("plain ASCII_text", "plain ASCII_text"),
        ("“quoted” — text…", "“quoted” — text…"),
        ("Café déjà vu", "Cafe deja vu"),
        ("ﬁne Ｆｕｌｌ", "fine Full"),
        ("東京都", " 東 京 都 東京 京都 "),
        ("猫", " 猫 "),
        ("用Docker跑", " 用 Docker 跑 "),
        ("한국", " 한 국 한국 "),
        ("Ещё й", "Еще и"),
        ("مُحَمَّد", "محمد"),
        ("हिन्दी", "हिनदी"),
    ],
)
def test_fold(text: str, folded: str) -> None:
    assert words.fold(text) == folded


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("plain words, Capitalised too. 12 USA", set()),
        ("getUserName", {"get", "User", "Name"}),
        ("HTTPServer2", {"HTTP", "Server", "2"}),
        ("parse_turn_file src/a-b/c.py", set()),
        ("self.loadIndex(fooBar,", {"load", "Index", "foo", "Bar"}),
    ],
)
def test_identifiers(text: str, found: set[str]) -> None:
    assert set(words.identifiers(text).split()) == found


def test_questions_lose_what_only_asks_unless_nothing_is_left() -> None:
    assert words.question("Why did we leave the streaming parser?")[0] == "leave streaming parser"
    assert words.question("what is it")[0] == "what is it"
    assert words.question("東京の天気")[0] == "東京 京の の天 天気"
    assert words.question("猫")[0] == "猫"


def test_names_compare_folded() -> None:
    assert words.named("Staging-Env") == words.named("staging env") == "staging env"
    assert "staging env" in words.grams("what of the staging-env now")


@given(st.text())
def test_any_text_is_cut_without_error(text: str) -> None:
    words.identifiers(text)
    words.question(text)
    words.grams(text)
    assert words.fold(words.fold(text).split(" ")[0]) is not None
    assert all(word == word.lower() or not word.isascii() for word in words.plain(text))


def test_neighbours_lend_by_distance_and_only_prose_does() -> None:
    spots = {1: Spot("s", 0, True), 2: Spot("s", 1, True), 3: Spot("s", 2, False), 4: Spot("t", 1, True)}
    weights = Weights(near=0.5, reach=2, session=0.0)
    lent = lend({1: 4.0, 2: 2.0, 3: 8.0, 4: 2.0, 5: 1.0}, spots, weights)
    assert lent == {1: 4.0 + 0.5 * 2.0, 2: 2.0 + 0.5 * 4.0, 3: 8.0 + 0.5 * 2.0, 4: 2.0, 5: 1.0}


def test_a_long_turn_is_one_row_that_leans_on_its_beginning_and_less_on_its_neighbours() -> None:
    turn = {row: Spot("s", 1, True, first=5, pieces=4) for row in range(5, 9)}
    spots = {**turn, 1: Spot("s", 0, True, first=1)}
    weights = Weights(opening=0.25, near=0.5, session=0.0)
    lent = lend({1: 4.0, 5: 2.0, 7: 6.0, 8: 5.0}, spots, weights)
    assert lent == {1: 4.0 + 0.5 * 5.0, 7: 5.0 + 0.5 * 4.0 / 4}


def test_a_beginning_that_is_no_hit_counts_as_the_weakest_hit() -> None:
    spots = {7: Spot("s", 1, True, first=5, pieces=4), 20: Spot("t", 1, True, first=20)}
    weights = Weights(opening=0.25, near=0.0, session=0.0)
    assert lend({7: 6.0, 20: 2.0}, spots, weights) == {7: 5.0, 20: 2.0}


def test_what_is_said_in_prose_lends_where_a_tool_s_output_is_the_better_row() -> None:
    spots = {1: Spot("s", 0, True, 1, 2), 2: Spot("s", 0, False, 1, 2), 3: Spot("s", 1, True, 3)}
    weights = Weights(opening=0.0, near=0.5, session=0.0)
    assert lend({1: 2.0, 2: 9.0, 3: 1.0}, spots, weights) == {2: 9.0 + 0.5 * 1.0 / 2, 3: 1.0 + 0.5 * 2.0}


def test_a_word_next_to_a_turn_covers_less_and_each_word_counts_once() -> None:
    spots = {1: Spot("s", 0, True), 2: Spot("s", 1, True), 3: Spot("s", 2, False), 4: Spot("t", 0, True)}
    worth, weights = (4.0, 2.0, 1.0), Weights(nearby=0.5, reach=2)
    held = {1: 0b011, 2: 0b001, 3: 0b100}
    covered = cover(held, worth, {}, spots, weights)
    assert covered == {1: 6.0 / 7, 2: (4.0 + 0.5 * 2.0) / 7, 3: (1.0 + 0.5 * (4.0 + 2.0 / 2)) / 7}


def test_a_turn_of_many_pieces_covers_by_its_best_one() -> None:
    turn = {row: Spot("s", 1, True, first=5, pieces=4) for row in (5, 6)}
    spots = {**turn, 9: Spot("s", 2, True, first=9)}
    covered = cover({5: 0b01, 6: 0b11, 9: 0b100}, (4.0, 2.0, 1.0), {6: 3.0}, spots, Weights(nearby=1.0))
    assert covered == pytest.approx({6: (6.0 + 1.0 / 4 + 0.003) / 7, 9: 1.0})


def test_a_record_stands_alone_and_covers_its_own_share() -> None:
    assert cover({1: 0b011, 2: 0b111}, (4.0, 2.0, 1.0), {}, {}, Weights()) == {1: 6.0 / 7, 2: 1.0}


def test_of_a_long_question_words_that_nobody_says_do_not_count() -> None:
    short = [(0, 0, "nobody"), (3, 1, "some"), (9, 2, "many")]
    assert rarest(short) == short
    long = [*((0, n, f"w{n}") for n in range(BITS)), (9, 98, "many"), (3, 99, "some")]
    assert rarest(long) == [(3, 99, "some"), (9, 98, "many")]


def test_a_word_of_every_row_of_a_small_memory_still_counts() -> None:
    assert worth(5, 0) > worth(5, 1) > worth(5, 5) > worth(5, 0) / 3


def test_a_strong_session_lifts_its_rows() -> None:
    spots = {1: Spot("s", 0, False), 2: Spot("s", 9, False), 3: Spot("t", 0, False)}
    lent = lend({1: 3.0, 2: 4.0, 3: 4.0}, spots, Weights(session=0.1))
    assert lent == pytest.approx({1: 3.5, 2: 4.5, 3: 4.4})


def test_ties_are_ordered_by_key() -> None:
    keys = {1: "c", 2: "a", 3: "b", 4: "d"}
    assert settle({1: 1.0, 2: 1.0, 3: 1.5, 4: 1.0}, keys) == [(3, 1.5), (2, 1.0), (1, 1.0), (4, 1.0)]


@given(
    st.dictionaries(st.integers(0, 400), st.floats(0.5, 40, width=32), min_size=1, max_size=60),
    st.randoms(use_true_random=False),
)
def test_c3_what_is_lent_does_not_depend_on_the_order_of_rows(scores: dict[int, float], chance: Random) -> None:
    spots = {row: Spot(row % 3, row // 9, row % 5 != 0, row // 3 * 3, 3) for row in scores}
    mixed = list(scores)
    chance.shuffle(mixed)
    assert lend(scores, spots, Weights()) == lend({row: scores[row] for row in mixed}, spots, Weights())
