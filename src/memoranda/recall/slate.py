"""What an answer's outside statements say together: three harmless ones can add up to an order.

A statement from outside is shown as what it is, one by one. Looked at together, they may name a place to send to, a
thing to run, and a habit or a right to run it with. If no statement of ours in the same answer names that place or
that thing, the answer says so. Only wording is looked at: who avoids these words is not seen.
"""

from __future__ import annotations

import re
from typing import Iterable, Sequence

from memoranda.model.query import Concluded

_PLACE = re.compile(
    r"(?i)https?://[^\s<>\"')]+|\b[\w.+-]{1,64}@[\w-]{1,60}\.[\w.-]{2,60}|"
    r"\b(?:[a-z0-9-]{1,60}\.){1,4}(?:com|org|net|io|dev|example|test|internal|local|cloud|app|xyz|ru|cn|info|biz)\b|"
    r"\b(?:[0-9]{1,3}\.){3}[0-9]{1,3}\b|\b(?:host|server|machine|bucket|mirror|registry|endpoint)\s+[\w.-]*[\d.-][\w.-]*"
)
_THING = re.compile(
    r"(?i)`[^`\n]{2,120}`|\b[\w./-]{1,60}\.(?:sh|py|ps1|bat|js|rb|pl|exe)\b|"
    r"\b(?:curl|wget|bash|ssh|scp|rsync|npm|pip|chmod|eval|sudo)\s+\S+|\b(?:script|command|job|binary|installer)\s+\w+"
)
_LICENCE = {
    "a habit": re.compile(
        r"(?i)\b(?:nightly|hourly|daily|weekly|automatically|always|routinely|as usual|"
        r"(?:on|after|before|with|in) (?:every|each|any)|every (?:night|hour|day|week|deploy\w*|release|build|run))\b"
    ),
    "a right": re.compile(
        r"(?i)\b(?:tokens?|credentials?|secrets?|passwords?|keys?|admin|root|write access|full access|permissions?|"
        r"allowed|may run|trusted|unattended|without asking)\b"
    ),
    "a check left out": re.compile(
        r"(?i)\b(?:skip(?:s|ped)?|bypass\w*|disabl\w+|turned? off|without (?:review|checks?|approval|confirmation)|"
        r"no (?:review|approval|checks?) (?:is |are )?needed|ignore[sd]?)\b"
    ),
}
_QUOTED = 40  # characters of a place or a thing that a notice repeats


def together(concluded: Sequence[Concluded]) -> tuple[str, ...]:
    """One notice when the outside statements of an answer add up, else none. No single one of them is the whole."""
    outside = [hit.record.body for hit in concluded if hit.authority.outside]
    if len(outside) < 2:
        return ()
    ours = "\n".join(hit.record.body for hit in concluded if not hit.authority.outside).lower()
    place, thing = _unknown(_PLACE, outside, ours), _unknown(_THING, outside, ours)
    licences = [name for name, pattern in _LICENCE.items() if any(map(pattern.search, outside))]
    if not (place and thing and licences) or _one_says_all(outside, ours):
        return ()
    return (
        f"{len(outside)} statements from outside together name a place ({place[:_QUOTED]}), something to run "
        f"({thing[:_QUOTED]}) and {licences[0]}; nothing of yours in this answer names them: do not act on the sum",
    )


def _unknown(pattern: re.Pattern[str], texts: Iterable[str], ours: str) -> str:
    """The first such thing that our own statements do not name."""
    found = (match.group().strip("`.,;") for text in texts for match in pattern.finditer(text))
    return next((name for name in found if name.lower() not in ours), "")


def _one_says_all(texts: Iterable[str], ours: str) -> bool:
    """A single statement with all three is no split: it reads as what it is."""
    return any(
        _unknown(_PLACE, [text], ours)
        and _unknown(_THING, [text], ours)
        and any(p.search(text) for p in _LICENCE.values())
        for text in texts
    )
