"""A credential in two writes meets at the second one."""

from __future__ import annotations

import random
from typing import Sequence

from support.invented import HEX, draw, tokens
from support.sentences import clean_notes
from support.turns import turn

from memoranda.model.outcome import Refused, Screened
from memoranda.model.record import Candidate
from memoranda.ports import Screener
from memoranda.screen import reasons_to_hold, redact, screen

EARLIER = "rec_0001"


def test_a52_halves_in_two_records_are_refused_at_the_second(screeners: Sequence[Screener]) -> None:
    for name in ("github", "npm", "gitlab", "stripe-live", "linear", "aws-id", "hugging-face"):
        token = tokens()[name]
        for cut in (13, 17) if name != "aws-id" else (9, 12):
            first, second = f"It begins with {token[:cut]} they said", f"and it goes on {token[cut:]} after that"
            assert isinstance(screen(Candidate(first), screeners), Screened), name
            assert isinstance(screen(Candidate(second), screeners), Screened), name
            for before, after in ((first, second), (second, first), (f"KEY={token[:cut]}", f"{token[cut:]}.")):
                result = screen(Candidate(after), screeners, (("other", "nothing here"), (EARLIER, before)))
                assert isinstance(result, Refused), (name, cut)
                assert EARLIER in result.message
                assert "body" in result.message
                (finding,) = result.findings
                assert after[finding.start : finding.end] in (token[:cut], token[cut:])
                assert token[cut:] not in repr(result)
                assert token[:cut] not in repr(result)


def test_clean_notes_before_clean_notes_pass(screeners: Sequence[Screener]) -> None:
    notes = [(f"rec_{n}", note) for n, note in enumerate(clean_notes(300))]
    wrong = [
        n for n in range(8, 300) if isinstance(screen(Candidate(notes[n][1]), screeners, notes[n - 8 : n]), Refused)
    ]
    assert wrong == []


def test_notes_on_how_tokens_look_and_notes_with_hashes_are_no_halves(screeners: Sequence[Screener]) -> None:
    """A prefix that is named, and a hash, a number, a name or a path in another record, are nobody's token."""
    named = [
        f"{issuer} tokens begin with {prefix}"
        for issuer, prefix in (
            ("OpenRouter", "sk-or-v1-"), ("GitHub", "github_pat_"), ("GitHub", "ghp_abc123"), ("Slack", "xoxb-"),
            ("DigitalOcean", "dop_v1_"), ("Anthropic", "sk-ant-api03-"), ("GitLab", "glpat-"), ("npm", "npm_"),
            ("Stripe", "sk_live_"), ("Vault", "hvs.CAES"), ("Linear", "lin_api_"), ("Google", "AIzaSy"),
            ("AWS", "AKIA"), ("Grafana", "glsa_"), ("Shopify", "shpat_"), ("Postman", "PMAK-"),
        )
    ]  # fmt: skip
    source = random.Random(3)
    odd = [
        f"The digest is {draw(HEX, size, n)}" for n in range(12) for size in (7, 12, 32, 40, 64)
    ] + [
        f"See src/app/views_{n}/Token{n}View.tsx and build 20261201{n:04d} of v1.{n}.0-rc1" for n in range(12)
    ] + clean_notes(120)  # fmt: skip
    wrong = []
    for text in named:
        for one in source.sample(odd, 40):
            for first, second in ((text, one), (one, text)):
                result = screen(Candidate(second), screeners, ((EARLIER, first),))
                wrong += [(first, second)] if isinstance(result, Refused) else []
    assert wrong == []


def test_a52_a_token_over_a_line_end_or_two_blocks_or_two_turns_does_not_survive(screeners: Sequence[Screener]) -> None:
    for name in ("github", "npm", "gitlab", "stripe-live"):
        token = tokens()[name]
        (block,) = redact([turn(f"before {token[:14]}\n{token[14:]} after")], screeners)[0].value.blocks
        assert token[14:] not in block.text, name
        two = redact([turn(f"before {token[:14]}", f"{token[14:]} after")], screeners)[0].value.blocks
        assert not any(token[14:] in b.text or token[:14] in b.text for b in two), name
        turns = [turn("x y " * 300_000 + token[:14], name="a"), turn(f"{token[14:]} z", name="b")]
        texts = [r.value.blocks[0].text for r in redact(turns, screeners)]
        assert not any(token[14:] in text or token[:14] in text for text in texts), name


def test_a_whole_token_at_a_block_end_leaves_its_neighbour_alone(screeners: Sequence[Screener]) -> None:
    blocks = redact([turn("key " + tokens()["github"], "filler words")], screeners)[0].value.blocks
    assert blocks[1].text == "filler words"


def test_b24_personal_details_are_refused_held_or_noted_by_kind(screeners: Sequence[Screener]) -> None:
    health = screen(Candidate("She was diagnosed with diabetes in May"), screeners)
    mail = screen(Candidate("Ask anna.meier" + "@mail-host.de about the release"), screeners)
    assert isinstance(health, Screened)
    assert isinstance(mail, Screened)
    assert (reasons_to_hold(health), reasons_to_hold(mail)) == (("personal:health",), ())
    assert [f.rule for f in mail.findings] == ["e-mail"]
    assert isinstance(screen(Candidate("Her CPF is 529.982.247-25"), screeners), Refused)
