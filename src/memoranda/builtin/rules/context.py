"""Credentials known by what stands beside them: key blocks, headers, connection strings, assignments, sentences.

Key blocks, authorization headers and passwords inside a URL have a form of their own and count as validated. A value
that merely follows the word *password* does not: in turns it is only marked.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Iterator

from memoranda.builtin.rules.lens import Lens
from memoranda.model.outcome import Finding

_PEM = re.compile(r"-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY = re.compile(r"[A-Za-z0-9+/=\s\\\"',:>|.-]{0,16384}")
_PEM_MAX = 16_384
_PEM_MIN = 40  # base64 characters: less is a mention, not a key

_URL_LOGIN = re.compile(r"://([^\s:/?#@\"'`<>\\]{0,128}):([^\s/?#@\"'`<>\\]{3,200})@[A-Za-z0-9\[]")
_BEARER = re.compile(r"(?i:bearer|token)[ \t]{1,4}([A-Za-z0-9._~+/-]{16,2048}={0,2})")
_BASIC = re.compile(r"(?i:basic)[ \t]{1,4}([A-Za-z0-9+/]{8,512}={0,2})(?![A-Za-z0-9+/=])")
_CURL_USER = re.compile(
    r"curl\b[^\n]{0,300}?[ \t](?:-u|--user)[ =]?[ \t]{0,2}[\"']?([^\s:\"'$<{]{1,80}):([^\s\"'$<{]{3,128})"
)

# The name before an assignment. It may go on (`DB_PASSWORD_PROD`), so the tail is part of the pattern.
_NAMES = (b"passw", b"passphrase", b"pwd", b"secret", b"token", b"api_key", b"apikey", b"api-key", b"access_key",
          b"accesskey", b"private_key", b"auth_key", b"account_key", b"accountkey", b"credential", b"encryption_key",
          b"signing_key", b"license_key")  # fmt: skip
_ASSIGN = re.compile(
    r"[A-Za-z0-9_.-]{2,40}[\"'`]?\]?[ \t]{0,4}(?::=|=>|==?|:|\|\|=)[ \t]{0,4}(?:b|r|f|u|@)?"
    r"(\\?[\"'`]?)([^\s\"'`\\,;<>(){}\[\]]{6,256})"
)
_XML = re.compile(r"[A-Za-z0-9_.-]{2,40}[\"'][ \t]{1,4}value[ \t]{0,2}=[ \t]{0,2}([\"'])([^\"'\s]{6,256})")
_NOUNS = (b"password", b"passwort", b"passphrase", b"passcode", b"kennwort", b"mot de passe", b"contrase", b"pin ",
          b"api key", b"api-key", b"token", b"secret", b"credentials", b"login")  # fmt: skip
_SENTENCE = re.compile(
    r"(?i:[\w -]{2,16}?)(?:[ \t]{1,2}[^\s.;:!?\"'`]{1,24}){0,5}?[ \t]{0,2}"
    r"(?:[ \t](?i:is|was|are|to|ist|lautet|war|est|es|still|now)(?:[ \t](?i:now|set to|still|jetzt))?:?[ \t]{1,2}"
    r"|[ \t]?[:=][ \t]{1,2})"
    r"([\"'`“„«]?)([^\s\"'`”“»]{4,128})"
)
_PIN = re.compile(r"[0-9]{4,8}")
_PATHLIKE = re.compile(r"(?:\.{0,2}/|[A-Za-z]:\\|https?://|[\w-]+(?:\.[A-Za-z_][\w-]*)+\Z)")
_PLAIN_WORD = re.compile(r"[A-Za-z]+(?:[-_/.][A-Za-z]+)*[.,;:!?)]*\Z")
_HEXISH = re.compile(r"(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{7,12})\Z")
_UNITS = re.compile(r"[0-9][0-9.,]*(?:[A-Za-z%]{0,6}|-[A-Za-z]+)\Z")


def find(lens: Lens) -> Iterator[Finding]:
    """Every rule of this module, in no order."""
    yield from _key_blocks(lens)
    yield from _headers(lens)
    yield from _logins(lens)
    yield from _assignments(lens)
    yield from _sentences(lens)


def _key_blocks(lens: Lens) -> Iterator[Finding]:
    text, reached = lens.text, 0
    for at in lens.hits(lens.raw, b"-----BEGIN "):
        head = _PEM.match(text, at)
        if head is None or at < reached:
            continue
        end = _PEM_END.search(text, head.end(), head.end() + _PEM_MAX)
        body = _PEM_BODY.match(text, head.end(), end.start() if end else head.end() + _PEM_MAX)
        stop = end.end() if end else (body.end() if body else head.end())
        inside = text[head.end() : end.start() if end else stop]
        if sum(c.isalnum() for c in inside) >= _PEM_MIN:
            reached = stop
            yield Finding("private-key", "credentials", at, stop)


def _headers(lens: Lens) -> Iterator[Finding]:
    text = lens.text
    for at in lens.hits(lens.low, b"bearer"):
        match = _BEARER.match(text, at)
        if match and _random(match[1]):
            yield Finding("bearer-token", "credentials", *match.span(1))
    for at in lens.hits(lens.low, b"authorization"):
        place = lens.low.find(b"token ", at, at + 40)
        match = _BEARER.match(text, place) if place >= 0 else None
        if match and _random(match[1]):
            yield Finding("authorization-token", "credentials", *match.span(1))
    for at in lens.hits(lens.low, b"basic "):
        match = _BASIC.match(text, at)
        if match and _is_login(match[1]):
            yield Finding("basic-authorization", "credentials", *match.span(1))
    for at in lens.hits(lens.raw, b"curl "):
        match = _CURL_USER.match(text, at)
        if match:
            yield Finding("curl-user", "credentials", *match.span(2), validated=_random(match[2], 8))


def _logins(lens: Lens) -> Iterator[Finding]:
    for at in lens.hits(lens.raw, b"://"):
        match = _URL_LOGIN.match(lens.text, at)
        if match and match[1] != match[2] and not match[2].isdigit():
            yield Finding("url-password", "credentials", *match.span(2))


def _assignments(lens: Lens) -> Iterator[Finding]:
    text, seen = lens.text, set()
    for name in _NAMES:
        for at in lens.hits(lens.low, name):
            match = _ASSIGN.match(text, at) or _XML.match(text, at)
            if match is None or match.start(2) in seen:
                continue
            value = match[2]
            human = name in (b"passw", b"passphrase", b"pwd")
            if _random(value, 8) or (human and _chosen(value, quoted=bool(match[1]))):
                seen.add(match.start(2))
                yield Finding("secret-assignment", "credentials", *match.span(2), validated=False)


def _sentences(lens: Lens) -> Iterator[Finding]:
    text, seen = lens.text, set()
    for noun in _NOUNS:
        for at in lens.hits(lens.low, noun):
            match = _SENTENCE.match(text, at)
            if match is None or match.start(2) in seen:
                continue
            value = match[2].rstrip(".,;:!?)")
            good = _PIN.fullmatch(value) if noun == b"pin " else _chosen(value, quoted=bool(match[1]))
            if good:
                seen.add(match.start(2))
                start = match.start(2)
                yield Finding("secret-in-sentence", "credentials", start, start + len(value), validated=False)


def _is_login(encoded: str) -> bool:
    try:
        user, colon, password = base64.b64decode(encoded, validate=True).partition(b":")
    except (binascii.Error, ValueError):
        return False
    return bool(colon) and len(password) >= 3 and user.isascii() and (user + password).decode("latin-1").isprintable()


def _random(value: str, shortest: int = 16) -> bool:
    """Whether a value looks drawn at random: letters and digits mixed, many different ones, no path, no call."""
    if len(value) < shortest or _PATHLIKE.match(value) or _UNITS.match(value):
        return False
    digits = sum(c.isdigit() for c in value)
    letters = sum(c.isalpha() for c in value)
    return digits >= 2 and letters >= 2 and len(set(value)) >= min(10, len(value) * 0.6)


def _chosen(value: str, quoted: bool) -> bool:
    """Whether a value looks like a password somebody chose: no plain word, no path, no number with a unit."""
    if len(value) < 6 or _PATHLIKE.match(value) or _UNITS.match(value) or _HEXISH.match(value):
        return False
    if _PLAIN_WORD.match(value):
        return False
    kinds = sum(any(test(c) for c in value) for test in (str.islower, str.isupper, str.isdigit, _symbol))
    return kinds >= 2 and any(c.isalpha() for c in value) and (any(c.isdigit() for c in value) or kinds >= 3)


def _symbol(char: str) -> bool:
    return char in "!@#$%^&*+=?~"
