"""The door for candidates: what is refused, what passes, and that no refusal repeats a value."""

from __future__ import annotations

import logging
from dataclasses import fields, replace
from pathlib import Path
from typing import Sequence

import pytest
from support.disguises import VIEWS
from support.invented import draw, luhn_number, others, tokens
from support.leaky import Leaky
from support.sentences import clean_notes
from support.spans import personal

from memoranda.model.errors import Unavailable
from memoranda.model.outcome import Refused, Screened
from memoranda.model.record import Candidate
from memoranda.ports import Screener
from memoranda.screen import RULES, screen

LABELLED = Path(__file__).parents[1] / "fixtures/personal/presidio_synth.jsonl.gz"
CARRIERS = ("The deploy key is {}", "export DEPLOY_TOKEN={}", 'config = {{"key": "{}"}}', "see {}.", "a\n{}\nb")


def refused(text: str, screeners: Sequence[Screener]) -> Refused | None:
    result = screen(Candidate(text), screeners)
    return result if isinstance(result, Refused) else None


def test_b23_forty_token_formats_are_refused_wherever_they_stand(screeners: Sequence[Screener]) -> None:
    assert len(tokens()) >= 40
    missed = [
        (name, carrier)
        for seed in range(2)
        for name, token in tokens(seed).items()
        for carrier in CARRIERS
        if refused(carrier.format(token), screeners) is None
    ]
    assert not missed


def test_b23_keys_headers_and_connection_strings_are_refused(screeners: Sequence[Screener]) -> None:
    missed = [name for seed in range(5) for name, text in others(seed).items() if refused(text, screeners) is None]
    assert not missed


def test_b23_cards_with_a_valid_check_digit_are_refused_and_others_pass(screeners: Sequence[Screener]) -> None:
    for seed in range(20):
        for prefix, size in (("4", 16), ("53", 16), ("2330", 16), ("37", 15), ("6011", 16)):
            card = luhn_number(prefix, size, seed)
            spaced = " ".join(card[n : n + 4] for n in range(0, 16, 4)) if size == 16 else card
            wrong = card[:-1] + str((int(card[-1]) + 1) % 10)
            for text in (card, spaced):
                result = refused(f"The card on file is {text}", screeners)
                assert result is not None
                assert {f.layer for f in result.findings} == {"credentials"}
            assert refused(f"Order number {wrong} was shipped", screeners) is None


def test_b23_clean_engineering_notes_pass(screeners: Sequence[Screener]) -> None:
    wrong = [(note, result.message) for note in clean_notes(2000) if (result := refused(note, screeners))]
    assert len(wrong) <= 10, wrong[:5]


def test_b25_each_layer_refuses_alone_and_is_named(screeners: Sequence[Screener]) -> None:
    first = refused("Use " + tokens()["gitlab"], screeners)
    second = refused("Her social security number is 536-22-8726", screeners)
    assert first is not None
    assert second is not None
    assert (first.findings[0].layer, second.findings[0].layer) == ("credentials", "personal")
    assert "layer credentials" in first.message
    assert "layer personal" in second.message


def test_b25_an_iban_is_refused_by_its_check_digits(screeners: Sequence[Screener]) -> None:
    bank = "500105175407324931"
    check = 98 - int(bank + "131400") % 97
    iban = f"DE{check:02d}{bank}"
    spaced = " ".join(iban[n : n + 4] for n in range(0, 22, 4))
    for text in (iban, spaced):
        result = refused(f"Pay the rent to {text} please", screeners)
        assert result is not None
        assert result.findings[0].rule == "iban"
    assert refused(f"Pay the rent to DE{(check + 1) % 97:02d}{bank}", screeners) is None


PLACEHOLDERS = (
    "<your-token>",
    "${API_KEY}",
    "{{ secret }}",
    "$TOKEN",
    "%API_TOKEN%",
    "xxxxxxxxxxxxxxxxxxxx",
    "changeme",
    "changeme123",
    "your-api-key-here",
    "YOUR_SECRET_KEY",
    "****************",
    "your_password_here",
    "password",
    "sk-" + "x" * 40,
    "gh" + "p_" + "x" * 36,
    "AKIAIOSFODNN7" + "EXAMPLE",
    "test-password",
    "dummy_secret_value",
    "[REDACTED]",
    "insert-token-here",
)
SNIPPETS = (
    'api_key = "{}"',
    "PASSWORD={}",
    "Authorization: Bearer {}",
    "the password is {}",
    "https://user:{}@example.com/",
)


