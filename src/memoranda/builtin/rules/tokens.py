"""Finds tokens of known form and JSON Web Tokens: form is their validation, and a checksum where there is one."""

from __future__ import annotations

import base64
import binascii
import json
import re
from functools import cache
from typing import Iterator

from memoranda.builtin.rules.chance import strange
from memoranda.builtin.rules.checks import CHECKS
from memoranda.builtin.rules.families import FAMILIES, NEEDS_WORD
from memoranda.builtin.rules.lens import RUN_MIN, Lens
from memoranda.model.outcome import Finding

_WORD_REACH = 80


_RUN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_Rows = dict[str, tuple[tuple[str, str], ...]]
_pattern = cache(re.compile)  # three hundred of them take as long as all else at the start, and most are never tried


def _tables() -> tuple[_Rows, dict[str, tuple[int, ...]]]:
    """Rows by their first two characters; and for prefixes that hold a sign which ends runs (`SG.`, `1//`), how far
    before a run the token begins, by the two characters before that run."""
    rows: dict[str, list[tuple[str, str]]] = {}
    back: dict[str, set[int]] = {}
    for rule, prefixes, rest in FAMILIES:
        for prefix in prefixes.split(" "):
            pattern = re.escape(prefix) + rest + r"(?![A-Za-z0-9])"
            rows.setdefault(prefix[:2], []).append((rule, pattern))
            if outside := [n for n, char in enumerate(prefix) if char not in _RUN]:
                size = outside[-1] + 1
                back.setdefault(prefix[size - 2 : size], set()).add(size)
    return {k: tuple(v) for k, v in rows.items()}, {k: tuple(sorted(v)) for k, v in back.items()}


_ROWS, _BACK = _tables()
_JWT = re.compile(r"eyJ[A-Za-z0-9_-]{8,2000}\.(eyJ[A-Za-z0-9_-]{8,8000})\.[A-Za-z0-9_-]{16,2000}")


_FIRST = frozenset(start.encode("ascii") for start in (*_ROWS, "ey"))
_BACKSLASH = ord("\\")
_ALNUM = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_ENDS = b"./~:=+$"
#: Prefixes of tokens that may hold no run of `RUN_MIN` signs: each is looked for by itself.
_BROKEN = (
    b"aivenv1", b"ABSK", b"bedrock-api-key-", b"essu_", b"ops_eyJ", b"sntrys_eyJ", b"AccountKey=", b"AQE", b"dG9rO",
    b"IQoJ", b"whsec_", b"glc_", b"xoxb-", b"xoxp-", b"xoxa-", b"xoxo-", b"xoxs-", b"xoxr-", b"secret-token:",
    b"glpat-", b"pscale_tkn_", b"pscale_pw_", b"pscale_oauth_", b"FlyV1", b"eyJ2ZXIiOiIyIi",
    b"live_", b"sk_", b"b_", b"dp.",
)  # fmt: skip
_PARTS = b".:$"  # what stands between the parts of a token
_REACH = 160  # how far before a run the token may begin whose last part it is
_TAIL = bytes(b if b in _ALNUM or b in b"_-./~:=+$," else 32 for b in range(256))
_CUT = re.compile(rb"[./~:=+$]")


def find(lens: Lens) -> Iterator[Finding]:
    """Tokens with a known prefix, and JSON Web Tokens. Their form is their validation."""
    text, raw, reached = lens.text, lens.raw, 0
    for start, end in lens.words():
        if start < reached:
            continue
        found = _token(text, start) if raw[start : start + 2] in _FIRST else None
        if found is None and start:
            before = raw[start - 1]
            if before == _BACKSLASH:  # an escaped line end in front: the run is `nghp_…`
                found = _token(text, start + 1)
            elif before in _ENDS:
                found = _before(text, start)
                if found is None and before in _PARTS:
                    found = _behind(text, raw, max(reached, start - _REACH), start)
        if found is None and (at := raw.find(b"-", start, end - RUN_MIN)) >= 0:
            found = _after_dash(lens, at, end)
        if found is not None:
            yield found
            reached = found.end
    yield from _broken(lens)


def _behind(text: str, raw: bytes, floor: int, start: int) -> Finding | None:
    """A token of several parts of which this run is a later one: `pat….<64 hex digits>`."""
    at = floor + raw[floor:start].translate(_TAIL).rfind(b" ") + 1
    while at < start:
        if raw[at : at + 2] in _FIRST:
            found = _token(text, at)
            if found is not None and found.end > start:
                return found
        cut = _CUT.search(raw, at, start)
        at = cut.end() if cut else start
    return None


def _broken(lens: Lens) -> Iterator[Finding]:
    """Tokens whose alphabet has signs that end runs."""
    raw = lens.raw
    for prefix in _BROKEN:
        for at in lens.hits(raw, prefix):
            if not at or not (raw[at - 1 : at].isalnum() or raw[at - 1] in b"_+/"):
                found = _token(lens.text, at)
                if found is not None:
                    yield found


def _token(text: str, at: int) -> Finding | None:
    """The token that begins exactly here."""
    start = text[at : at + 2]
    rows = _ROWS.get(start)
    found = _jwt(text, at) if start == "ey" else None
    return found or (_match(text, at, rows) if rows else None)


def _before(text: str, start: int) -> Finding | None:
    """A token whose prefix ends in a sign that ends runs, so that it began before this run."""
    for size in _BACK.get(text[start - 2 : start], ()):
        at = start - size
        if at < 0 or (at and (text[at - 1].isalnum() or text[at - 1] in "+/_-.")):
            continue
        found = _token(text, at)
        if found is not None:
            return found
    return None


def _after_dash(lens: Lens, at: int, end: int) -> Finding | None:
    """A token behind a word and a dash; only the first four dashes are looked at."""
    for _ in range(4):
        if at < 0 or end - at < RUN_MIN:
            return None
        found = _token(lens.text, at + 1)
        if found is not None:
            return found
        at = lens.raw.find(b"-", at + 1, end)
    return None


def _match(text: str, at: int, rows: tuple[tuple[str, str], ...]) -> Finding | None:
    for rule, pattern in rows:
        match = _pattern(pattern).match(text, at)
        if match is None:
            continue
        word = NEEDS_WORD.get(rule)
        if word is not None and not word.search(text[max(0, at - _WORD_REACH) : at]):
            continue
        check = CHECKS.get(rule)
        if check is None or not (told := check(match.group())):
            if check is not None and told is False:
                continue
            if not _mixed(match.group()):
                continue
        return Finding(rule, "credentials", at, match.end())
    return None


def _mixed(token: str) -> bool:
    """A real token's tail is random: it holds a digit, or both cases, or is one run of capitals, or of letters
    that words do not pair. Words joined by `-` or `_` are none of it."""
    tail = token[4:]
    mixed = any(c.isdigit() for c in tail) or (tail != tail.lower() and tail != tail.upper())
    return mixed or (tail.isalpha() and ((tail.isupper() and len(tail) >= 16) or strange(tail)))


def _jwt(text: str, at: int) -> Finding | None:
    match = _JWT.match(text, at)
    if match is None:
        return None
    head = match.group().partition(".")[0]
    try:
        fields = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        return None
    if not isinstance(fields, dict) or not ("alg" in fields or "typ" in fields):
        return None
    return Finding("jwt", "credentials", at, match.end())
