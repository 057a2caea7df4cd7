"""Checksums in tokens: a published or computed example holds, a changed sign does not."""

from __future__ import annotations

import base64
import binascii
import zlib

import pytest

from memoranda.builtin import screen_rules
from memoranda.builtin.rules.checks import CHECKS, base58check, base62_crc32, bech32, hex_crc32, stellar

OWN = screen_rules.make()
_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
WIF = "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4" + "dZ1jvhTVqvbTLvyTJ"  # the example of Bitcoin's wiki
NSEC = "nsec1vl029mgpspedva04g90vltkh6fvh" + "240zqtv9k0t9af8935ke9laqsnlfe5"  # the example of NIP-19


def github(body: str) -> str:
    value, digits = zlib.crc32(body.encode()), ""
    while value:
        value, digit = divmod(value, 62)
        digits = _BASE62[digit] + digits
    return "gh" + "p_" + body + digits.rjust(6, "0")


def seed() -> str:
    data = bytes([0x90]) + bytes(range(32))
    return base64.b32encode(data + binascii.crc_hqx(data, 0).to_bytes(2, "little")).decode()


def test_sums_hold_for_what_carries_them() -> None:
    assert base62_crc32(github("a" * 30))
    assert base62_crc32("gh" + "p_" + "a" * 36) is None
    glsa = "gl" + "sa_" + "b" * 32
    assert hex_crc32(f"{glsa}_{zlib.crc32(glsa.encode()):08x}")
    assert (base58check(WIF), bech32(NSEC), stellar(seed())) == (True, True, True)


@pytest.mark.parametrize(("token", "check"), [(WIF, base58check), (NSEC, bech32), (seed(), stellar)])
def test_a_changed_sign_breaks_the_sum(token: str, check: object) -> None:
    for at in (8, 20, len(token) - 3):
        other = "4" if token[at] != "4" else "5"
        assert check(token[:at] + other + token[at + 1 :]) is not True  # type: ignore[operator]


def test_where_the_sum_must_hold_the_form_alone_is_nothing() -> None:
    for token in (WIF, NSEC, seed()):
        assert OWN.look([f"key {token} end"])[0]
        other = "4" if token[12] != "4" else "5"
        assert not OWN.look([f"word {token[:12]}{other}{token[13:]} end"])[0]


def test_a_sum_that_holds_makes_even_a_plain_tail_a_token() -> None:
    assert OWN.look([github("a" * 30)])[0]
    assert set(CHECKS) >= {"github-token", "npm-token", "grafana-token"}
