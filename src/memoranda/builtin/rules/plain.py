"""Passwords in plain words: `hunter2`, *correct horse battery staple*, *the login is admin / Winter2024*.

Such a value has no form of its own, so the sentence must have one: a noun for a password that ends there (not
`password_hash`, not *password policy*), a sign or verb that gives it a value, and a value that is none of the words in
which people talk about passwords. Nothing here counts as validated: a record is refused, a turn is only marked.
"""

from __future__ import annotations

import re
from typing import Iterator

from memoranda.builtin.rules.chance import chosen, random
from memoranda.builtin.rules.lens import Lens
from memoranda.builtin.rules.talk import ABOUT, FAVOURITES, SMALL, TALK, TECHNICAL
from memoranda.model.outcome import Finding

#: Where a noun below begins, in `Lens.low`. Each costs a pass over the text.
_STEMS = (b"pass", b"pwd", b"pw", b"kennwort", b"contrase", b"mdp", b"clave", b"senha", b"wachtwoord")
_LOGINS = (b"login", b"cred", b"zugang", b"anmelde", b"identifiant", b"acceso")
_NOUN = re.compile(
    r"(?i)(?:pass(?:word|wort|phrase|code|wd|key)|kennwort|contrase[ñn]a|wachtwoord|(?:pg)?pwd|"
    r"(?<![a-z])(?:pass|pw|mdp|clave|senha)|(?<=mot de )passe|(?<=phrase de )passe)(?![a-z0-9_.\-/\\(])"
)
_GIVES = re.compile(
    r"[\"'`]?\]?[ \t]{0,4}(?::=|=>|==?|:)[ \t]{0,4}|"
    r"(?:[ \t]{1,2}(?!(?:is|was|are|ist|war|lautet|est|es|é)\b)[^\W\d_]{1,20}){0,6}?[ \t]{1,2}"
    r"(?i:(?:(?:is|was|been) )?(?:now )?(?:changed|reset|updated|rotated|set|switched) (?:back )?to|wurde auf|"
    r"is|was|are|ist|war|lautet|heißt|est|es|é|était|era)"
    r"(?:[ \t](?i:now|set to|still|jetzt|nun|maintenant|ahora|just))?[ \t]?:?[ \t]{1,2}"
)
_CHANGED = re.compile(r"(?i)[ \t](?:to|auf)[ \t:]*\Z")
_KNOWN = re.compile(r"(?i)pass(?!e\Z)|pwd|kennwort|contrase")  # `context` finds what is chosen or random behind these
_BESIDE = re.compile(r"[ \t]{1,2}")
_VALUE = re.compile(r"([\"'`“„«])[ \u00a0]?([^\"'`“”»\n]{4,80}?)[ \u00a0]?[\"'`“”»]|([^\s\"'`“”„«»<>{}()\[\]]{4,128})")
_PHRASE = re.compile(r"[^\W\d_]{3,16}(?: [^\W\d_]{3,16}){2,9}(?=[.,;!)\"'`]*(?:\s*\Z|[ \t]*\n|[.!] ))")
_JOINED = re.compile(r"[^\W\d_]{3,24}([-_.+])[^\W\d_]{3,24}(?:\1[^\W\d_]{3,24}){1,8}(?:\1?[0-9!?#]{1,4})?")
_WORD = re.compile(r"[^\W\d_]+")
_LOGIN = re.compile(
    r"(?i)(?<![a-z])(?:log-?ins?|credentials?|creds?|zugang(?:sdaten)?|(?:anmelde|login)daten|identifiants?|"
    r"credenciales|acceso)(?![a-z0-9_.\-/\\(])"
    r"(?:[ \t](?!(?:is|are|ist|sind|lauten|est|sont|es|son)\b)[^\W\d_]{1,20}){0,6}?"
    r"([ \t]{1,2}(?:is|are|ist|sind|lauten?|est|sont|es|son)|[ \t]{0,2}[:=]|)(?:[ \t](?:with|mit|avec|con))?[ \t]{1,2}"
    r"[\"'`]?([^\s\"'`/:,;<>{}()\[\]$]{2,60})[\"'`]?"
    r"(?:[ \t]{0,2}[/|,;+][ \t]{0,2}|:(?![ \t])|[ \t](and|with|und|mit|et|avec|y|con)[ \t])"
    r"(?:(?:the|das|dem|le|la)[ \t])?"
    r"(?:(?:pass(?:word|wort|wd|code)?|pwd|pw|kennwort|contraseña|mot de passe|mdp|clave)[ \t]{0,2}[:=]?[ \t]{0,2})?"
    r"[\"'`]?([^\s\"'`<>{}()\[\]]{6,64})"
)
_LEADS = re.compile(
    r"(?i)(?:\b(?:use|using|with|try|enter|type|via|mit|dem|das|avec|con|per|by|and|und|et|y|le|la|the|default|admin|root)"
    r"[ \t]{1,2}|[,;/(][ \t]{0,2})(?:mot de )?\Z"
)
_UPPER = re.compile(r"[A-Z][A-Z0-9_]*\Z")

