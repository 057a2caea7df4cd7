"""Tokens: how programs that call a server prove who they are, and what each of them may.

In the user's settings:

    [tokens.ci]
    channel = "tool"      # agent (when left out), tool, connector, web or email
    may = ["read"]        # read and write when left out

Where the settings name none there is one, `agent`. A token is never more than its settings say, and none speaks for a
person. Its secret is a file of its own, `tokens/<name>` in the user's state, 0600, made when a server first starts;
deleting the file and starting again makes another.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import stat
from pathlib import Path
from typing import Any, Mapping, Sequence

from memoranda.memory.settings import table
from memoranda.model.errors import Conflict, Invalid
from memoranda.model.record import Channel
from memoranda.model.settings import Settings
from memoranda.model.values import dataclass
from memoranda.truth.files import create, explained, make_private_folder, read_capped

FOLDER = "tokens"
#: Channels that a program may speak through: none that weighs as a person.
CHANNELS = (Channel.AGENT, Channel.TOOL, Channel.CONNECTOR, Channel.WEB, Channel.EMAIL)
_DEEDS = ("read", "write")
_SECRET_BYTES = 32

_is_name = re.compile(r"[a-z0-9][a-z0-9._-]{0,31}").fullmatch
_is_secret = re.compile(rb"[A-Za-z0-9_-]{43,256}").fullmatch


@dataclass(frozen=True, slots=True)
class Token:
    """A program that may call. `digest` is the SHA-256 of its secret: what is kept in memory cannot be used."""

    name: str
    channel: Channel
    writes: bool
    file: Path
    digest: bytes


class Tokens:
    """All that are known to one server."""

    def __init__(self, known: Sequence[Token]) -> None:
        self.known = tuple(known)

    def holder(self, secret: bytes) -> Token | None:
        """Whose secret it is. Takes as long for a wrong one as for a right one."""
        digest = hashlib.sha256(secret).digest()
        found = None
        for token in self.known:
            if hmac.compare_digest(token.digest, digest):
                found = token
        return found


def open_tokens(settings: Settings) -> Tokens:
    """The tokens of this user, each secret made where it is missing.

    Raises `Invalid` for settings that cannot be understood, `Conflict` for a secret that others may read or that is
    none, `Unavailable` when the state cannot be written.
    """
    named = table("tokens", settings.variables)
    rules = {"agent": (Channel.AGENT, True)} if named is None else parse(named)
    folder = settings.state / FOLDER
    make_private_folder(settings.state)
    make_private_folder(folder)
    return Tokens(
        [
            Token(name, *rule, folder / name, hashlib.sha256(_secret(folder, name)).digest())
            for name, rule in rules.items()
        ]
    )


def parse(named: Any) -> Mapping[str, tuple[Channel, bool]]:
    """Name -> (channel, whether it may write), from the table as it stands in the settings. Raises `Invalid`."""
    if not isinstance(named, dict) or not named:
        raise Invalid("settings: tokens is no table with names in it", "write [tokens.<name>], or leave tokens out")
    return {name: _rule(name, row) for name, row in named.items()}


def _rule(name: str, row: Any) -> tuple[Channel, bool]:
    if not _is_name(name):
        raise Invalid("settings: a token has a name that cannot be used", "use [a-z0-9._-], at most 32")
    if not isinstance(row, dict) or not row.keys() <= {"channel", "may"}:
        raise Invalid(f"settings: [tokens.{name}] holds what is not known", "it may hold channel and may")
    channel, may = row.get("channel", Channel.AGENT.value), row.get("may", list(_DEEDS))
    if channel not in CHANNELS:
        raise Invalid(
            f"settings: [tokens.{name}] names a channel that no token has",
            f"use one of {', '.join(CHANNELS)}: a person is at a terminal",
        )
    if not isinstance(may, list) or not may or not all(deed in _DEEDS for deed in may):
        raise Invalid(
            f"settings: [tokens.{name}] may do what is not known", 'write may = ["read"] or ["read", "write"]'
        )
    return Channel(channel), "write" in may


def _secret(folder: Path, name: str) -> bytes:
    """The secret in that file, made there when there is none: whoever is first makes it, whole."""
    path = folder / name
    if not path.exists():
        try:
            create(folder, name, secrets.token_urlsafe(_SECRET_BYTES).encode() + b"\n", private=True)
        except Conflict:
            if not path.exists():
                raise
    with explained(path):
        facts = path.lstat()
        text = (read_capped(path, 1024) or b"").strip()
    if not stat.S_ISREG(facts.st_mode) or not _is_secret(text):
        raise Conflict(f"{path} holds no token", "delete it and start again: another is made")
    if os.name == "posix" and (facts.st_mode & 0o077 or facts.st_uid != os.geteuid()):
        raise Conflict(f"{path} can be read by others", "delete it and start again: another is made")
    return text
