"""What a record must look like whatever it says: one fact, in text, of a readable size."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: Longer is a document: it belongs in a file that a record points to.
BODY_MAX = 2000
_BULLET = re.compile(r"[ \t]{0,3}[-*+•][ \t]+(\S.*)")
_REASONS = re.compile(r"(?i)\b(?:because|reasons?|since|why|weil|denn|gründe|parce que|porque)\b[^\n]*:?\s*$")
_ANOTHER = re.compile(
    r"(?<=[.!?])\s+(?=(?:Also|Additionally|Separately|Unrelated|Furthermore|Außerdem|Zudem|Ferner)\b,?)"
)
_LINK = re.compile(r"(?:Also|Additionally|Separately|Unrelated(?:ly)?|Furthermore|Außerdem|Zudem|Ferner)\b[,:]?\s*")
_BAD = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Flaw:
    """Why a body cannot be a record: a rule, a sentence, a next step, and for several facts each as its own."""

    rule: str
    message: str
    hint: str = ""
    proposed: tuple[str, ...] = ()


def flaw(body: str) -> Flaw | None:
    """The first reason why a body cannot be one record, or None. Never quotes the body but in `proposed`."""
    if not body.strip():
        return Flaw("empty", "there is nothing to remember: the text is empty", "say the fact in a sentence")
    if _BAD.search(body):
        return Flaw("not-text", "the text holds a NUL character or half a surrogate pair", "send valid Unicode text")
    if len(body) > BODY_MAX:
        return Flaw(
            "too-long",
            f"the text has {len(body):,} characters; a record holds one fact in at most {BODY_MAX:,}",
            "keep the document as a file and remember what matters about it, with an anchor",
        )
    facts = _listed(body) or _chained(body)
    if facts:
        return Flaw(
            "several-facts",
            f"the text states {len(facts)} facts; a record holds one",
            "remember each of the proposed texts on its own",
            facts,
        )
    return None


def _listed(body: str) -> tuple[str, ...]:
    """The items of a bulleted list, each under its introduction; () for reasons or parts of a single statement."""
    lines = body.strip().split("\n")
    first = next((n for n, line in enumerate(lines) if _BULLET.fullmatch(line)), None)
    if first is None:
        return ()
    intro = " ".join(line.strip() for line in lines[:first] if line.strip())
    items: list[str] = []
    for line in lines[first:]:
        bullet = _BULLET.fullmatch(line)
        if bullet:
            items.append(bullet[1].strip())
        elif line.startswith((" ", "\t")) and items:
            items[-1] += " " + line.strip()
        elif line.strip():
            return ()
    facts = [item for item in items if len(item.split()) >= 3]
    if len(facts) < 2 or len(facts) < len(items) or _REASONS.search(intro):
        return ()
    lead = intro.rstrip(":").strip()
    return tuple(f"{lead}: {item}" if lead else item for item in items)


def _chained(body: str) -> tuple[str, ...]:
    """Sentences strung together by words like *Also*."""
    parts = [_LINK.sub("", part, count=1) if n else part for n, part in enumerate(_ANOTHER.split(body.strip()))]
    long = [part.strip() for part in parts]
    return (
        tuple(p[:1].upper() + p[1:] for p in long) if len(long) > 2 and all(len(p.split()) >= 4 for p in long) else ()
    )
