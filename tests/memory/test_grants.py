"""Grants as they are written in settings and in a memory.toml: read strictly, and what is misread stops the command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memoranda.memory.grants import parse_grants, parse_tightening
from memoranda.memory.settings import load
from memoranda.model.errors import Corrupt, Invalid
from memoranda.model.grant import STRANGERS, Deed, Grant, Tightening, grant_of, within

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB4h1wz8c3n2cF9a2v0W6kq0b1Wc3r2n1fT8gkq9Yb0F"
KIND, DATA = KEY.split()


def test_the_settings_file_holds_grants(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(f'[grants.alice]\nkeys = ["{KEY} alice@laptop"]\nmay = ["write"]\nscopes = ["shop/*"]\n')
    settings = load({"HOME": str(tmp_path), "MEMORANDA_SETTINGS": str(file)})
    assert settings.grants == (Grant("alice", (Deed.WRITE,), ("shop/*",), ((KIND, DATA),)),)
    file.write_text("embed_seconds = 1\n")
    assert load({"HOME": str(tmp_path), "MEMORANDA_SETTINGS": str(file)}).grants == ()


@pytest.mark.parametrize(
    "table",
    [
        [],
        {"alice": []},
        {"Alice": {}},
        {"a b": {}},
        {"": {}},
        {"alice": {"key": [KEY]}},
        {"alice": {"keys": KEY}},
        {"alice": {"keys": ["ssh-dss AAAA"]}},
        {"alice": {"keys": ["ssh-ed25519 short"]}},
        {"alice": {"keys": [f'{KEY}\nmallory namespaces="git" {KEY}']}},
        {"alice": {"may": ["release"]}},
        {"alice": {"may": "write"}},
        {"alice": {"scopes": []}},
        {"alice": {"scopes": [1]}},
        {"*": {"keys": [KEY]}},
        {"alice": {"keys": [KEY]}, "bob": {"keys": [KEY]}},
    ],
)
def test_a_grant_that_is_not_understood_is_refused(table: Any) -> None:
    with pytest.raises(Invalid) as caught:
        parse_grants(table, "settings.toml")
    assert caught.value.message.startswith("settings.toml")
    assert caught.value.hint


@pytest.mark.parametrize(
    "row",
    [
        [],
        True,
        {"sign": True},
        {"signed": "yes"},
        {"signed": 1},
        {"principals": "alice"},
        {"principals": [1]},
        {"scopes": []},
        {"scopes": "shop"},
        {"grants": {"alice": {"may": ["write"]}}},
    ],
)
def test_a_bound_that_is_misread_is_none_so_it_stops_the_command(row: Any) -> None:
    with pytest.raises(Corrupt):
        parse_tightening({"receive": row})


def test_a_memory_toml_takes_away_and_gives_nothing() -> None:
    assert parse_tightening({"grants": {"mallory": {"may": ["write"]}}}) == Tightening()
    own = parse_tightening({"receive": {"signed": True, "principals": ["alice"], "scopes": ["shop", "shop/*"]}})
    assert own.admits("alice", "shop/cart")
    assert not own.admits("bob", "shop/cart")
    assert not own.admits("alice", "bank")
    assert not own.admits("alice", None)
    assert not own.admits(None, "shop/cart")
    assert not Tightening(principals=()).admits("alice", None)
    assert Tightening().admits(None, None)


def test_a_scope_fits_whole_and_what_holds_everywhere_fits_no_pattern() -> None:
    assert within(None, ())
    assert within("anything", ())
    assert within("shop/cart", ("shop/*",))
    assert not within("shop", ("shop/*",))
    assert not within("shopping", ("shop",))
    assert not within(None, ("*",))


def test_who_is_not_named_counts_as_anyone() -> None:
    alice, nobody = Grant("alice", (Deed.WRITE,)), Grant("*", ())
    assert grant_of("alice", (alice, nobody)) is alice
    assert grant_of(None, (alice, nobody)) is nobody
    assert grant_of(None, (alice,)) is STRANGERS
    assert not STRANGERS.allows(Deed.SUPERSEDE, None)
