"""Knows our own words again when they come back: in a candidate, and in a turn.

Text that recall handed out returns through the agents that read it. Taken for new, it would be kept again and again,
and what came from outside would come back as an agent's own word. So it is compared, run of words by run of words,
with what was handed out: a candidate that says nothing new *is* the record it repeats, one that takes part of it is
derived from it, and a block of a turn is marked `echo`, kept word for word and not indexed.

A whole session is never held to be tainted: only words that are there count. Who says the same in other words passes;
docs/limits.md says so.
"""

from __future__ import annotations

import hashlib
import html
import re
from datetime import datetime
from typing import Iterable, Sequence

from memoranda.model.record import Authority
from memoranda.model.shingles import RUN, runs, shingles, words
from memoranda.model.turn import Block, Turn
from memoranda.model.values import dataclass, replace
from memoranda.truth.handed import Handout

#: From this share of its runs of words on, a text is an echo of what it was taken from.
ECHO = 0.6
#: From this share on it is derived from it; a record that stands in a text with `ECHO` of its runs counts alike.
PARTLY = 0.3
_SAMPLES = 8  # places of a block that are looked at first: 0.4**8, an echo in 1,500 goes by unseen
_SAMPLE_CHARS = 160
_LEAST_CHARS = 40
_FENCE = re.compile(r"<<<memoranda ([0-9a-f]{24})\n(.*?)\n>>>memoranda \1", re.DOTALL)
_DOCUMENT = '{"format":1,"ok":'
_TELLING = re.compile(
    r"(?i)\d|\b(?:not?|never|none|without|n't|kein\w*|nicht|nie|ohne|pas|jamais|sans|nunca|sin)\b|[不没無未ない]"
)


@dataclass(frozen=True, slots=True)
class Overlap:
    """How much of a text was handed out as one record: `share` of the text's runs, `whole` of the record's.

    `authority` is the record's when it was handed out. `source` is "" for what evidence from outside says.
    """

    source: str
    share: float
    whole: float
    authority: Authority

    @property
    def echo(self) -> bool:
        return self.share >= ECHO

    @property
    def partly(self) -> bool:
        return self.share >= PARTLY or self.whole >= ECHO


def overlaps(text: str, handed: Iterable[Handout]) -> list[Overlap]:
    """The records, and the evidence from outside, that a text shares enough words with, the most alike first."""
    own = shingles(text)
    found = []
    for handout in handed if own else ():
        shared = len(own & handout.hashes) if handout.source or handout.authority.outside else 0
        if shared:
            overlap = Overlap(handout.source, shared / len(own), shared / len(handout.hashes), handout.authority)
            if overlap.partly:
                found.append(overlap)
    return sorted(found, key=lambda overlap: (-overlap.share, overlap.source))


def says_nothing_new(text: str, known: str) -> bool:
    """False when a word of `text` that `known` lacks may change what is said: a number, a negation, or many words."""
    there = set(words(known))
    new = [word for word in words(text) if word not in there]
    return len(new) <= max(2, len(there) // 3) and not any(map(_TELLING.search, new))


class Echoes:
    """What was handed out, ready to be found in turns."""

    def __init__(self, handed: Sequence[Handout]) -> None:
        self._first: dict[int, int] = {}
        for handout in handed:
            for run in handout.hashes:
                self._first[run] = min(handout.at, self._first.get(run, handout.at))
        self._since = min((handout.at for handout in handed), default=0)

    def mark(self, turn: Turn) -> Turn:
        """The turn with `echo` marked on every block that is mostly what was handed out before it was said."""
        if not self._first:
            return turn
        at = _seconds(turn.ts)
        if at and at < self._since:
            return turn
        blocks = tuple(self._marked(block, at) for block in turn.blocks)
        return turn if blocks == turn.blocks else replace(turn, blocks=blocks)

    def _marked(self, block: Block, at: int) -> Block:
        text = block.text
        if len(text) < _LEAST_CHARS or "echo" in block.marks:
            return block
        if _ours(text) or (at and self._sampled(text) and self._share(text, at) >= ECHO):
            return replace(block, marks=(*block.marks, "echo"))
        return block

    def _sampled(self, text: str) -> bool:
        step = max(1, (len(text) - _SAMPLE_CHARS) // _SAMPLES)
        for start in range(0, max(1, len(text) - _SAMPLE_CHARS), step):
            near = words(text[start : start + _SAMPLE_CHARS])
            if any(run in self._first for run in runs(near)):
                return True
        return False

    def _share(self, text: str, at: int) -> float:
        own = shingles(text)
        return sum(1 for run in own if self._first.get(run, at + 1) <= at) / len(own) if own else 0.0


def _ours(text: str) -> bool:
    """True for what our own pages and documents look like. A page's marks hold the hash of what they enclose."""
    if text.lstrip().startswith(_DOCUMENT):
        return True
    if "&lt;&lt;&lt;memoranda " in text:  # as an agent wraps it in tags of its own
        text = html.unescape(text)
    if "<<<memoranda " not in text:
        return False
    inside = 0
    for fence in _FENCE.finditer(text):
        digest = hashlib.sha256(fence[2].encode("utf-8", "backslashreplace")).hexdigest()
        inside += len(fence[0]) if digest.startswith(fence[1]) else 0
    return inside >= ECHO * len(text)


def _seconds(ts: str) -> int:
    try:
        return int(datetime.fromisoformat(ts).timestamp()) if ts else 0
    except ValueError:
        return 0


__all__ = ["ECHO", "PARTLY", "RUN", "Echoes", "Overlap", "overlaps", "says_nothing_new"]
