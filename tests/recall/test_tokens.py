"""Token estimates: high enough for a real tokenizer, never negative, additive within one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoranda.builtin
from memoranda.recall.tokens import estimate

MODEL = Path(memoranda.builtin.__file__).parent / "minilm" / "tokenizer.json"


@given(st.text(max_size=200), st.text(max_size=200))
def test_two_texts_cost_no_less_than_one_of_both(one, other):
    assert 0 <= estimate(one + other) <= estimate(one) + estimate(other)


@pytest.mark.skipif(not MODEL.exists(), reason="no tokenizer: run `make model`")
@pytest.mark.parametrize(
    "text",
    [
        "Staging deploys are fine on any weekday now: automated rollback replaced the Friday buffer.",
        "Why did we leave the streaming parser? It lost the last line whenever a file grew while it was read.",
        "a9993e364706816aba3e25717850c26c9cd0d89d",
        "def get_user_name(self, *, retries: int = 3) -> str | None:\n    return self._names.get(self.key)\n",
    ],
)
def test_the_estimate_is_not_below_a_real_tokenizer(text):
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(MODEL))
    tokenizer.no_padding()
    assert len(tokenizer.encode(text, add_special_tokens=False).ids) <= estimate(text)


def test_scripts_without_spaces_cost_a_token_a_character():
    assert estimate("金曜日") >= 3
    assert estimate("пятница") >= 4
