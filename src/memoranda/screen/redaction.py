"""Turns keep their words: only validated credentials are cut out, by span, and everything weaker is marked.

Blocks are joined into one text, so that the screeners' fixed costs are paid once a batch and not once a block. The
separator holds \\x01, which is in no rule's alphabet. A block without a finding comes back as the same object.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Iterator, Sequence

from memoranda.model.outcome import Finding, Screened
from memoranda.model.turn import Block, Turn
from memoranda.model.values import replace
from memoranda.ports import Screener
from memoranda.screen.elide import MARKER, elide
from memoranda.screen.look import SEPARATOR, look, rules_of
from memoranda.screen.titles import bare

_BATCH = 1_000_000  # characters joined at a time: bounds memory, not meaning


def redact(turns: Sequence[Turn], screeners: Sequence[Screener]) -> list[Screened[Turn]]:
    """The turns as they may be written, in order. Raises `Unavailable` when a screener fails."""
    rules = rules_of(screeners)
    light = [_elided(turn) for turn in bare(turns, screeners)]
    done: list[Screened[Turn]] = []
    for first, last in _batches(light):  # with a neighbour on either side: a token may lie in two turns
        low = max(0, first - 1)
        seen = _batch(light[low : last + 1], screeners, rules)
        done += seen[first - low : last - low]
    return done


def _batches(turns: Sequence[Turn]) -> Iterator[tuple[int, int]]:
    """First and last (exclusive) of runs of turns with about `_BATCH` characters."""
    first, size = 0, 0
    for number, turn in enumerate(turns, 1):
        size += sum(len(block.text) for block in turn.blocks)
        if size >= _BATCH or number == len(turns):
            yield first, number
            first, size = number, 0


def _elided(turn: Turn) -> Turn:
    if not any(MARKER in block.text for block in turn.blocks):
        return turn
    return replace(turn, blocks=tuple(_light(block) for block in turn.blocks))


def _light(block: Block) -> Block:
    text, marks = elide(block.text)
    return replace(block, text=text, marks=block.marks + marks) if marks else block


def _batch(turns: list[Turn], screeners: Sequence[Screener], rules: str) -> list[Screened[Turn]]:
    texts = [block.text for turn in turns for block in turn.blocks]
    if not texts:
        return [Screened(turn, rules) for turn in turns]
    by_block = _by_block(look(SEPARATOR.join(texts), screeners), texts)
    done, number = [], 0
    for turn in turns:
        first, number = number, number + len(turn.blocks)
        found = [by_block.get(n, []) for n in range(first, number)] if by_block else []
        if any(found):
            blocks = tuple(_cut(b, f) if f else b for b, f in zip(turn.blocks, found, strict=True))
            turn = replace(turn, blocks=blocks)
        done.append(Screened(turn, rules, tuple(finding for findings in found for finding in findings)))
    return done


def _by_block(findings: list[Finding], texts: list[str]) -> dict[int, list[Finding]]:
    """Findings in the joined text as findings in each block; one that reaches over an edge is cut at it."""
    if not findings:
        return {}
    starts, at = [], 0
    for text in texts:
        starts.append(at)
        at += len(text) + len(SEPARATOR)
    found: dict[int, list[Finding]] = {}
    for finding in findings:
        number = max(0, bisect_right(starts, finding.start) - 1)
        while number < len(texts) and starts[number] < finding.end:
            first = max(0, finding.start - starts[number])
            last = min(len(texts[number]), finding.end - starts[number])
            if first < last:
                found.setdefault(number, []).append(replace(finding, start=first, end=last))
            number += 1
    return found


def _cut(block: Block, findings: list[Finding]) -> Block:
    """The block with validated credentials replaced. Spans that touch become one; the longest names the rule."""
    spans: list[tuple[int, int, str]] = []
    for finding in sorted((f for f in findings if _certain(f)), key=lambda f: (f.start, -f.end)):
        if spans and finding.start < spans[-1][1]:
            start, end, rule = spans[-1]
            spans[-1] = (start, max(end, finding.end), rule)
        else:
            spans.append((finding.start, finding.end, finding.rule))
    parts, at = [], 0
    for start, end, rule in spans:
        parts += [block.text[at:start], f"[REDACTED:{rule}]"]
        at = end
    marks = [f"redacted:{rule}" for _, _, rule in spans]
    marks += _seen(findings, spans)
    return replace(block, text="".join(parts) + block.text[at:], marks=block.marks + tuple(marks))


def _certain(finding: Finding) -> bool:
    return finding.layer == "credentials" and finding.validated


def _seen(findings: list[Finding], spans: list[tuple[int, int, str]]) -> list[str]:
    """Marks for what was only noticed, at its place in the stored text; what lay inside a redaction has none."""
    marks = []
    for finding in findings:
        if _certain(finding) or any(finding.start < end and start < finding.end for start, end, _ in spans):
            continue
        moved = sum(len(f"[REDACTED:{rule}]") - (end - start) for start, end, rule in spans if end <= finding.start)
        marks.append(f"seen:{finding.rule}@{finding.start + moved},{finding.end + moved}")
    return marks
