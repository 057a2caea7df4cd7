"""Our own rules without any library: spans, forms, limits."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from support.families import samples, stated

from memoranda.builtin import screen_rules
from memoranda.builtin.rules.checks import luhn
from memoranda.builtin.rules.families import FAMILIES

OWN = screen_rules.make()
TOKEN = "gh" + "p_" + "aB3" * 12


def test_spans_are_code_points_and_cover_the_token_alone() -> None:
    for text in (f"{TOKEN}", f"ä世🎉 {TOKEN}!", f"x={TOKEN}\n", f"\\n{TOKEN}\\n", f"a-{TOKEN}", f"/{TOKEN}/"):
        (finding,) = [f for f in OWN.look([text])[0] if f.rule == "github-token"]
        assert text[finding.start : finding.end] == TOKEN
        assert finding.validated


def test_texts_are_looked_at_each_on_its_own() -> None:
    first, second, third = OWN.look([TOKEN, "", "x " + TOKEN])
    assert [len(first), len(second), len(third)] == [1, 0, 1]
    assert OWN.look([]) == []


@pytest.mark.parametrize("cut", [1, 2, 5])
def test_a_token_of_the_wrong_length_is_none(cut: int) -> None:
    assert not [f for f in OWN.look([TOKEN[:-cut]])[0] if f.rule == "github-token"]


def test_families_are_many_and_their_prefixes_can_be_told_by_two_signs() -> None:
    assert len({rule for rule, _, _ in FAMILIES}) >= 150
    assert all(len(prefix) >= 2 for _, prefixes, _ in FAMILIES for prefix in prefixes.split(" "))


@pytest.mark.parametrize("seed", range(3))
def test_b23_every_family_of_the_table_is_found_in_its_own_form(seed: int) -> None:
    """A row that no text can reach is a promise not kept: rows are reached by where runs of letters begin."""
    drawn = list(samples(seed))
    assert len(drawn) >= 180
    missed = [
        rule for rule, token in drawn if not any(f.layer == "credentials" for f in OWN.look([stated(rule, token)])[0])
    ]
    assert missed == []


@pytest.mark.parametrize("digits", ["79927398713", "4242424242424242", "378282246310005"])
def test_luhn_accepts_its_own_and_no_neighbour(digits: str) -> None:
    assert luhn(digits)
    assert not any(luhn(digits[:-1] + other) for other in "0123456789" if other != digits[-1])


HOSTILE = {
    "dashes": "-" * 200_000,
    "underscores": "_a" * 100_000,
    "prefixes": "eyJ" * 70_000,
    "open keys": "-----BEGIN PRIVATE" + " KEY-----" + "-----BEGIN PRIVATE KEY-----" * 7_000,
    "passwords": "password is " * 17_000,
    "names": "secret_token_key_" * 12_000,
    "urls": "://a:" * 40_000,
    "ats": "a@" * 100_000,
    "digits": "4" * 200_000,
    "grouped": "1234 " * 40_000,
    "pluses": "+1 " * 70_000,
    "ibans": "DE12" * 50_000,
    "bearers": "bearer " * 28_000,
    "curls": "curl -u " * 25_000,
    "dots": "ya29." * 40_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_work_grows_with_the_length_and_not_with_its_square(name: str) -> None:
    text = HOSTILE[name]

    def seconds(piece: str) -> float:
        start = time.process_time()
        OWN.look([piece])
        return time.process_time() - start

    small = min(seconds(text[: len(text) // 8]) for _ in range(3))
    assert seconds(text) < 8 * 6 * max(small, 0.002)


def test_the_module_needs_no_library() -> None:
    code = (
        "import sys; from memoranda.builtin import screen_rules; screen_rules.make().look(['x'])\n"
        "print([m for m in ('kingfisher_sdk', 'numpy') if m in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.strip() == "[]"
