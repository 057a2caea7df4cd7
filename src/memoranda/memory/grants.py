"""Grants as they are written: tables of the user's settings file, and what a memory's own memory.toml takes away.

    [grants.alice]
    keys = ["ssh-ed25519 AAAA… alice@laptop"]
    may = ["write", "supersede", "forget"]
    scopes = ["shop", "shop/*"]          # left out: every scope

    [grants."*"]                         # whoever signs with no key that stands here
    may = []                             # takes nothing of theirs in

In a memory.toml, `[receive]` may hold `signed`, `principals` and `scopes`. What cannot be read there stops the command:
a bound that is misread would be none.
"""

from __future__ import annotations

import re
from typing import Any, Mapping

from memoranda.model.errors import Corrupt, Invalid
from memoranda.model.grant import ANYONE, Deed, Grant, Tightening

_is_name = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}").fullmatch
_is_key = re.compile(
    r"(ssh-ed25519|ecdsa-sha2-nistp(?:256|384|521)|ssh-rsa|sk-ssh-ed25519@openssh\.com"
    r"|sk-ecdsa-sha2-nistp256@openssh\.com) ([A-Za-z0-9+/]{40,4096}={0,3})(?: .*)?"
).fullmatch


def parse_grants(table: Any, where: str) -> tuple[Grant, ...]:
    """The grants of a settings file. Raises `Invalid` naming the table and what is expected."""
    if not isinstance(table, dict):
        raise Invalid(f"{where}: grants is no table", "write [grants.<principal>] and may = [...] below it")
    grants = tuple(_grant(name, row, where) for name, row in table.items())
    keys = [key for grant in grants for key in grant.keys]
    if len(set(keys)) != len(keys):
        raise Invalid(f"{where}: one key stands for two principals in [grants]", "a key belongs to one")
    return grants


def parse_tightening(table: Mapping[str, Any]) -> Tightening:
    """What a memory.toml asks of those whose records are received. Raises `Corrupt` for what is not understood."""
    row = table.get("receive", {})
    hint = "it may hold signed = true, principals = [...] and scopes = [...]"
    if not isinstance(row, dict) or not row.keys() <= {"signed", "principals", "scopes"}:
        raise Corrupt("memory.toml: [receive] holds what this program does not know", hint)
    signed, principals, scopes = row.get("signed", False), row.get("principals"), row.get("scopes", [])
    if not isinstance(signed, bool) or not (principals is None or _texts(principals)) or not _texts(scopes):
        raise Corrupt("memory.toml: [receive] cannot be read", hint)
    if "scopes" in row and not scopes:
        raise Corrupt("memory.toml: [receive] has no scope", "name one, or leave scopes out")
    return Tightening(signed, None if principals is None else tuple(principals), tuple(scopes))


def _grant(name: str, row: Any, where: str) -> Grant:
    here = f"{where}: [grants.{name}]" if _is_name(name) or name == ANYONE else f"{where}: [grants]"
    if not (_is_name(name) or name == ANYONE):
        raise Invalid(f"{here}: a principal has a name that cannot be used", "use [a-z0-9._@-], at most 64")
    if not isinstance(row, dict) or not row.keys() <= {"keys", "may", "scopes"}:
        raise Invalid(f"{here} holds what is not known", "it may hold keys, may and scopes")
    keys, may, scopes = row.get("keys", []), row.get("may", [deed.value for deed in Deed]), row.get("scopes", [])
    if not (_texts(keys) and _texts(may) and _texts(scopes)):
        raise Invalid(f"{here}: keys, may and scopes are lists of strings", 'write may = ["write"]')
    unknown = [deed for deed in may if deed not in list(Deed)]
    if unknown:
        raise Invalid(f"{here}: may names what nobody is granted", f"use {', '.join(Deed)}")
    if "scopes" in row and not scopes:
        raise Invalid(f"{here} has no scope", "name one, or leave scopes out for all of them")
    if name == ANYONE and keys:
        raise Invalid(f"{here}: everybody has no key", "write the key under a name")
    found = [_is_key(key.strip()) for key in keys]
    if not all(found):
        raise Invalid(f"{here}: a key is no public ssh key", 'write keys = ["ssh-ed25519 AAAA…"], from a .pub file')
    return Grant(name, tuple(map(Deed, may)), tuple(scopes), tuple((m[1], m[2]) for m in found if m))


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
