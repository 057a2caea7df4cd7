"""An exhibit passes whole or is refused whole: one credential in anything that was read out of it is enough.

What is looked at: the words in reading order, so that halves on two lines meet; what the media says of itself; its
name. A refusal names rule, layer and place (a time, a page, a region) and never the value.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Iterator, Sequence

from memoranda.model.evidence import Exhibit, Extract, Segment, joined
from memoranda.model.fragment import Fragment
from memoranda.model.outcome import Finding, Refused, Screened
from memoranda.model.values import replace
from memoranda.ports import Screener
from memoranda.screen.door import policy
from memoranda.screen.look import SEPARATOR, look, rules_of

#: Characters looked at at once, and how many of them again with the next: bounds memory, and a token on the edge of two
#: batches is still seen whole.
_BATCH, _OVERLAP = 200_000, 2_000


def examine(
    exhibit: Exhibit, extract: Extract, screeners: Sequence[Screener]
) -> tuple[Screened[Exhibit], Screened[Extract]] | Refused:
    """Both as they may be written, or why not. Raises `Unavailable` when a screener fails."""
    rules, noted = rules_of(screeners), []
    for batch in _batches(extract.segments):
        text, starts = joined(batch)
        found = look(text, screeners, thorough=True)
        bad = [finding for finding in found if barred(finding)]
        if bad:  # named as the record's door names it; placed by the one that is seen most plainly
            plain = min(bad, key=lambda f: (f.view != "", f.end - f.start, f.start))
            return _refused(str(_place(batch, starts, plain)) or "its text", replace(bad[0], view=plain.view))
        noted += found
    others = SEPARATOR.join((exhibit.name, exhibit.media_type, *extract.about, *extract.notes))
    others += "".join(f"{SEPARATOR}{name} {value}" for name, value in extract.extent.other)
    for finding in look(others, screeners, thorough=True):
        if barred(finding):
            return _refused("its name or what it says of itself", finding)
        noted.append(finding)
    for finding in look(SEPARATOR.join(extract.raw), screeners):
        if finding.layer == "credentials" and finding.validated:
            return _refused("its bytes", finding)
    extract = replace(extract, about=(), raw=())
    kinds = tuple({finding.rule: finding for finding in noted}.values())
    return Screened(exhibit, rules, kinds), Screened(extract, rules, kinds)


def barred(finding: Finding) -> bool:
    """What rejects an exhibit: a credential, and what a record is refused for."""
    return finding.layer == "credentials" or policy(finding) == "refuse"


def _batches(segments: Sequence[Segment]) -> Iterator[Sequence[Segment]]:
    """Runs of segments of about `_BATCH` characters, each beginning with the end of the one before."""
    first = 0
    while first < len(segments):
        size, last = 0, first
        while last < len(segments) and size < _BATCH:
            size += len(segments[last].text) + 1
            last += 1
        yield segments[first:last]
        if last == len(segments):
            return
        again, back = 0, last
        while back > first + 1 and again < _OVERLAP:
            back -= 1
            again += len(segments[back].text) + 1
        first = back


def _place(batch: Sequence[Segment], starts: list[int], finding: Finding) -> Fragment:
    return batch[max(0, bisect_right(starts, finding.start) - 1)].place


def _refused(where: str, finding: Finding) -> Refused:
    kind = "a credential" if finding.layer == "credentials" else "a sensitive personal detail"
    seen = f", seen through {finding.view}" if finding.view else ""
    return Refused(
        f"rejected: {where} holds {kind} (rule {finding.rule}, layer {finding.layer}{seen}); nothing was kept",
        "cut it out of the file first, or keep the file elsewhere",
        (Finding(finding.rule, finding.layer, 0, 0, finding.validated, finding.view),),
    )
