"""A credential in two writes: a half in the new body, the other in one of the bodies before it.

Each half passed alone. Two words are joined only where they can be the halves of one token: the left one begins it and
holds more than the family's prefix, the right one ends it and is no hash, number or name in its own right. A finding
counts when it is validated by its form and covers both words to their ends.
"""

from __future__ import annotations

import re
from typing import Iterator, Sequence

from memoranda.model.outcome import Finding
from memoranda.model.values import dataclass
from memoranda.ports import Screener
from memoranda.screen.look import SEPARATOR, look
from memoranda.screen.placeholders import PREFIX, is_placeholder

#: Records that are looked back upon, newest first.
RECENT = 8
_WORD = re.compile(r"[A-Za-z0-9_+/.~-]{6,200}={0,2}")
_PART_MIN = 6  # characters of the token on either side of the joint
_DRAWN_MIN = 4  # characters of the left half behind a prefix that notes on tokens may name
_WORDS_MAX = 4
# What stands in notes for itself: hashes by their lengths, public keys, versions and numbers, paths, joined words.
_WHOLE = re.compile(
    r"[0-9a-f]{7,12}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}|"
    r"[0-9a-f]{2,64}(?:-[0-9a-f]{2,64})+|AAAA[A-Z].*|v?[0-9][0-9._/+=~-]*|[./~].*|[A-Z]+|"
    r"[A-Z]?[a-z]{2,}(?:[A-Z][a-z]{2,})*|"
    r"(?:[A-Z]?[a-z]+|[0-9]{1,4})(?:[-_./](?:[A-Z]?[a-z]+|[0-9]{1,4}))*|[\w-]+(?:\.\w{1,5}|/.*)"
)
_KINDS = (str.islower, str.isupper, str.isdigit)


@dataclass(frozen=True, slots=True)
class Half:
    """What a body completes: a finding (its span is that of the half in the body) and the record of the other half."""

    finding: Finding
    record: str


def halves(body: str, recent: Sequence[tuple[str, str]], screeners: Sequence[Screener]) -> Half | None:
    """What a body completes together with one before it, None when nothing. `recent` are ids with their bodies."""
    own = list(_odd(body))
    tried = [
        (left, right, record, place)
        for record, earlier in recent[:RECENT]
        for other, _ in (_odd(earlier) if own else ())
        for word, place in own
        for left, right in ((other, word), (word, other))
        if _begins(left) and len(right) >= _PART_MIN and not _WHOLE.fullmatch(right)
    ]
    if not tried:
        return None
    starts, at = {}, 0
    for number, (left, right, _, _) in enumerate(tried):
        starts[at] = number
        at += len(left) + len(right) + len(SEPARATOR)
    for finding in look(SEPARATOR.join(left + right for left, right, _, _ in tried), screeners):
        number = starts.get(finding.start, -1)
        if number < 0 or finding.layer != "credentials" or not finding.validated or finding.view:
            continue
        left, right, record, (start, end) = tried[number]
        if finding.end - finding.start == len(left) + len(right):
            return Half(Finding(finding.rule, "credentials", start, end, True, "two records"), record)
    return None


def _begins(word: str) -> bool:
    """A first half is a prefix and some signs drawn at random; a prefix alone is what notes on tokens name."""
    prefix = PREFIX.match(word)
    size = prefix.end() if prefix else 0
    tail = word[size:]
    fixed = size > 0 and word[size - 1].isalpha()  # `AKIA`, whose tail may be capitals alone
    drawn = fixed or sum(any(map(kind, tail)) for kind in _KINDS) >= 2
    return len(word) >= _PART_MIN and len(tail) >= _DRAWN_MIN and drawn and not is_placeholder(word)


def _odd(body: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """The first and last words that could be half of something random, at most four, with their places."""
    found = dict[str, tuple[int, int]]()
    for match in _WORD.finditer(body):
        word = match.group().rstrip(".")
        if not (word.isalpha() and (word.islower() or word.istitle())):
            found.setdefault(word, (match.start(), match.start() + len(word)))
    words = list(found.items())
    yield from words if len(words) <= _WORDS_MAX else words[:2] + words[-2:]
