"""Where an item lies: the scope of its record is `langgraph/<label>/…/<key>`.

Letters and digits of every script stand in it as they are; what could be taken for a border, or would change in a
record's header, is percent-encoded, so every place comes back as it was.
"""

from __future__ import annotations

import re
from typing import Sequence
from unicodedata import is_normalized
from urllib.parse import quote, unquote

ROOT = "langgraph"
#: Under this namespace lie the records that came through other doors, each under its id. Nothing is put there.
RECORDS = ("memoranda", "records")

#: A record's header holds 8 KiB; names longer than this are no names.
_MOST_CHARS = 1000
_PLAIN = re.compile(r"[\w@+:=~-](?:[\w@+:=~. -]*[\w@+:=~.-])?")


def scope_of(namespace: Sequence[str], key: str) -> str:
    """The scope of an item. Raises `ValueError` for an empty name, for text that is no Unicode and for long names."""
    scope = "/".join((ROOT, *map(_printed, namespace), _printed(key)))
    if len(scope) > _MOST_CHARS:
        raise ValueError(f"namespace and key take {len(scope)} characters as written; at most {_MOST_CHARS} are kept")
    return scope


def below(prefix: Sequence[str]) -> str:
    """The scope under which everything of a namespace lies."""
    return "/".join((ROOT, *map(_printed, prefix)))


def place_of(scope: str | None) -> tuple[tuple[str, ...], str] | None:
    """Namespace and key of a scope; None for one that is not ours."""
    parts = (scope or "").split("/")
    if len(parts) < 3 or parts[0] != ROOT:
        return None
    try:
        *namespace, key = (unquote(part, errors="strict") for part in parts[1:])
        return (tuple(namespace), key) if scope_of(namespace, key) == scope else None
    except ValueError:
        return None


def _printed(label: str) -> str:
    if not label:
        raise ValueError("a name in a namespace, and a key, cannot be empty")
    if _PLAIN.fullmatch(label) and is_normalized("NFC", label):
        return label
    return quote(label, safe="")
