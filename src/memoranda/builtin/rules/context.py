"""Credentials known by what stands beside them: key blocks, headers, connection strings, assignments, sentences.

Key blocks, authorization headers and passwords inside a URL have a form of their own and count as validated. A value
that merely follows the word *password* does not: in turns it is only marked.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Iterator

from memoranda.builtin.rules.chance import chosen, random
from memoranda.builtin.rules.lens import Lens
from memoranda.model.outcome import Finding

_PEM = re.compile(r"-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY = re.compile(r"[A-Za-z0-9+/=\s\\\"',:>|.-]{0,16384}")
_PEM_MAX = 16_384
_PEM_MIN = 40  # base64 characters: less is a mention, not a key

_AZURE = re.compile(r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])")
_URL_LOGIN = re.compile(r"://([^\s:/?#@\"'`<>\\]{0,128}):([^\s/?#@\"'`<>\\]{3,200})@[A-Za-z0-9\[]")
# Whoever knows the address may post: the path is the secret. Slack, Discord, Teams, Zapier, Google Chat.
_HOOK = re.compile(
    r"://hooks\.slack\.com/(?:services|workflows|triggers)/(T[A-Z0-9]{6,14}/[A-Za-z0-9/]{20,80})"
    r"|://(?:canary\.|ptb\.)?discord(?:app)?\.com/api/webhooks/([0-9]{17,20}/[A-Za-z0-9_-]{60,80})"
    r"|://[a-z0-9-]{1,60}\.webhook\.office\.com/webhookb2/([A-Za-z0-9@-]{36,80}/IncomingWebhook/[A-Za-z0-9/-]{32,140})"
    r"|://hooks\.zapier\.com/hooks/catch/([0-9]{4,12}/[a-z0-9]{5,12})"
    r"|://chat\.googleapis\.com/v1/spaces/([A-Za-z0-9_-]{8,20}/messages\?key=[A-Za-z0-9_&=%-]{39,200})"
)
_MANIFEST = re.compile(r"(?i)kind[\"']?[ \t]{0,4}:[ \t]{0,4}[\"']?secret[\"']?[ \t]{0,4}(?=[\r\n,}]|\Z)")
_MANIFEST_REACH = 4096  # characters before and behind `kind: Secret` in which its data is looked for
_DATA = re.compile(r"(?m)^[ \t]{0,8}[\"']?data[\"']?[ \t]{0,4}:|[\"']data[\"'][ \t]{0,4}:")
_ENTRY = re.compile(
    r"[\"']?[\w.-]{1,80}[\"']?[ \t]{0,4}:[ \t]{0,4}(?:[|>][+-]?[ \t]{0,4}\r?\n[ \t]{1,16})?"
    r"[\"']?([A-Za-z0-9+/]{10,16384}={0,3})(?![A-Za-z0-9+/=:.-])"
)
_BEARER = re.compile(r"(?i:bearer|token)[ \t]{1,4}([A-Za-z0-9._~+/-]{16,2048}={0,2})")
_BASIC = re.compile(r"(?i:basic)[ \t]{1,4}([A-Za-z0-9+/]{8,512}={0,2})(?![A-Za-z0-9+/=])")
_CURL_USER = re.compile(
    r"curl\b[^\n]{0,300}?[ \t](?:-u|--user)[ =]?[ \t]{0,2}[\"']?([^\s:\"'$<{]{1,80}):([^\s\"'$<{]{3,128})"
)

# Words that a secret's name or a sentence about one is built on. Each costs a pass over the text.
_STEMS = (b"pass", b"secret", b"token", b"key", b"pwd", b"credential", b"kennwort", b"contrase", b"pin ")
_HUMAN = (b"pass", b"pwd", b"kennwort", b"contrase")  # somebody chose it, so it need not look random
_KEYS = re.compile(r"(?i)(?:api|access|private|auth|account|encryption|signing|license|secret|shared|service)[ _.-]?\Z")
_BLOCK = 24  # how far before `key` its kind is looked for
# The name may go on behind the stem (`DB_PASSWORD_PROD`), so its rest is part of the pattern.
_ASSIGN = re.compile(
    r"[A-Za-z0-9_.-]{2,40}[\"'`]?\]?[ \t]{0,4}(?::=|=>|==?|:|\|\|=)[ \t]{0,4}(?:b|r|f|u|@)?"
    r"(\\?[\"'`]?)([^\s\"'`\\,;<>(){}\[\]]{6,256})"
)
_XML = re.compile(r"[A-Za-z0-9_.-]{2,40}[\"'][ \t]{1,4}value[ \t]{0,2}=[ \t]{0,2}([\"'])([^\"'\s]{6,256})")
_SENTENCE = re.compile(
    r"(?i:[\w -]{2,16}?)(?:[ \t]{1,2}[^\s.;:!?\"'`]{1,24}){0,5}?[ \t]{0,2}"
    r"(?:[ \t](?i:is|was|are|to|ist|lautet|war|est|es|still|now)(?:[ \t](?i:now|set to|still|jetzt))?:?[ \t]{1,2}"
    r"|[ \t]?[:=][ \t]{1,2})"
    r"([\"'`“„«]?)([^\s\"'`”“»]{4,128})"
)
_PIN = re.compile(r"[0-9]{4,8}")


def find(lens: Lens) -> Iterator[Finding]:
    """Every rule of this module, in no order."""
    yield from _key_blocks(lens)
    yield from _azure(lens)
    yield from _headers(lens)
    yield from _logins(lens)
    yield from _named(lens)
    yield from _manifests(lens)


def _key_blocks(lens: Lens) -> Iterator[Finding]:
    text, reached = lens.text, 0
    for at in lens.hits(lens.raw, b"-----BEGIN "):
        head = _PEM.match(text, at)
        if head is None or at < reached:
            continue
        dashes = text.find("-----", head.end(), head.end() + _PEM_MAX)
        end = _PEM_END.match(text, dashes) if dashes >= 0 else None
        body = _PEM_BODY.match(text, head.end(), dashes if dashes >= 0 else head.end() + _PEM_MAX)
        stop = end.end() if end else (body.end() if body else head.end())
        inside = text[head.end() : end.start() if end else stop]
        if sum(c.isalnum() for c in inside) >= _PEM_MIN:
            reached = stop
            yield Finding("private-key", "credentials", at, stop)


def _azure(lens: Lens) -> Iterator[Finding]:
    """Client secrets of Entra ID: three characters, a digit, `Q~`, and 31 to 34 more."""
    for at in lens.hits(lens.raw, b"~"):
        match = _AZURE.match(lens.text, at - 5) if at >= 5 else None
        if match:
            yield Finding("azure-client-secret", "credentials", *match.span())


def _headers(lens: Lens) -> Iterator[Finding]:
    text = lens.text
    for at in lens.hits(lens.low, b"bearer"):
        match = _BEARER.match(text, at)
        if match and random(match[1]):
            yield Finding("bearer-token", "credentials", *match.span(1))
    for at in lens.hits(lens.low, b"basic "):
        match = _BASIC.match(text, at)
        if match and _is_login(match[1]):
            yield Finding("basic-authorization", "credentials", *match.span(1))
    for at in lens.hits(lens.raw, b"curl "):
        match = _CURL_USER.match(text, at)
        if match:
            yield Finding("curl-user", "credentials", *match.span(2), validated=random(match[2], 8))


def _logins(lens: Lens) -> Iterator[Finding]:
    for at in lens.hits(lens.raw, b"://"):
        match = _URL_LOGIN.match(lens.text, at)
        if match and match[1] != match[2] and not match[2].isdigit():
            yield Finding("url-password", "credentials", *match.span(2))
        elif hook := _HOOK.match(lens.text, at):
            yield Finding("webhook-url", "credentials", *hook.span(hook.lastindex or 0))


def _named(lens: Lens) -> Iterator[Finding]:
    """Values that follow a word like *password*: assigned to it, or in the sentence that it begins."""
    text, seen = lens.text, set()
    for stem in _STEMS:
        human = stem in _HUMAN
        for at in lens.hits(lens.low, stem):
            if stem == b"key" and not _KEYS.search(text, max(0, at - _BLOCK), at):
                continue
            found = _assignment(text, at, human) or _sentence(text, at, human, pin=stem == b"pin ")
            if found is not None and found.start not in seen:
                seen.add(found.start)
                yield found


def _assignment(text: str, at: int, human: bool) -> Finding | None:
    match = _ASSIGN.match(text, at) or _XML.match(text, at)
    if match is None:
        return None
    value = match[2]
    if match.re is _XML and text[max(0, at - 9) : at].lower() == "cleartext" and not value.startswith("%"):
        return Finding("nuget-password", "credentials", *match.span(2))
    if random(value, 8) or (human and chosen(value)):
        return Finding("secret-assignment", "credentials", *match.span(2), validated=False)
    return None


def _sentence(text: str, at: int, human: bool, pin: bool = False) -> Finding | None:
    match = _SENTENCE.match(text, at)
    if match is None:
        return None
    value, start = match[2].rstrip(".,;:!?)"), match.start(2)
    good = _PIN.fullmatch(value) if pin else random(value, 8) or (human and chosen(value))
    return Finding("secret-in-sentence", "credentials", start, start + len(value), validated=False) if good else None


def _manifests(lens: Lens) -> Iterator[Finding]:
    """Values under `data` in a Kubernetes manifest of kind Secret: base64 of whatever it keeps."""
    text, reached = lens.text, 0
    for at in lens.hits(lens.low, b"kind"):
        if at < reached or not _MANIFEST.match(text, at):
            continue
        low, high = max(reached, at - _MANIFEST_REACH), min(len(text), at + _MANIFEST_REACH)
        first = text.rfind("---", low, at)
        last = text.find("\n---", at, high)
        low, high = first if first >= 0 else low, last if last >= 0 else high
        reached = high
        data = _DATA.search(text, low, high)
        for entry in _ENTRY.finditer(text, data.end(), high) if data else ():
            if len(entry[1]) % 4 == 0:
                yield Finding("kubernetes-secret", "credentials", *entry.span(1))


def _is_login(encoded: str) -> bool:
    try:
        user, colon, password = base64.b64decode(encoded, validate=True).partition(b":")
    except (binascii.Error, ValueError):
        return False
    return bool(colon) and len(password) >= 3 and user.isascii() and (user + password).decode("latin-1").isprintable()
