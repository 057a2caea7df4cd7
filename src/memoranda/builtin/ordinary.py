"""Texts in which no engine of credential patterns can find anything: a few ordinary words and numbers.

Loading the rules of such an engine costs half a second, many times what it then takes to look. So a text is not put to
it when nothing in it has a form that a credential has, whichever way it is read: backwards, rotated, without spaces,
decoded. Every word must be a word, as prose writes it, or a short name of code; whatever is not, and every text that
speaks of access, is looked at. Our own rules look at everything.
"""

from __future__ import annotations

import re

MOST_CHARACTERS = 2_000
#: A word of prose, hyphenated or not; an abbreviation; a short number or version; a short name or path of code. None
#: of them has 25 characters in a row, a letter case that alternates, or more than four digits.
_WORD = (
    r"[A-ZÀ-Þ]?[a-zß-öø-ÿ]{0,20}(?:['’-][A-Z]?[a-zß-öø-ÿ]{1,15}){0,3}"
    r"|[A-Z]{2,6}s?"
    r"|v?[0-9]{1,4}(?:[.,][0-9]{1,2})?(?:%|th|st|nd|rd|[a-z]{1,2})?"
    r"|[a-z]{2,12}(?:[_./][a-z]{2,12}){1,2}(?:\(\))?"
)
_ORDINARY = re.compile(rf"[(\"'“‘`]*(?:{_WORD})[`)\"'”’.,;:!?…]*|[-–—+&/]")
_ABBREVIATION = re.compile(r"[A-Z]{2,6}s?")
#: What texts that hold a credential speak of, in the languages whose passwords are looked for.
_ACCESS = re.compile(
    r"pass|pwd|pw\b|pin\b|secret|token|key|auth|cred|login|log-in|bearer|access|account|user|admin|sign|seed|mnemonic|phrase"
    r"|wort|schlüssel|geheim|kenn|zugang|clave|contrase|secreto|usuario|mot de|mots de|senha|chave|parola|chiave",
    re.IGNORECASE,
)


def ordinary(text: str) -> bool:
    """Whether a text is so plain that no pattern of a credential fits it in any reading."""
    if len(text) > MOST_CHARACTERS or _ACCESS.search(text):
        return False
    before = ""
    numbers = abbreviations = 0
    for word in text.split():
        if not _ORDINARY.fullmatch(word):
            return False
        kind = "number" if any(c.isdigit() for c in word) else ""
        if _ABBREVIATION.fullmatch(word.strip("`()\"'.,;:!?")):
            kind = "abbreviation"
        if kind and kind == before:
            return False  # groups of digits or of capitals side by side may be one thing cut in parts
        numbers += kind == "number"
        abbreviations += kind == "abbreviation"
        before = kind
    return numbers <= 4 and abbreviations <= 4 and not _grouped(text)


def _grouped(text: str) -> bool:
    """Four or more words of one length in a row: how codes are written out."""
    lengths = [len(word.strip("`()\"'.,;:!?")) for word in text.split()]
    return any(len(set(lengths[at : at + 4])) == 1 for at in range(len(lengths) - 3))
