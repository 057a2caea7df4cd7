"""Further keys of a turn (a session's title) are for eyes: one in which a credential stands is left out whole."""

from __future__ import annotations

from typing import Sequence

from memoranda.model.turn import Turn
from memoranda.model.values import replace
from memoranda.ports import Screener
from memoranda.screen.look import SEPARATOR, look


def bare(turns: Sequence[Turn], screeners: Sequence[Screener]) -> Sequence[Turn]:
    """The turns without any further key in which a validated credential stands; the same objects where there is none.

    Raises `Unavailable` when a screener fails.
    """
    further = [f"{key} {value}" for turn in turns for key, value in turn.extra]
    if not further:
        return turns
    found = [f for f in look(SEPARATOR.join(further), screeners) if f.layer == "credentials" and f.validated]
    bad, start = set[str](), 0
    for text in further:
        if any(f.start < start + len(text) and start < f.end for f in found):
            bad.add(text)
        start += len(text) + len(SEPARATOR)
    if not bad:
        return turns
    return [
        replace(turn, extra=tuple((key, value) for key, value in turn.extra if f"{key} {value}" not in bad))
        for turn in turns
    ]