def test_b26_placeholders_pass(screeners: Sequence[Screener]) -> None:
    cases = [snippet.format(value) for value in PLACEHOLDERS for snippet in SNIPPETS]
    assert len(cases) == 100
    wrong = [(case, result.findings[0].rule) for case in cases if (result := refused(case, screeners))]
    print(f"placeholders refused: {len(wrong)} of {len(cases)}")
    assert not wrong


def test_b26_documented_test_cards_pass_and_a_real_key_holding_example_does_not(screeners: Sequence[Screener]) -> None:
    assert refused("Checkout was tried with card 4242 4242 4242 4242", screeners) is None
    assert refused("key " + "AKIA" + draw("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 9, 3) + "EXAMPLE", screeners) is not None


@pytest.mark.parametrize("view", VIEWS)
def test_b23_a_disguised_token_is_refused(view: str, screeners: Sequence[Screener]) -> None:
    names = ("github", "hugging-face", "gitlab", "stripe-live", "npm")
    missed = [name for name in names if refused(f"note: {VIEWS[view](tokens()[name])} end", screeners) is None]
    assert not missed


def test_a_token_in_any_field_or_in_two_halves_is_refused(screeners: Sequence[Screener]) -> None:
    token = tokens()["github"]
    body = "The runner uses a token"
    cases = (
        Candidate(body, source=token), Candidate(body, scope=token), Candidate(body, observed=token),
        *(replace(Candidate(body), **{name: (token,)})
            for name in ("entities", "tags", "supersedes", "contradicts", "derived_from", "anchors")),
        Candidate("The runner uses " + token[:20], scope=token[20:]),
        Candidate("It ends in " + token[:15], tags=(token[15:],)),
        Candidate(body, tags=(token[:18], token[18:])),
    )  # fmt: skip
    assert {f.name for f in fields(Candidate)} >= {"source", "scope", "observed", "entities"}
    for case in cases:
        result = screen(case, screeners)
        assert isinstance(result, Refused)
        assert token[20:] not in repr(result)


FURTHER = ("source", "scope", "observed", "entities", "tags", "supersedes", "contradicts", "derived_from", "anchors")


@pytest.mark.parametrize("name", FURTHER)
@pytest.mark.parametrize("view", ["", "base64", "hex", "percent", "zero width", "reversed", "spaced", "fullwidth"])
def test_a_refusal_names_the_field_that_holds_it_and_no_span_of_another(
    name: str, view: str, screeners: Sequence[Screener]
) -> None:
    body, token = "The runner uses a token", tokens()["github"]
    hidden = VIEWS[view](token) if view else token
    value = hidden if name in ("source", "scope", "observed") else ("first", hidden)
    candidate = replace(Candidate(body, tags=("build",)), **{name: value})
    result = screen(candidate, screeners)
    assert isinstance(result, Refused)
    assert result.message.startswith(f"refused: {name} holds"), result.message
    assert {(f.start, f.end) for f in result.findings} == {(0, 0)}


@pytest.mark.parametrize("view", ["", *VIEWS])
def test_a_finding_in_the_body_has_its_place_there(view: str, screeners: Sequence[Screener]) -> None:
    token = tokens()["npm"]
    hidden = VIEWS[view](token) if view else token
    body = f"The runner uses {hidden} now"
    result = screen(Candidate(body, tags=("build",), source="chat"), screeners)
    assert isinstance(result, Refused)
    assert result.message.startswith("refused: body holds"), result.message
    for finding in result.findings:
        assert 0 <= finding.start < finding.end <= len(body)
        assert finding.start < body.index(hidden) + len(hidden)
        assert body.index(hidden) < finding.end


def test_halves_in_two_fields_name_both(screeners: Sequence[Screener]) -> None:
    token, body = tokens()["github"], "The runner uses a token"
    cases = (
        (Candidate(body, tags=(token[:18], token[18:])), "tags holds"),
        (Candidate(body, source=token[:18], scope=token[18:]), "source and scope together hold"),
        (Candidate(f"It ends in {token[:15]}", tags=(token[15:],)), "body and tags together hold"),
    )
    for candidate, said in cases:
        result = screen(candidate, screeners)
        assert isinstance(result, Refused)
        assert f"refused: {said} a credential" in result.message


def test_fields_that_only_look_odd_end_to_end_pass(screeners: Sequence[Screener]) -> None:
    """Numbers and words of neighbouring fields make no card, telephone or account between them."""
    for n in range(40):
        card = luhn_number("4", 16, n)
        candidate = Candidate(f"{card[8:]} rows were moved", tags=(card[:8], "password"), source=f"build {card[:4]}")
        assert isinstance(screen(candidate, screeners), Screened), n


SENTENCES = (
    "The password is Sommer2024!",
    "The admin password for staging is q7RtPz91",
    "das Passwort lautet Winter#2031",
    "password: tr0ub4dor&3",
    "my login is admin / password is S3cure-Pass!",
    "Le mot de passe est Fleur88Bleue",
    "The api key is 8fj2kd93nfk2ls0a",
    "secret: 9aK2mZx81QpL",
    "la contraseña es Gato2022x",
    "the pin is 4711",
)
HARMLESS = (
    "The password is stored in the vault",
    "The password is required",
    "The token is refreshed hourly",
    "the key is to test early",
    "The secret is rotated by the platform team",
    "password: optional",
    "The token is 256 bits long",
    "Das Passwort ist geheim",
    "The login is slow since the upgrade",
    "The api key is validated in middleware.py",
    "the pin is missing from the board",
    "Passwords are hashed with argon2id",
    "The token is case-sensitive",
    "password reset is at /auth/reset",
)


def test_b25_credentials_in_a_sentence(screeners: Sequence[Screener]) -> None:
    missed = [s for s in SENTENCES if refused(s, screeners) is None]
    wrong = [s for s in HARMLESS if refused(s, screeners) is not None]
    assert (missed, wrong) == ([], [])


def test_b22_no_message_repr_log_or_exception_holds_the_value(
    screeners: Sequence[Screener], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for name, token in {**tokens(), **others()}.items():
        result = refused(f"Keep this: {token}", screeners)
        assert result is not None, name
        told = repr(result) + result.message + result.hint + "".join(result.proposed) + caplog.text
        assert not any(piece in told for piece in token.split() if len(piece) > 7)


def test_b22_a_failing_screener_stops_everything_and_its_words_go_nowhere() -> None:
    with pytest.raises(Unavailable) as caught:
        screen(Candidate("plain words about nothing"), [Leaky()])
    assert "plain words" not in caught.value.message
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_what_passes_carries_the_version_and_is_the_same_candidate(screeners: Sequence[Screener]) -> None:
    candidate = Candidate("Mail goes out through anna.meier@mail-host.de now")
    result = screen(candidate, screeners)
    assert isinstance(result, Screened)
    assert result.value is candidate
    assert result.rules == RULES
    assert [f.rule for f in result.findings] == ["e-mail"]
    partial = screen(candidate, screeners[1:])
    assert isinstance(partial, Screened)
    assert partial.rules == f"{RULES}-partial"


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("x" * 2001, "too-long"),
        ("a\x00b", "not-text"),
        ("half \ud800", "not-text"),
        ("word " * 40_000, "too-long"),
    ],
)
def test_form_is_refused_with_its_rule(body: str, rule: str, screeners: Sequence[Screener]) -> None:
    result = refused(body, screeners)
    assert result is not None
    assert [(f.rule, f.layer) for f in result.findings] == [(rule, "form")]


def test_a_list_of_facts_is_refused_with_one_text_each(screeners: Sequence[Screener]) -> None:
    result = refused("Deploy rules:\n- Staging deploys run on weekdays\n- Production needs two approvals\n", screeners)
    assert result is not None
    assert result.proposed == (
        "Deploy rules: Staging deploys run on weekdays",
        "Deploy rules: Production needs two approvals",
    )
    assert all(isinstance(screen(Candidate(text), screeners), Screened) for text in result.proposed)


@pytest.mark.parametrize(
    "body",
    [
        "Deploy rules:\n1. Staging deploys run on weekdays\n2. Production needs two approvals",
        "1) Staging deploys run on weekdays\n2) Production needs two approvals",
        "Rules\n(1) Staging deploys run on weekdays\n(2) Production needs two approvals",
        "a) Staging deploys run on weekdays\nb) Production needs two approvals",
        "– Staging deploys run on weekdays\n– Production needs two approvals",
        "Staging deploys run on weekdays. Also, production needs two approvals.",
        "Staging läuft nur werktags. Außerdem braucht die Produktion zwei Freigaben.",
    ],
)
def test_b31_numbered_lists_and_strings_of_sentences_are_split(body: str, screeners: Sequence[Screener]) -> None:
    result = refused(body, screeners)
    assert result is not None
    assert result.findings[0].rule == "several-facts"
    assert len(result.proposed) == 2
    assert all(isinstance(screen(Candidate(text), screeners), Screened) for text in result.proposed)


def test_b31_what_is_too_long_is_refused_with_parts_that_hold_all_of_it(screeners: Sequence[Screener]) -> None:
    body = "\n\n".join(f"Paragraph {n} says what step {n} does. " * 9 for n in range(30))
    result = refused(body, screeners)
    assert result is not None
    assert "".join("".join(result.proposed).split()) == "".join(body.split())
    assert all(len(text) <= 2000 for text in result.proposed)
    for solid in ("x" * 4100, "word " * 900):
        told = refused(solid, screeners)
        assert told is not None
        assert "".join(told.proposed).replace(" ", "") == solid.replace(" ", "")


def test_reasons_steps_and_short_lists_are_one_fact(screeners: Sequence[Screener]) -> None:
    for body in (
        "We chose Postgres because:\n- it replicates without extra tools\n- the team knows it well",
        "To release:\n1. run the whole test suite\n2. tag the commit by hand",
        "Supported systems:\n- Linux\n- macOS",
        "One point:\n- the cache is never shared between users",
        "The plan has these steps:\n- define what is in scope\n- build what was agreed\n- test the whole of it",
        "Restore:\n1. stop the writers first\n2. then copy the newest snapshot\n3. finally start the writers",
        "We use Postgres for the queue. Also, it replicates without extra tools.",
        "1. is the number of the first chapter",
    ):
        assert refused(body, screeners) is None


def test_a_bundle_is_refused_with_its_parts(screeners: Sequence[Screener]) -> None:
    body = "The API listens on port 8080. Also, the worker needs two cores. Additionally, logs go to the collector."
    result = refused(body, screeners)
    assert result is not None
    assert len(result.proposed) == 3
    assert result.proposed[1] == "The worker needs two cores."


def test_hidden_characters_pass_the_screen_and_are_noted(screeners: Sequence[Screener]) -> None:
    result = screen(Candidate("The build\u202e is green"), screeners)
    family = screen(Candidate("The mascot is 👩\u200d👩\u200d👧 and می\u200cخواهم is fine"), screeners)
    assert isinstance(result, Screened)
    assert isinstance(family, Screened)
    assert [f.rule for f in result.findings] == ["hidden-characters"]
    assert family.findings == ()


def test_b24_personal_details_in_prose_stay_above_a_fixed_threshold(screeners: Sequence[Screener]) -> None:
    """Precision, recall and F2 over sentences that others wrote and labelled. The thresholds are promises: they are
    raised when the screen gets better and never lowered."""
    figures = personal(LABELLED, screeners)
    print(figures)
    assert figures["overall"]["spans"] >= 200
    assert figures["overall"]["precision"] >= 0.95
    assert figures["overall"]["f2"] >= 0.85
    for kind, f2 in {"STREET_ADDRESS": 0.85, "EMAIL_ADDRESS": 1.0, "US_SSN": 1.0, "CREDIT_CARD": 0.95}.items():
        assert figures[kind]["f2"] >= f2, kind
