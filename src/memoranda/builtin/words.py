"""Turns text of any script, and code, into words: for indexing and for asking, the same way both times.

What it promises: an exact phrase in any script is found by words alone. How:

- A script that writes spaces is cut at them. NFKC first; accents and points are dropped, so `café` is `cafe`.
- A script without spaces (Han, Kana, Hangul, Thai, Lao, Khmer, Burmese) becomes overlapping pairs of characters, and
  single ones beside them, so that a question of one character still finds.
- Code is cut at punctuation, so `snake_case` and paths give their parts; `identifiers()` adds the parts of `camelCase`,
  in what is kept and in what is asked, so `get_user_name`, `get-user-name` and `getUserName` find each other.

It knows nothing of any index. Lower case and stemming are the index's own, since they run natively there.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from memoranda.model.naming import MARKS, WORD, named
from memoranda.model.naming import compiled as _compiled

__all__ = ["MARKS", "STOP", "fold", "grams", "identifiers", "named", "plain", "whole"]

#: Letters beyond ASCII: only text that holds one needs folding (typographic quotes, dashes and symbols do not).
_FOREIGN = "[\u00aa-\u1fff\u2c00-\u2dff\u2e80-\U0003ffff]"
#: Scripts written without spaces between words. Hangul has spaces, but particles cling to its words.
_UNSPACED = (
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3131-\u318e\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_WORD = _compiled(WORD)

#: English words that ask rather than name. Dropped from questions, never from what is kept.
_ASKING = (
    "a about am an and any are as at be been being but by can could did do does doing for from had has have "
    "having he her hers him his how i if in into is it its just me my no not of on or our ours she should so some "
    "than that the their them then there these they this those to was we were what when where which who whom "
    "whose why will with would you your yours"
)
STOP = frozenset(_ASKING.split())


def fold(text: str) -> str:
    """Text ready to be cut at whatever is neither letter nor digit; ASCII passes through untouched."""
    if text.isascii() or not _compiled(_FOREIGN).search(text):
        return text
    bare = unicodedata.normalize("NFC", _compiled(MARKS).sub("", unicodedata.normalize("NFKD", whole(text))))
    return _compiled(_UNSPACED).sub(_pairs, bare)


def whole(text: str) -> str:
    """Text that can be written as UTF-8: a lone surrogate, which JSON can carry, becomes a question mark."""
    return text.encode("utf-8", "replace").decode() if not text.isascii() else text


def _pairs(match: re.Match[str]) -> str:
    run = match.group()
    pairs = [run[i : i + 2] for i in range(len(run) - 1)]
    return f" {' '.join((*run, *pairs))} "


def identifiers(text: str) -> str:
    """The parts of the camelCase names in a text, joined by spaces; "" for plain prose.

    Looks for humps in the text's shape (a: lower case or digit, A: upper case), which runs at the speed of C.
    """
    ascii = text if text.isascii() else text.encode("ascii", "replace").decode("ascii")
    shape = ascii.translate(_SHAPE)
    found: dict[str, None] = {}
    for hump in ("aA", "AAa"):
        at = shape.find(hump)
        while at >= 0:
            start, end = shape.rfind(" ", 0, at) + 1, shape.find(" ", at)
            end = end if end >= 0 else len(shape)
            found[ascii[start:end]] = None
            at = shape.find(hump, end)
    return " ".join(map(_humps, found)) if found else ""


_SHAPE = "".join("A" if c.isupper() else "a" if c.isalnum() else " " for c in map(chr, range(128)))


@lru_cache(50_000)
def _humps(name: str) -> str:
    return " ".join(_CAMEL.findall(name))


def question(text: str) -> tuple[str, str]:
    """What to look for: (words, names). Both are cut like indexed text; stop words are gone unless nothing is left.

    Names are the parts of camelCase, and every plain word, since it may be part of one.
    A run without spaces of two characters or more is asked by its pairs alone: single characters say too little.
    """
    folded = fold(text)
    kept = [word for word in _WORD.findall(folded) if word.lower() not in STOP]
    words = kept or _WORD.findall(folded)
    if not folded.isascii() and any(len(word) == 2 and _compiled(_UNSPACED).fullmatch(word) for word in words):
        words = [word for word in words if len(word) != 1 or not _compiled(_UNSPACED).fullmatch(word)]
    names = [*identifiers(text).split(), *(word for word in words if word.isascii())]
    return " ".join(words), " ".join(names)


def plain(text: str) -> list[str]:
    """Words in lower case without stemming: for backends that have no native analyzer."""
    return [word.lower() for word in _WORD.findall(fold(text))]


def grams(text: str, longest: int = 4) -> tuple[str, ...]:
    """Every run of one to `longest` words of a question as a name could be written, without repeats."""
    words = named(text).split()[:64]
    runs = (" ".join(words[i : i + n]) for n in range(1, longest + 1) for i in range(len(words) - n + 1))
    return tuple(dict.fromkeys(runs))
