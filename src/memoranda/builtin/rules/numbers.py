"""Numbers that check themselves: payment cards, IBAN, United States social security numbers; phone and e-mail by form.

Candidates come from the text's shape (`0000`, `AA00`, `000-00-0000`, `@`); check digits decide. Sources: ISO/IEC 7812
(cards, Luhn), ISO 13616 (IBAN, modulus 97 and national lengths), the SSA's rules on unassigned numbers.
"""

from __future__ import annotations

import re
from typing import Iterator

from memoranda.builtin.rules.checks import luhn
from memoranda.builtin.rules.lens import Lens
from memoranda.model.outcome import Finding

_CARD = re.compile(r"[0-9]{4}(?:[0-9]{8,15}|([ -])[0-9]{4}\1[0-9]{4}\1[0-9]{4}|([ -])[0-9]{6}\2[0-9]{5})(?![0-9])")
_CARD_WORDS = re.compile(
    r"(?i)\b(?:card|visa|master ?card|amex|credit|debit|pan|cc|karte|kreditkarte|carte|tarjeta|cvv|cvc)\b"
)
_IBAN = re.compile(r"[A-Z]{2}[0-9]{2}(?:[A-Z0-9]{11,30}|(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?)(?![A-Za-z0-9])")
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28,
    "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18,
    "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22,
    "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LI": 21, "LT": 20, "LU": 20,
    "LV": 21, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24,
    "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SE": 24, "SI": 19, "SK": 24, "SM": 27,
    "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}  # fmt: skip
_SSN = re.compile(r"([0-9]{3})-([0-9]{2})-([0-9]{4})(?![0-9-])")
_PHONE = re.compile(r"\+[1-9][0-9]{0,2}(?:[ .-]?\(?[0-9]{1,5}\)?){2,5}(?![0-9])")
_PHONE_US = re.compile(r"\(?[2-9][0-9]{2}\)?[ .-]{1,2}[2-9][0-9]{2}[.-][0-9]{4}(?![0-9-])")
_MAIL_HOST = re.compile(r"@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,4}\.[A-Za-z]{2,24}(?![A-Za-z0-9@/])")
_MAIL_USER = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._%+-")
_NOT_PERSONS = frozenset({"git", "noreply", "no-reply", "root", "admin", "info", "support", "hello", "user", "test"})


def find(lens: Lens) -> Iterator[Finding]:
    """Every rule of this module, in no order."""
    yield from _cards(lens)
    yield from _ibans(lens)
    yield from _ssns(lens)
    yield from _phones(lens)
    yield from _mails(lens)


def _clear_before(text: str, at: int, barred: str) -> bool:
    return at == 0 or not (text[at - 1].isalnum() or text[at - 1] in barred)


def _cards(lens: Lens) -> Iterator[Finding]:
    text, reached = lens.text, 0
    for at in lens.hits(lens.shape, b"0000"):
        if at < reached or not _clear_before(text, at, "._-/=+$#"):
            continue
        match = _CARD.match(text, at)
        if match is None:
            continue
        reached = match.end()
        digits = match.group().replace(" ", "").replace("-", "")
        if not luhn(digits):
            continue
        after = text[match.end() : match.end() + 1]
        if after and (after.isalpha() or after in "_-/"):
            continue
        near = text[max(0, at - 40) : at] + " " + text[match.end() : match.end() + 20]
        named = bool(_CARD_WORDS.search(near))
        if not (named or _issued(digits)):
            continue
        sure = _issued(digits) and (named or bool(match[1] or match[2]))
        yield Finding("payment-card", "credentials", at, match.end(), validated=sure)


def _issued(digits: str) -> bool:
    """Whether first digits and length are those of a card network."""
    size, two, four = len(digits), int(digits[:2]), int(digits[:4])
    if digits[0] == "4":
        return size in (13, 16, 19)
    if 51 <= two <= 55 or 2221 <= four <= 2720:
        return size == 16
    if two in (34, 37):
        return size == 15
    if two in (36, 38, 39) or 3000 <= four <= 3059:
        return size in (14, 16)
    return (four == 6011 or two in (65, 62) or 644 <= int(digits[:3]) <= 649 or 3528 <= four <= 3589) and size == 16


def _ibans(lens: Lens) -> Iterator[Finding]:
    for at in lens.hits(lens.shape, b"AA00"):
        match = _IBAN.match(lens.text, at) if _clear_before(lens.text, at, "_-/") else None
        if match is None:
            continue
        length = _IBAN_LENGTHS.get(match.group()[:2])
        spaced = match.group()
        while length and len(compact := spaced.replace(" ", "")) > length and " " in spaced:
            spaced = spaced.rpartition(" ")[0]  # the words after an IBAN can look like more of it
        compact = spaced.replace(" ", "")
        if length == len(compact) and _mod97(compact):
            yield Finding("iban", "personal", at, at + len(spaced), validated=False)


def _mod97(compact: str) -> bool:
    return int("".join(str(int(c, 36)) for c in compact[4:] + compact[:4])) % 97 == 1


def _ssns(lens: Lens) -> Iterator[Finding]:
    for at in lens.hits(lens.shape, b"000-00-0000"):
        match = _SSN.match(lens.text, at) if _clear_before(lens.text, at, ".-_/") else None
        if match and match[1] not in ("000", "666") and match[1] < "900" and match[2] != "00" and match[3] != "0000":
            yield Finding("us-ssn", "personal", at, match.end(), validated=False)


def _phones(lens: Lens) -> Iterator[Finding]:
    text, reached = lens.text, 0
    for at in lens.hits(lens.shape, b"+0"):
        if at < reached or not _clear_before(text, at, "+-=/\\_.)"):
            continue
        match = _PHONE.match(text, at)
        if match and 9 <= sum(c.isdigit() for c in match.group()) <= 15:
            reached = match.end()
            yield Finding("phone", "personal", at, reached, validated=False)
    for shape in (b"000-000-0000", b"000) 000-0000"):
        for at in lens.hits(lens.shape, shape):
            start = at - 1 if at and text[at - 1] == "(" else at
            match = _PHONE_US.match(text, start) if _clear_before(text, start, "+-._/") else None
            if match and "555-01" not in match.group():
                yield Finding("phone", "personal", start, match.end(), validated=False)


def _mails(lens: Lens) -> Iterator[Finding]:
    text = lens.text
    for at in lens.hits(lens.raw, b"@"):
        host = _MAIL_HOST.match(text, at)
        if host is None:
            continue
        start = at
        while start and at - start < 64 and text[start - 1] in _MAIL_USER:
            start -= 1
        user, domain = text[start:at].lower(), host.group()[1:].lower()
        if not user or user in _NOT_PERSONS or domain.startswith("example.") or domain.endswith((".example", ".test")):
            continue
        if domain.rpartition(".")[2].isdigit() or "noreply" in user or "noreply" in domain:
            continue
        yield Finding("e-mail", "personal", start, host.end(), validated=False)
