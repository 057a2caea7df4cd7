"""Whether a value looks drawn at random: a filter behind the rules, never a rule of its own."""

from __future__ import annotations

import re

# The 260 commonest letter pairs in the words of the Python standard library (`first letter` + its followers): 96 % of
# the pairs in such words, 38 % of the pairs in letters drawn at random.
_FOLLOWERS = (
    "abcdgiklmnprstuvxy baceijlorsuy cacehiklortu dadeilorsu eacdefgilmnopqrstvwxy faefilortu gaehilnrsu haeiort "
    "iabcdefglmnoprstvxz je keis ladefilostuy mabeimopsu nacdefgiklnostuvy oabcdfgiklmnoprstuvw paeiloprstuy qu "
    "racdefgiklmnorstuy sacehilopstuy tacdefhiloprstuwy uabcdefgilmnprst vaei waehinor xceipt ypst ze"
)
_PAIRS = frozenset(group[0] + follower for group in _FOLLOWERS.split(" ") for follower in group[1:])
_PATHLIKE = re.compile(r"(?:\.{0,2}/|[A-Za-z]:\\|https?://|[\w-]+(?:\.[A-Za-z_][\w-]*)+\Z|ENC\[)")
_UNITS = re.compile(r"[0-9][0-9.,]*(?:[A-Za-z%]{0,6}|-[A-Za-z]+)\Z")
_LONG_NUMBER = re.compile(r"[0-9]{28,64}\Z")
_PLAIN_WORD = re.compile(r"[A-Za-z]+(?:[-_/.][A-Za-z]+)*[.,;:!?)]*\Z")
_HEXISH = re.compile(r"(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{7,12})\Z")
_CODE = re.compile(r"(?:[&*$!#]{0,2}|<)[A-Za-z_][\w.]*(?:[({\[/].*|=.*)\Z|.*[(){}<>]|\$\{", re.S)


def random(value: str, shortest: int = 16) -> bool:
    """Whether a value looks drawn at random: letters and digits mixed, many different ones, no path, no call."""
    if len(value) < shortest or _PATHLIKE.match(value):
        return False
    if _LONG_NUMBER.match(value):
        return len(set(value)) >= 6
    if _UNITS.match(value):
        return False
    digits = sum(c.isdigit() for c in value)
    letters = sum(c.isalpha() for c in value)
    if letters < 2 or len(set(value)) < min(10, len(value) * 0.6):
        return False
    return digits >= 2 or (len(value) >= 16 and value.isalnum() and wordless(value))


def wordless(value: str) -> bool:
    """Whether both cases are mixed in pairs of letters that words seldom hold: `xKqzPwBtRm`, not `readTheFile`."""
    return value not in (value.lower(), value.upper()) and strange(value)


def strange(value: str) -> bool:
    """Whether a dozen pairs of letters or more are pairs that words seldom hold, in any case."""
    low = value.lower()
    pairs = [low[n : n + 2] for n in range(len(low) - 1) if low[n].isalpha() and low[n + 1].isalpha()]
    return len(pairs) >= 12 and sum(pair in _PAIRS for pair in pairs) < 0.6 * len(pairs)


def chosen(value: str) -> bool:
    """Whether a value looks like a password somebody chose: no plain word, no path, no number with a unit."""
    if len(value) < 6 or _PATHLIKE.match(value) or _UNITS.match(value) or _HEXISH.match(value):
        return False
    if _PLAIN_WORD.match(value) or _CODE.match(value):
        return False
    kinds = sum(any(test(c) for c in value) for test in (str.islower, str.isupper, str.isdigit, _symbol))
    return kinds >= 2 and any(c.isalpha() for c in value) and (any(c.isdigit() for c in value) or kinds >= 3)


def _symbol(char: str) -> bool:
    return char in "!@#$%^&*?~"
