"""Names of things: when two spellings are one, and which stand in a text. Pure, the same at every door."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Iterator

#: Marks that are dropped: Latin, Greek and Cyrillic accents, Hebrew points, Arabic vowel signs and tatweel, the
#: viramas and nuktas of India, Thai tone marks, zero-width characters.
MARKS = (
    "[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"
    "\u093c\u094d\u09bc\u09cd\u0a3c\u0a4d\u0abc\u0acd\u0b3c\u0b4d\u0bcd\u0c4d\u0cbc\u0ccd\u0d4d\u0dca\u0e47-\u0e4e"
    "\u200b-\u200f\u2060\ufe00-\ufe0f\ufeff]+"
)
#: Letters and digits; the vowel signs of South and South-East Asia belong to their words.
WORD = "(?:[^\\W_]|[\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece\u0f71-\u0f84\u102b-\u103e])+"
#: Compiled when first met: most processes only ever see ASCII, and these take a while.
compiled = cache(re.compile)

#: Names a text is taken to hold at most: a record is one statement, and a pasted list is none of it.
MOST_NAMES = 24
_MOST_CHARACTERS = 60
_TICKED = r"`([^`\n]{2,60})`"
#: A path or address; a name with an at sign before or a slash within; words joined by dots, underscores or humps.
_CODE = (
    r"(?<![\w./@-])(?:https?://)?@?[A-Za-z_~.][\w.~-]*(?:/[\w.@~+-]+)+"
    r"|\b[A-Za-z][\w]*(?:\.[A-Za-z_]\w+)+\b"
    r"|\b\w*[^\W_]_[^\W_]\w*\b"
    r"|\b[a-z]+[A-Z]\w*\b|\b(?:[A-Z][a-z0-9]+){2,}\b"
)
#: A run of words with a capital within a sentence: what stands before is a small letter, a comma or a closing word.
_PROPER = r"(?<=[\w,;:] )(?:[A-Z][\w’'-]*[^\W\d_][\w’'-]*)(?: [A-Z][\w’'-]*[^\W\d_][\w’'-]*){0,3}"
#: Small words of which German uses two in nearly every sentence, and English none.
_OF_GERMAN = "der das und ist nicht ein eine mit auf für von den dem im zu wird werden sich"
_GERMAN = frozenset(_OF_GERMAN.split())
#: A text with more of its words in capitals is a heading.
_HEADING = 0.6
_DAYS = (
    "january february march april may june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays i ok"
)
_CALENDAR = frozenset(_DAYS.split()) | {"i m", "i ll", "i ve", "and or"}


def named(text: str) -> str:
    """A name as names are compared: folded, lower case, one space between words."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", compiled(MARKS).sub("", unicodedata.normalize("NFKD", text)))
    return " ".join(compiled(WORD).findall(text.casefold()))


def names_in(text: str) -> tuple[str, ...]:
    """The names that stand in a text, as they are written there, each once, at most `MOST_NAMES`.

    Told by their form alone: what stands between backticks, paths and addresses, identifiers, and words with a capital
    within a sentence (not in German, which gives every noun one, nor in a heading). No list of names, no model.
    """
    found: dict[str, str] = {}
    for name in _candidates(text):
        name = name.strip(".,;:'’-/")
        key = named(name)
        if key and len(name) <= _MOST_CHARACTERS and not key.replace(" ", "").isdigit() and key not in _CALENDAR:
            found.setdefault(key, name)
        if len(found) == MOST_NAMES:
            break
    return tuple(found.values())


def _candidates(text: str) -> Iterator[str]:
    yield from compiled(_TICKED).findall(text)
    yield from compiled(_CODE).findall(text)
    words = text.split()
    german = sum(word in _GERMAN for word in words) > 1
    if not german and sum(word[:1].isupper() for word in words) <= _HEADING * len(words):
        yield from compiled(_PROPER).findall(text)
