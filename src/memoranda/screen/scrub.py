"""A turn with everything taken out that any screener names, certain or not: what is left may leave.

Harder than redaction, which marks what is weak and keeps the words. A block in which something is still found when
that is done is emptied.
"""

from __future__ import annotations

from typing import Sequence

from memoranda.model.outcome import Finding, Screened
from memoranda.model.turn import Block, Turn
from memoranda.model.values import replace
from memoranda.ports import Screener
from memoranda.screen.look import SEPARATOR, look, rules_of

_ROUNDS = 3  # what a cut uncovers is cut, too; beyond this the block goes


def scrubbed(turn: Turn, screeners: Sequence[Screener], keep: frozenset[str] = frozenset()) -> Screened[Turn]:
    """The turn without what is found in it, but for the rules in `keep`. Raises `Unavailable` if a screener fails."""
    blocks = [_clean(block, screeners, keep) for block in turn.blocks]
    joined = SEPARATOR.join(block.text for block in blocks)
    if found := _found(joined, screeners, keep):  # only where blocks meet
        blocks = [
            _emptied(block, found[0].rule) if _touched(blocks, n, found) else block for n, block in enumerate(blocks)
        ]
    return Screened(replace(turn, blocks=tuple(blocks)), rules_of(screeners))


def _clean(block: Block, screeners: Sequence[Screener], keep: frozenset[str]) -> Block:
    marks = tuple(
        mark for mark in block.marks if not (mark.startswith("seen:") and mark[5:].partition("@")[0] not in keep)
    )
    block = replace(block, marks=marks)
    for _ in range(_ROUNDS):
        found = _found(block.text, screeners, keep)
        if not found:
            return block
        block = _cut(block, found)
    found = _found(block.text, screeners, keep)
    return _emptied(block, found[0].rule) if found else block


def _found(text: str, screeners: Sequence[Screener], keep: frozenset[str]) -> list[Finding]:
    return [finding for finding in look(text, screeners, thorough=True) if finding.rule not in keep]


def _cut(block: Block, found: Sequence[Finding]) -> Block:
    """Each span replaced by the rule that named it; spans that touch become one. Marks that tell places go: they would
    tell others."""
    parts, marks, at = [], [], 0
    for finding in sorted(found, key=lambda f: (f.start, -f.end)):
        if finding.end <= at:
            continue
        parts += [block.text[at : max(at, finding.start)], f"[REDACTED:{finding.rule}]"]
        marks.append(f"redacted:{finding.rule}")
        at = finding.end
    kept = tuple(mark for mark in block.marks if not mark.startswith("seen:"))
    return replace(block, text="".join(parts) + block.text[at:], marks=(*kept, *marks))


def _emptied(block: Block, rule: str) -> Block:
    return replace(block, text=f"[REDACTED:{rule}]", marks=(*block.marks, f"redacted:{rule}"))


def _touched(blocks: Sequence[Block], number: int, found: Sequence[Finding]) -> bool:
    start = sum(len(block.text) + len(SEPARATOR) for block in blocks[:number])
    return any(f.start < start + len(blocks[number].text) and start < f.end for f in found)