_LEAST = 6


def find(lens: Lens) -> Iterator[Finding]:
    """Plain passwords behind a noun for one, and behind a login's name. Nothing twice."""
    seen: set[int] = set()
    for found in (*_behind_nouns(lens), *_pairs(lens)):
        if found.start not in seen:
            seen.add(found.start)
            yield found


def _behind_nouns(lens: Lens) -> Iterator[Finding]:
    text = lens.text
    for stem in _STEMS:
        for at in lens.hits(lens.low, stem):
            noun = _NOUN.match(text, at)
            if noun is None:
                continue
            gives = _GIVES.match(text, noun.end())
            if gives is not None:
                span = _given(text, gives, noun)
            else:
                span = _beside(text, noun)
            if span is not None:
                yield Finding("plain-password", "credentials", *span, validated=False)


def _given(text: str, gives: re.Match[str], noun: re.Match[str]) -> tuple[int, int] | None:
    """The value that a sign or a verb gives, if it can only be a password."""
    sign = gives.group()
    if any(word.lower() in ABOUT for word in _WORD.findall(sign)):
        return None  # *the password field is …* speaks of something else
    value = _VALUE.match(text, gives.end())
    if value is None:
        return None
    quoted = value[1] is not None
    words = value[2] if quoted else _bare_words(text, value.start())
    start = value.start(2) if quoted else value.start()
    if words and _phrase(words, 3 if quoted or "phrase" in noun.group().lower() else 4):
        return start, start + len(words)
    single = (value[2] if quoted else value[3]).rstrip(".,;:!?")
    alone = quoted or (sign == "=" and bool(_UPPER.match(noun.group())))  # `DB_PASSWORD=` and *is "…"*
    other = not _KNOWN.match(noun.group()) or _CHANGED.search(sign)
    if _single(single) or (alone and _any_word(single)) or (other and _drawn(single)):
        return start, start + len(single)
    return None


def _beside(text: str, noun: re.Match[str]) -> tuple[int, int] | None:
    """*with password Winter2024*: without a verb the value must hold capitals or signs as well as digits."""
    gap = _BESIDE.match(text, noun.end())
    value = _VALUE.match(text, gap.end()) if gap else None
    if value is None or not _LEADS.search(text, max(0, noun.start() - 20), noun.start()):
        return None
    single = (value[2] or value[3]).rstrip(".,;:!?)")
    start = value.start(2) if value[1] else value.start(3)
    mixed = any(char.isdigit() for char in single) and any(char.isupper() or char in "!@#$%&*?" for char in single)
    return (start, start + len(single)) if mixed and _drawn(single) else None


def _pairs(lens: Lens) -> Iterator[Finding]:
    """*the login is admin / Winter2024*."""
    for stem in _LOGINS:
        for at in lens.hits(lens.low, stem):
            match = _LOGIN.match(lens.text, at)
            if match is None or match[2].lower() in SMALL or (match[3] and not match[1]):
                continue
            value = match[4].rstrip(".,;:!?)")
            if _drawn(value) or value.lower() in FAVOURITES:
                start = match.start(4)
                yield Finding("login-pair", "credentials", start, start + len(value), validated=False)


def _bare_words(text: str, at: int) -> str:
    """The run of bare words from here to the end of the sentence or line, "" where something else follows."""
    match = _PHRASE.match(text, at)
    return match.group() if match else ""


def _phrase(words: str, least: int) -> bool:
    """Words without the small ones that a sentence needs, and hardly any that is said of passwords."""
    parts = _WORD.findall(words)
    return len(parts) >= least and " ".join(parts) == words and _unsaid(parts)


def _unsaid(parts: list[str]) -> bool:
    low = [part.lower() for part in parts]
    return not any(part in SMALL for part in low) and 4 * sum(part in TALK for part in low) <= len(low)


def _single(value: str) -> bool:
    """One word, or words joined, that is a password and nothing said about one."""
    if value.lower().rstrip("0123456789!") in FAVOURITES:
        return True
    joined = _JOINED.fullmatch(value)
    return (
        joined is not None and len(parts := _WORD.findall(value)) >= (3 if joined[1] == "-" else 4) and _unsaid(parts)
    )


def _any_word(value: str) -> bool:
    return len(value) >= _LEAST and value.isalpha() and value[1:].islower() and value.lower() not in TALK


def _drawn(value: str) -> bool:
    """Chosen or random, and not the name of an algorithm, a version, a region or a file."""
    return len(value) >= _LEAST and not TECHNICAL.match(value) and (random(value, 8) or chosen(value))
