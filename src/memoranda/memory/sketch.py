"""A digest of a session without a question: the blocks that together hold most of its own words. It samples.

Each word weighs by how rare it is among the session's blocks. Blocks are taken one after another, each time the one
that adds the most weight a character not yet said, so that what repeats adds nothing; the opening words and the last
words are always among them. No model, no clock, no chance: the same session gives the same sketch.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Iterator, Sequence

from memoranda.memory.browse import opening, turns_of
from memoranda.memory.results import SketchUnit, SketchView
from memoranda.model.locator import TurnLocator
from memoranda.model.turn import Block, Turn
from memoranda.model.values import dataclass
from memoranda.truth.turns import TurnStore

LEAST_CHARS = 240  # of a unit: fewer say too little to be worth a line
PREVIEW_CHARS = 2000  # of a tool's output: what matters in it stands at its beginning
_WORD = re.compile(r"\w{3,}")
_KINDS = {"text": 1.0, "thinking": 0.6, "tool_use": 0.5, "tool_result": 0.3}  # what is said weighs more than output


@dataclass(frozen=True, slots=True)
class _Piece:
    """A block that may be chosen, its words, how often it stands in the session."""

    turn: Turn
    block: Block
    words: frozenset[str]
    same: int


def sketch(store: TurnStore, harness: str, session: str, *, units: int = 8, max_chars: int = 8000) -> SketchView:
    """At most `units` blocks in reading order, together at most `max_chars` characters."""
    turns = list(turns_of(store, harness, session))
    pieces, blocks = _pieces(turns)
    chosen = _chosen(pieces, units, _ends(turns, pieces))
    room = max(LEAST_CHARS, max_chars // max(1, len(chosen)))
    shown = tuple(_unit(pieces[n], room) for n in sorted(chosen))
    return SketchView(
        harness=harness,
        session=session,
        units=shown,
        turns=len(turns),
        blocks=blocks,
        left_out=len(pieces) - len(shown),
        repeated=blocks - len(pieces),
        shortened=sum(len(unit.text) < unit.length for unit in shown),
        characters=sum(len(unit.text) for unit in shown),
    )


def _pieces(turns: Sequence[Turn]) -> tuple[list[_Piece], int]:
    """The different blocks in order, each at its first place, and how many blocks there are in all."""
    counts: Counter[str] = Counter(_folded(block) for turn in turns for block in turn.blocks if not block.form)
    seen: set[str] = set()
    pieces = []
    for turn in turns:
        for block in turn.blocks:
            folded = _folded(block)
            if folded not in seen and not block.form:
                seen.add(folded)
                text = block.text if block.type != "tool_result" else block.text[:PREVIEW_CHARS]
                words = frozenset(_WORD.findall(text.casefold()))
                pieces.append(_Piece(turn, block, words, counts[folded]))
    return pieces, sum(counts.values())


def _folded(block: Block) -> str:
    return f"{block.type} {' '.join(block.text.split())}"


def _ends(turns: Sequence[Turn], pieces: Sequence[_Piece]) -> list[int]:
    """The piece a person opened with, and the last thing that was said."""
    asked = opening(turns)
    texts = [n for n, piece in enumerate(pieces) if piece.block.type == "text"]
    first = next((n for n in texts if asked and " ".join(pieces[n].block.text.split()).startswith(asked)), None)
    return list(dict.fromkeys(n for n in (first, texts[-1] if texts else None) if n is not None))


def _chosen(pieces: Sequence[_Piece], units: int, always: Sequence[int]) -> list[int]:
    """The indexes taken: `always`, then greedily by new weight, ties to the earlier piece."""
    often: Counter[str] = Counter(word for piece in pieces for word in piece.words)
    weight = {word: math.log(1 + len(pieces) / n) for word, n in often.items()}
    taken = list(always[:units])
    said: set[str] = set().union(*(pieces[n].words for n in taken)) if taken else set()
    left = [n for n in range(len(pieces)) if n not in taken]
    while left and len(taken) < units:
        gain, best = max(_gains(pieces, left, weight, said), key=lambda pair: (pair[0], -pair[1]))
        if gain <= 0:
            break
        taken.append(best)
        left.remove(best)
        said |= pieces[best].words
    return taken


def _gains(
    pieces: Sequence[_Piece], left: Sequence[int], weight: dict[str, float], said: set[str]
) -> Iterator[tuple[float, int]]:
    """(gain, index): the new weight, damped by the length, so that a long listing does not win by bulk."""
    for n in left:
        new = sum(weight[word] for word in sorted(pieces[n].words - said))
        yield _KINDS[pieces[n].block.type] * new / math.sqrt(1 + len(pieces[n].words)), n


def _unit(piece: _Piece, room: int) -> SketchUnit:
    text = piece.block.text
    cut = min(room, PREVIEW_CHARS) if piece.block.type == "tool_result" else room
    return SketchUnit(
        locator=str(TurnLocator(piece.turn.harness, piece.turn.session, piece.turn.turn)),
        seq=piece.turn.seq,
        ts=piece.turn.ts,
        role=piece.turn.role,
        type=piece.block.type,
        text=text[:cut],
        length=len(text),
        same=piece.same,
    )
