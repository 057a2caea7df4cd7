"""One invented credential for every rule of the table of known forms, drawn from the form itself.

Only the constructs that the table uses can be drawn: literals, sets, repeats, groups, choices and options.
"""

from __future__ import annotations

import random
import re
import string
from functools import cache
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Iterator

from memoranda.builtin.rules.checks import CHECKS
from memoranda.builtin.rules.families import FAMILIES, NEEDS_WORD

_SIGNS = string.ascii_letters + string.digits + "_-./+="


def samples(seed: int = 0) -> Iterator[tuple[str, str]]:
    """(rule, token) for every rule but those whose checksum must hold."""
    done = set[str]()
    for rule, prefixes, rest in FAMILIES:
        if rule not in done and rule not in MUST_HOLD:
            done.add(rule)
            source = random.Random(f"{rule} {seed}")
            yield rule, prefixes.split(" ")[0] + _drawn(parser.parse(rest), source)


def stated(rule: str, token: str) -> str:
    """A sentence that holds the token, quoted and beside the word that its form needs."""
    lead = {"telegram-bot-token": "123456789:", "twilio-key": "twilio "}.get(rule)
    if lead is None:
        lead = f"{rule.partition('-')[0]} api key " if rule in NEEDS_WORD else ""
    return f'The runner uses "{token}" for it' if not lead else f"The runner uses {lead}{token} for it"


#: A token of these counts only when its checksum holds.
MUST_HOLD = frozenset(CHECKS) - {"github-token", "npm-token", "grafana-token"}


def _drawn(pattern: Any, source: random.Random) -> str:
    return "".join(_one(kind, value, source) for kind, value in pattern)


def _one(kind: Any, value: Any, source: random.Random) -> str:
    if kind is kinds.LITERAL:
        return chr(value)
    if kind is kinds.IN:
        return source.choice(_fitting(_set(value)))
    if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT):
        least, most, inner = value
        size = least if least else source.randint(0, min(1, most))
        return "".join(_drawn(inner, source) for _ in range(size))
    if kind is kinds.SUBPATTERN:
        return _drawn(value[-1], source)
    if kind in (kinds.ASSERT, kinds.ASSERT_NOT):
        return ""
    if kind is kinds.NOT_LITERAL:
        return "x" if value != ord("x") else "y"
    if kind is kinds.BRANCH:
        return _drawn(source.choice(value[1]), source)
    raise ValueError(f"the table now uses {kind}: teach it here")


@cache
def _fitting(members: str) -> list[str]:
    return [sign for sign in _SIGNS if re.fullmatch(members, sign)]


def _set(members: Any) -> str:
    parts = []
    for kind, value in members:
        if kind is kinds.RANGE:
            parts.append(f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}")
        elif kind is kinds.LITERAL:
            parts.append(re.escape(chr(value)))
        elif kind is kinds.NEGATE:
            parts.append("^")
        elif kind is kinds.CATEGORY:
            parts.append({kinds.CATEGORY_DIGIT: r"\d", kinds.CATEGORY_WORD: r"\w", kinds.CATEGORY_SPACE: r"\s"}[value])
        else:
            raise ValueError(f"the table now uses {kind}: teach it here")
    return f"[{''.join(parts)}]"
