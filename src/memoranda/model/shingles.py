"""What two texts have in common, told by hashed runs of five words: no text is kept, and order counts.

Words are compared as people read them: case, punctuation, invisible characters and compatibility forms do not matter.
Scripts without spaces count by characters. A text of fewer than five words has no run and is like nothing.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from zlib import crc32

#: Words in a run. Five is the usual choice for near-copies (Broder 1997 and since): shorter runs meet by chance.
RUN = 5
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7a3"
_ascii_words = re.compile(r"[^\W_]+", re.ASCII).findall
_INVISIBLE = ("[\u00ad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
                        "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]")  # fmt: skip


def words(text: str) -> list[str]:
    """The words of a text as they are compared."""
    if text.isascii():
        return _ascii_words(text.casefold())
    invisible, word = _any_script()
    return word.findall(unicodedata.normalize("NFKC", invisible.sub("", text)).casefold())


@cache
def _any_script() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What cannot be seen, and a word of any script: 7 ms to compile, which English does not need."""
    return re.compile(_INVISIBLE), re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")


def shingles(text: str) -> frozenset[int]:
    """The 32-bit hashes of every run of five words; empty for fewer words."""
    return runs(words(text))


def runs(found: list[str]) -> frozenset[int]:
    """As `shingles`, of words that are split already."""
    return frozenset(
        crc32(" ".join(found[at : at + RUN]).encode("utf-8", "surrogatepass")) for at in range(len(found) - RUN + 1)
    )
