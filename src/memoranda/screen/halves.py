"""A credential in two writes: the words of a candidate set against those of the records before it.

Each half passed alone. Random-looking words of both are joined in either order, and a finding counts only where it
reaches over the joint and has a token's own form.
"""

from __future__ import annotations

import re
from typing import Iterator, Sequence

from memoranda.model.outcome import Finding
from memoranda.ports import Screener
from memoranda.screen.look import SEPARATOR, look

#: Records that are looked back upon, newest first.
RECENT = 8
_WORD = re.compile(r"[A-Za-z0-9_+/=.~-]{6,200}")
_HALF_MIN = 8  # a first half is more than a prefix, which notes on tokens may name
_PART_MIN = 6  # characters of the token on either side of the joint
_WORDS_MAX = 4


def halves(body: str, recent: Sequence[str], screeners: Sequence[Screener]) -> Finding | None:
    """The finding that a body completes together with one of the bodies before it, None when there is none."""
    own = list(_words(body))
    joints: list[tuple[int, int]] = []
    texts: list[str] = []
    at = 0
    for earlier in recent[:RECENT] if own else ():
        for other in _words(earlier):
            for word in own:
                for left, right in ((other, word), (word, other)):
                    if len(left) >= _HALF_MIN:
                        texts.append(left + right)
                        joints.append((at, at + len(left)))
                        at += len(left) + len(right) + len(SEPARATOR)
    if not texts:
        return None
    for finding in look(SEPARATOR.join(texts), screeners):
        whole = finding.layer == "credentials" and finding.validated and not finding.view
        if whole and any(start <= finding.start and _inside(finding, joint) for start, joint in joints):
            return Finding(finding.rule, "credentials", 0, 0, True, "two records")
    return None


def _inside(finding: Finding, joint: int) -> bool:
    """A letter at a word's end is no half of anything."""
    return finding.start + _PART_MIN <= joint <= finding.end - _PART_MIN


def _words(body: str) -> Iterator[str]:
    """The first and last words that could be half of something random, at most four."""
    found = [word for word in _WORD.findall(body) if not (word.isalpha() and (word.islower() or word.istitle()))]
    yield from dict.fromkeys(word.rstrip(".") for word in (*found[:2], *found[-2:])[:_WORDS_MAX])
