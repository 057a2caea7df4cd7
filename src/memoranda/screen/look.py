"""All screeners look at a text and at everything it decodes to; placeholders are dropped.

What comes back are findings with spans of the text itself: a value is never part of one.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Iterator, Sequence

from memoranda.model.errors import Unavailable
from memoranda.model.outcome import Finding
from memoranda.ports import Screener
from memoranda.screen.placeholders import is_placeholder
from memoranda.screen.views import Piece, pieces

#: The version of the rules as a whole: raised when any rule, view, placeholder or engine version changes.
RULES = "3"
#: Between texts that are looked at together: \\x01 is in no rule's alphabet and is no white space.
SEPARATOR = "\n\x01\n"
_MANGLED = frozenset(("reversed", "rot13", "joined", "wrapped"))
_BY_CONTEXT = frozenset(
    ("payment-card", "url-password", "generic-credential-uri", "bearer-token", "basic-authorization")
)
_FULL = frozenset(("kingfisher", "rules"))


def rules_of(screeners: Sequence[Screener]) -> str:
    """The version to write into what these screeners passed: `RULES`, or `<RULES>-partial` when one is missing."""
    names = {screener.rules.partition(" ")[0] for screener in screeners}
    return RULES if names >= _FULL else f"{RULES}-partial"


def look(text: str, screeners: Sequence[Screener], thorough: bool = False) -> list[Finding]:
    """Findings in a text and its decoded views, by start. Raises `Unavailable` if a screener fails: nothing passes."""
    asked = [screener for screener in screeners if getattr(screener, "wants", _all)(text)]
    found = [f for f in _ask(asked, text) if not is_placeholder(text[f.start : f.end])]
    known = sorted({(f.start, f.end) for f in found if f.layer == "credentials" and f.validated})
    for piece, finding in _in_pieces(pieces(text, thorough), asked):
        if finding.layer != "credentials" or not _counts(finding, piece.view, thorough):
            continue
        if not any(_covers(span, piece) for span in known):
            found.append(Finding(finding.rule, finding.layer, piece.start, piece.end, finding.validated, piece.view))
    return sorted(set(found), key=lambda f: (f.start, f.end, f.rule, f.view))


def _all(text: str) -> bool:
    return True


def _covers(span: tuple[int, int], piece: Piece) -> bool:
    """Whether a piece shows nothing new: what it was decoded from lies in a finding; of what was read on over a line's
    end, one side is a credential already, and the other is its neighbour."""
    if piece.view == "wrapped":
        return span[0] < piece.end and piece.start < span[1]
    return span[0] <= piece.start and piece.end <= span[1]


def _counts(finding: Finding, view: str, thorough: bool) -> bool:
    """What only a mangled text shows must have a token's own form: any number passes some check backwards, and any
    URL read in rot13 holds a strange password. Weak findings count in true decodings of a record alone."""
    if view in _MANGLED:
        return finding.validated and finding.rule not in _BY_CONTEXT
    return finding.validated or thorough


def _in_pieces(decoded: list[Piece], screeners: Sequence[Screener]) -> Iterator[tuple[Piece, Finding]]:
    """What is found in pieces, all looked at as one text: a call costs more than a short piece."""
    starts, at = [], 0
    for piece in decoded:
        starts.append(at)
        at += len(piece.text) + len(SEPARATOR)
    for finding in _ask(screeners, SEPARATOR.join(piece.text for piece in decoded)) if decoded else ():
        number = bisect_right(starts, finding.start) - 1
        piece, first = decoded[number], starts[number]
        if not is_placeholder(piece.text[finding.start - first : finding.end - first]):
            yield piece, finding


def _ask(screeners: Sequence[Screener], text: str) -> list[Finding]:
    """Every screener's findings in one text."""
    found: list[Finding] = []
    for screener in screeners:
        failed = ""
        try:
            found.extend(screener.look([text])[0])
        except Exception as error:
            failed = type(error).__name__  # its message may quote the text, so neither it nor its chain goes on
        if failed:
            raise Unavailable(f"the screener {screener.rules} failed with {failed}; nothing was kept")
    return found
