"""One text, prepared once so that every rule can find its candidates at the speed of `bytes.find`.

Patterns in Python cost tens of nanoseconds a character when they may begin anywhere. The rules therefore look for
short literals in three renderings of the text, each as long as the text (one byte a code point), and try a pattern
only at a hit. All patterns in this package are anchored at such a hit and bounded, so the work is linear.
"""

from __future__ import annotations

from typing import Iterator

from memoranda.builtin.rules.places import Places, places_in
from memoranda.model.values import dataclass

_ALNUM = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def _table(groups: dict[bytes, bytes], other: bytes) -> bytes:
    table = bytearray(other * 256)
    for stand_in, members in groups.items():
        for byte in members:
            table[byte] = stand_in[0]
    return bytes(table)


_RUNS = _table({b"a": _ALNUM + b"_-"}, b" ")
_SHAPE = bytearray(range(256))
for _byte in range(256):
    _char = chr(_byte)
    if _byte < 128 and _char.isalpha():
        _SHAPE[_byte] = ord("A" if _char.isupper() else "a")
    elif _byte < 128 and _char.isdigit():
        _SHAPE[_byte] = ord("0")
_SHAPE_TABLE = bytes(_SHAPE)

#: Shorter runs hold no credential of a known form.
RUN_MIN = 18
_LONG = b"a" * RUN_MIN


#: From this many characters on, all literals are looked for in one pass.
TOGETHER = 1 << 17


@dataclass(frozen=True, slots=True)
class Lens:
    """A text and its renderings; index i is the same code point in all of them.

    `raw` is Latin-1 with `?` for everything else, `low` the same in ASCII lower case, `runs` has `a` for each of
    [A-Za-z0-9_-] and a space for the rest, `shape` has A, a and 0 for ASCII letters and digits. `places` is an index
    of a long text that only makes `hits` faster.
    """

    text: str
    raw: bytes
    low: bytes
    runs: bytes
    shape: bytes
    places: Places | None = None

    @classmethod
    def over(cls, text: str, together: int = TOGETHER) -> Lens:
        raw = text.encode("latin-1", "replace")
        low = raw.lower()
        places = places_in(low) if len(low) >= together else None
        return cls(text, raw, low, raw.translate(_RUNS), raw.translate(_SHAPE_TABLE), places)

    def hits(self, rendering: bytes, literal: bytes) -> Iterator[int]:
        """Every place of a literal, left to right; overlapping hits are given once per character."""
        if self.places is not None and len(literal) >= 3 and rendering is not self.shape:
            for at in self.places.of(literal.lower()):
                if rendering.startswith(literal, at):
                    yield at
            return
        at = rendering.find(literal)
        while at >= 0:
            yield at
            at = rendering.find(literal, at + 1)

    def words(self) -> Iterator[tuple[int, int]]:
        """Start and end of every run of at least `RUN_MIN` token characters."""
        runs, end = self.runs, 0
        while (start := runs.find(_LONG, end)) >= 0:
            end = runs.find(b" ", start)
            if end < 0:
                end = len(runs)
            yield start, end
