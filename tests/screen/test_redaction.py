"""Turns: credentials out, everything else exact."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import uuid
from typing import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.disguises import VIEWS
from support.invented import luhn_number, others, tokens
from support.leaky import Leaky
from support.sentences import clean_notes
from support.turns import turn

from memoranda.model.errors import Unavailable
from memoranda.model.outcome import Screened
from memoranda.model.turn import Block
from memoranda.ports import Screener
from memoranda.screen import RULES, redact
from memoranda.screen.elide import elide


def stored(text: str, screeners: Sequence[Screener]) -> Block:
    return redact([turn(text)], screeners)[0].value.blocks[0]


def test_a50_every_known_format_is_cut_out_and_the_words_around_it_stay(screeners: Sequence[Screener]) -> None:
    for name, token in tokens(3).items():
        block = stored(f"före → {token} after", screeners)
        assert block.text.startswith("före → "), name
        assert block.text.endswith(" after"), name
        assert "[REDACTED:" in block.text, name
        assert token not in block.text
        assert token[-12:] not in block.text, name
        assert any(mark.startswith("redacted:") for mark in block.marks)


def test_a50_keys_headers_and_connection_strings_are_cut_out(screeners: Sequence[Screener]) -> None:
    for name, text in others(1).items():
        secret = text.split()[-1].partition("://")[2].partition("@")[0].rpartition(":")[2] or text.split()[-1]
        block = stored(f"before {text} after", screeners)
        assert secret not in block.text, name
        assert block.text.startswith("before "), name


@pytest.mark.parametrize("view", [v for v in VIEWS if v != "two lines"])
def test_a52_an_encoded_credential_does_not_survive(view: str, screeners: Sequence[Screener]) -> None:
    for name in ("github", "hugging-face", "gitlab", "stripe-live"):
        hidden = VIEWS[view](tokens()[name])
        block = stored(f"words before {hidden} words after", screeners)
        assert hidden not in block.text, name
        assert block.text.startswith("words before "), name
        assert block.text.endswith(" words after"), name


def test_a52_a_credential_in_escaped_json_is_cut_out(screeners: Sequence[Screener]) -> None:
    token = tokens()["github"]
    inner = json.dumps({"env": f"A=1\n{token}\nB=2"})
    assert token not in stored(json.dumps({"out": inner}), screeners).text


def test_text_without_a_finding_is_the_same_object(screeners: Sequence[Screener]) -> None:
    plain = [turn(note, "Grüße, 世界 🎉", name=f"t{n}") for n, note in enumerate(clean_notes(50))]
    for before, after in zip(plain, redact(plain, screeners), strict=True):
        assert after.value is before
        assert after.rules == RULES


def test_order_blocks_and_other_fields_are_kept(screeners: Sequence[Screener]) -> None:
    token = tokens()["npm"]
    turns = [turn("a", token, "c", name="x"), turn(name="empty"), turn("d", name="y")]
    result = redact(turns, screeners)
    assert [r.value.turn for r in result] == ["x", "empty", "y"]
    assert [b.text for b in result[0].value.blocks] == ["a", result[0].value.blocks[1].text, "c"]
    assert result[0].value.blocks[1].text.startswith("[REDACTED:")
    assert all(isinstance(r, Screened) for r in result)


def test_a_finding_never_moves_to_a_neighbour(screeners: Sequence[Screener]) -> None:
    token = tokens()["github"]
    for at in range(5):
        texts = ["ä" * 30, "b b b", "→→", "d", "e" * 50]
        texts[at] += f" {token} tail"
        blocks = redact([turn(*texts)], screeners)[0].value.blocks
        assert [bool(b.marks) for b in blocks] == [n == at for n in range(5)]
        assert blocks[at].text.endswith("] tail")


def test_hashes_ids_and_images_are_never_redacted(screeners: Sequence[Screener]) -> None:
    source = random.Random(1)
    texts = [hashlib.sha1(b"%d" % n).hexdigest() for n in range(200)]
    texts += [hashlib.sha256(b"%d" % n).hexdigest() for n in range(200)]
    texts += [str(uuid.UUID(int=source.getrandbits(128), version=4)) for _ in range(200)]
    texts += [base64.b64encode(source.randbytes(3000)).decode() for _ in range(50)]
    texts += [f"toolu_01{base64.b32encode(source.randbytes(14)).decode()[:22]}" for _ in range(200)]
    texts += [f"{source.randint(10**15, 10**19)}" for _ in range(200)]
    wrong = [
        (r.value.blocks[0].marks, t[:60])
        for t, r in zip(texts, redact([turn(t) for t in texts], screeners), strict=True)
        if r.value.text != t
    ]
    assert not wrong


def test_weak_findings_are_marked_at_their_place_in_the_stored_text(screeners: Sequence[Screener]) -> None:
    token, mail = tokens()["github"], "anna.meier" + "@mail-host.de"
    block = stored(f"{token} then mail {mail} now", screeners)
    mark = next(m for m in block.marks if m.startswith("seen:e-mail@"))
    start, end = map(int, mark.partition("@")[2].split(","))
    assert block.text[start:end] == mail


def test_a_password_in_a_sentence_stays_and_is_marked(screeners: Sequence[Screener]) -> None:
    text = "the password is Sommer2024!"
    block = stored(text, screeners)
    assert block.text == text
    assert block.marks == ("seen:plain-password@16,26",)


def test_a_grouped_card_is_redacted_and_a_bare_number_only_marked(screeners: Sequence[Screener]) -> None:
    card = luhn_number("4", 16, 5)
    grouped = "-".join(card[n : n + 4] for n in range(0, 16, 4))
    assert stored(f"pay with {grouped} today", screeners).text == "pay with [REDACTED:payment-card] today"
    assert stored(f"row {card} done", screeners).marks == ("seen:payment-card@4,20",)


def test_a_key_block_cut_in_two_blocks_leaves_nothing(screeners: Sequence[Screener]) -> None:
    lines = others(2)["private-key"].split("\n")
    blocks = redact([turn("\n".join(lines[:7]), "\n".join(lines[7:]))], screeners)[0].value.blocks
    assert lines[3] not in blocks[0].text
    assert blocks[0].text.startswith("[REDACTED:private-key]")


def test_large_batches_are_cut_into_pieces_with_the_same_result(screeners: Sequence[Screener]) -> None:
    token = tokens()["github"]
    turns = [turn(("filler words " * 8000) + (token if n % 7 == 0 else ""), name=str(n)) for n in range(30)]
    result = redact(turns, screeners)
    assert [bool(r.value.blocks[0].marks) for r in result] == [n % 7 == 0 for n in range(30)]


def test_a_failing_screener_lets_nothing_through() -> None:
    with pytest.raises(Unavailable):
        redact([turn("anything")], [Leaky()])


def test_no_turns_and_no_screeners() -> None:
    assert redact([], []) == []
    assert redact([turn("x")], [])[0].rules == f"{RULES}-partial"


IMAGE = base64.b64encode(b"\x89PNG not really" * 4).decode()
HASH = hashlib.sha256(b"\x89PNG not really" * 4).hexdigest()
STAND_IN = f"[elided:image/png:60:sha256:{HASH}]"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"data:image/png;base64,{IMAGE}", f"data:image/png;base64,{STAND_IN}"),
        (f'<img src="data:image/png;base64,{IMAGE}"> x', f'<img src="data:image/png;base64,{STAND_IN}"> x'),
        (f"(data:a/b;base64,{IMAGE}) (data:image/png;base64,{IMAGE})",
         f"(data:a/b;base64,{STAND_IN.replace('image/png', 'a/b')}) (data:image/png;base64,{STAND_IN})"),
        (f"data:image/png;charset=utf-8;base64,{IMAGE}", f"data:image/png;charset=utf-8;base64,{STAND_IN}"),
        (f"data:;base64,{IMAGE}", f"data:;base64,[elided:text/plain:60:sha256:{HASH}]"),
        ("data:image/png;base64,", "data:image/png;base64,"),
        (f"metadata:image/png;base64,{IMAGE}", f"metadata:image/png;base64,{IMAGE}"),
        (f"x+data:image/png;base64,{IMAGE}", f"x+data:image/png;base64,{IMAGE}"),
        (f"data: image/png;base64,{IMAGE}", f"data: image/png;base64,{IMAGE}"),
        (f'data:image/png";base64,{IMAGE}', f'data:image/png";base64,{IMAGE}'),
        (f"data:image/png,x;base64,{IMAGE}", f"data:image/png,x;base64,{IMAGE}"),
        ("the marker ;base64, in prose", "the marker ;base64, in prose"),
    ],
)  # fmt: skip
def test_data_uris_give_up_their_payload_and_nothing_else_does(before: str, after: str) -> None:
    text, marks = elide(before)
    assert text == after
    assert (text is before) == (before == after)
    assert len(marks) == after.count("[elided:")
    assert all(mark.startswith("elided:") for mark in marks)


def test_elision_comes_first_and_is_marked(screeners: Sequence[Screener]) -> None:
    hidden = base64.b64encode(("token " + tokens()["github"]).encode()).decode()
    block = stored(f"see data:image/png;base64,{hidden} here", screeners)
    assert block.marks == ("elided:image/png",)
    assert hidden not in block.text


@given(st.lists(st.lists(st.text(max_size=60), max_size=3), max_size=5))
@settings(max_examples=60, deadline=None)
def test_any_text_goes_through_and_what_is_unmarked_is_exact(texts: list[list[str]]) -> None:
    from memoranda.builtin import screen_rules

    turns = [turn(*blocks, name=str(n)) for n, blocks in enumerate(texts)]
    for before, after in zip(turns, redact(turns, [screen_rules.make()]), strict=True):
        for old, new in zip(before.blocks, after.value.blocks, strict=True):
            assert new.text == old.text or any(m.startswith(("redacted:", "elided:")) for m in new.marks)
