"""Where numbers stand that a street or a person may have, found in one pass over a long text's shape.

The same places as the literals in `personal` give one by one; numpy only makes it faster.
"""

from __future__ import annotations

from typing import Any, Callable

_SHORT = 7  # digits of a number before a name
_ZERO, _SPACE, _COMMA, _OPEN, _COLON, _DOT, _LINE = b"0 ,(:.\n"


def number_starts(numpy: Any, shape: bytes) -> list[int]:
    """Starts of runs of digits with a name behind them or a word, a colon or a bracket before, left to right."""
    signs = numpy.frombuffer(b"\x02\x02\x02" + shape + b"\x02\x02\x02\x02", numpy.uint8)
    digit = signs == _ZERO
    first = numpy.flatnonzero(digit[1:] & ~digit[:-1]) + 1
    end = numpy.flatnonzero(digit[:-1] & ~digit[1:]) + 1
    before: Callable[[int], Any] = lambda n: signs[first - n]  # noqa: E731
    behind: Callable[[int], Any] = lambda n: signs[end + n]  # noqa: E731
    one, two, three = before(1), before(2), before(3)
    letter, capital, unclear = ord("a"), ord("A"), ord("?")
    word = (one == _SPACE) & (
        (two == letter) | (two == capital) | (((two == _DOT) | (two == _COLON)) & (three == letter))
    )
    bracket = (one == _OPEN) & (
        ((two == _SPACE) & ((three == letter) | (three == _COLON))) | ((two == _LINE) & (three == _COLON))
    )
    led = word | bracket | ((one == _LINE) & (two == _COLON))
    follows = behind(0), behind(1), behind(2)
    named = (follows[0] == _SPACE) & ((follows[1] == capital) | (follows[1] == unclear))
    named |= (follows[0] == _COMMA) & (follows[1] == _SPACE) & (follows[2] == capital)
    begun = (one == 2) | (one == _SPACE) | (one == _LINE) | (one == 9) | (one == _OPEN) | (one == ord(">"))
    kept = led | (named & begun & (end - first <= _SHORT))
    if len(first) and first[0] == 3:
        kept[0] = True
    places: list[int] = (first[kept] - 3).tolist()
    return places
