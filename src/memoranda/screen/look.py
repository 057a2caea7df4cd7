"""All screeners look at a text and at everything it decodes to; placeholders are dropped.

What comes back are findings with spans of the text itself: a value is never part of one.
"""

from __future__ import annotations

from typing import Sequence

from memoranda.model.errors import Unavailable
from memoranda.model.outcome import Finding
from memoranda.ports import Screener
from memoranda.screen.placeholders import is_placeholder
from memoranda.screen.views import pieces

#: The version of the rules as a whole: raised when any rule, view, placeholder or engine version changes.
RULES = "1"
_FULL = frozenset(("kingfisher", "rules"))


def rules_of(screeners: Sequence[Screener]) -> str:
    """The version to write into what these screeners passed: `RULES`, or `<RULES>-partial` when one is missing."""
    names = {screener.rules.partition(" ")[0] for screener in screeners}
    return RULES if names >= _FULL else f"{RULES}-partial"


def look(text: str, screeners: Sequence[Screener], thorough: bool = False) -> list[Finding]:
    """Findings in a text and its decoded views, by start. Raises `Unavailable` if a screener fails: nothing passes."""
    found = [f for f in _ask(screeners, [text])[0] if not is_placeholder(text[f.start : f.end])]
    decoded = pieces(text, thorough)
    seen = {(f.start, f.end) for f in found}
    for piece, findings in zip(decoded, _ask(screeners, [piece.text for piece in decoded]), strict=True):
        for finding in findings:
            if finding.layer != "credentials" or is_placeholder(piece.text[finding.start : finding.end]):
                continue
            if any(start <= piece.start and piece.end <= end for start, end in seen):
                continue
            if not thorough and not finding.validated:
                continue
            found.append(Finding(finding.rule, finding.layer, piece.start, piece.end, finding.validated, piece.view))
    return sorted(set(found), key=lambda f: (f.start, f.end, f.rule, f.view))


def _ask(screeners: Sequence[Screener], texts: list[str]) -> list[list[Finding]]:
    """Every screener's findings, text by text."""
    merged: list[list[Finding]] = [[] for _ in texts]
    if not texts:
        return merged
    for screener in screeners:
        failed = ""
        try:
            answer = screener.look(texts)
        except Exception as error:
            failed = type(error).__name__  # its message may quote the text, so neither it nor its chain goes on
        if failed:
            raise Unavailable(f"the screener {screener.rules} failed with {failed}; nothing was kept")
        for findings, more in zip(merged, answer, strict=True):
            findings.extend(more)
    return merged
