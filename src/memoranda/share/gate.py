"""The last look before something leaves: whole turns and records, every screener, and no benefit of the doubt.

It fails closed. A screener that is missing, crashes, or answers what cannot be true stops everything. So does one that
lies: with every text it is shown, each of those that we bring is handed a credential that was drawn for that moment,
behind the last word, and has to find it.
"""

from __future__ import annotations

import random
import string
import zlib
from bisect import bisect_right
from typing import Sequence

from memoranda.model.errors import Unavailable
from memoranda.model.outcome import Finding
from memoranda.model.record import Record
from memoranda.model.turn import Turn
from memoranda.ports import Screener
from memoranda.screen.look import RULES, SEPARATOR, look, rules_of

#: Characters that are looked at together.
_BATCH = 1_000_000
_OURS = frozenset(("kingfisher", "rules"))
_SIGNS = string.digits + string.ascii_uppercase + string.ascii_lowercase
_draw = random.SystemRandom()


class Gate:
    """Says of texts why they must stay. Raises `Unavailable` when it cannot be sure, and then nothing may leave."""

    def __init__(self, screeners: Sequence[Screener]) -> None:
        if rules_of(screeners) != RULES:
            missing = ", ".join(sorted(_OURS - {screener.rules.partition(" ")[0] for screener in screeners}))
            raise Unavailable(f"nothing leaves: the screener {missing} is missing", "reinstall memoranda")
        self._screeners = [_Watched(screener) for screener in screeners]

    def reasons(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """For each text the rules that keep it here, () for one that may leave. Neighbours are looked at together: a
        credential may begin in one and end in the next."""
        found: list[set[str]] = [set() for _ in texts]
        first = size = 0
        for number, text in enumerate(texts, 1):
            size += len(text)
            if size >= _BATCH or number == len(texts):
                low = max(0, first - 1)
                self._look(texts[low:number], found[low:number])
                first, size = number, 0
        return [tuple(sorted(reasons)) for reasons in found]

    def turns(self, turns: Sequence[Turn]) -> list[tuple[str, ...]]:
        """As `reasons`, for all of each turn that would leave; what was noticed when it was kept counts, too."""
        found = self.reasons([_words(turn) for turn in turns])
        return [tuple(dict.fromkeys((*why, *_noticed(turn)))) for turn, why in zip(turns, found, strict=True)]

    def records(self, records: Sequence[Record]) -> list[tuple[str, ...]]:
        """As `reasons`, for all of each record that would leave."""
        return self.reasons([_text(record) for record in records])

    def _look(self, texts: Sequence[str], found: list[set[str]]) -> None:
        starts, at = [], 0
        for text in texts:
            starts.append(at)
            at += len(text) + len(SEPARATOR)
        for finding in look(SEPARATOR.join(texts), self._screeners, thorough=True):
            first = max(0, bisect_right(starts, finding.start) - 1)
            last = max(first, bisect_right(starts, finding.end - 1) - 1)
            for number in self._to_blame(texts, first, last):
                found[number].add(finding.rule)

    def _to_blame(self, texts: Sequence[str], first: int, last: int) -> Sequence[int]:
        """Which of the texts a finding reaches over are to stay: those that hold something by themselves, if any does;
        else it is there only where they meet, and all of them stay."""
        touched = range(first, last + 1)
        if len(touched) == 1:
            return touched
        alone = [number for number in touched if look(texts[number], self._screeners, thorough=True)]
        return alone or touched


class _Watched:
    """A screener that is tested with every text it is given."""

    def __init__(self, screener: Screener) -> None:
        self._screener = screener
        self._tested = screener.rules.partition(" ")[0] in _OURS

    @property
    def rules(self) -> str:
        return self._screener.rules

    def look(self, texts: Sequence[str]) -> Sequence[Sequence[Finding]]:
        planted = [f"{text}{SEPARATOR}token {_credential()} " for text in texts]
        answers = self._screener.look(planted)
        if len(answers) != len(texts):
            raise self._lies("answered for other texts")
        return [self._own(text, whole, found) for text, whole, found in zip(texts, planted, answers, strict=True)]

    def _own(self, text: str, whole: str, found: Sequence[Finding]) -> list[Finding]:
        if not all(isinstance(f, Finding) and 0 <= f.start < f.end <= len(whole) for f in found):
            raise self._lies("named places that are not there")
        if self._tested and not any(f.layer == "credentials" and f.start > len(text) for f in found):
            raise self._lies("did not see a credential that was put before it")
        return [f for f in found if f.start < len(text)]

    def _lies(self, how: str) -> Unavailable:
        return Unavailable(f"nothing leaves: the screener {self.rules} {how}", "reinstall it; `memoranda status`")


def _words(turn: Turn) -> str:
    """All of a turn that would leave."""
    told = [block.text for block in turn.blocks]
    told += [text for block in turn.blocks for text in (block.tool, block.tool_use_id) if text]
    told += filter(None, (turn.cwd, turn.branch, turn.session, turn.turn, turn.parent, turn.parent_session))
    told += [str(value) for _, value in turn.extra]
    return SEPARATOR.join(told)


def _noticed(turn: Turn) -> list[str]:
    """Rules of weaker findings that are marked in a turn."""
    marks = (mark for block in turn.blocks for mark in block.marks)
    return [mark[5:].partition("@")[0] for mark in marks if mark.startswith("seen:")]


def _text(record: Record) -> str:
    """All of a record that would leave."""
    names = (*record.entities, *record.tags, *record.aliases, *record.anchors)
    told = (record.body, record.source, record.scope or "", record.principal or "", *names)
    extra = (str(value) for _, value in record.extra)
    return SEPARATOR.join((*told, *extra))


def _credential() -> str:
    """A token of a known form, whose checksum holds, that opens nothing: GitHub's personal one (30 random signs and
    the CRC-32 of them in base 62, github.blog, "Behind GitHub's new authentication token formats")."""
    body = "".join(_draw.choice(_SIGNS) for _ in range(30))
    value, check = zlib.crc32(body.encode()), ""
    for _ in range(6):
        value, digit = divmod(value, 62)
        check = _SIGNS[digit] + check
    return f"ghp_{body}{check}"
