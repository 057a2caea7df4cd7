"""What a record must look like whatever it says: one fact, in text, of a readable size."""

from __future__ import annotations

import re

from memoranda.model.values import dataclass

#: Longer is a document: it belongs in a file that a record points to.
BODY_MAX = 2000
_BULLET = re.compile(r"[ \t]{0,3}[-*+•–][ \t]+(\S.*)")
_NUMBER = re.compile(r"[ \t]{0,3}(?:[0-9]{1,2}[.)]|\([0-9]{1,2}\)|[a-z]\))[ \t]+(\S.*)")
# Introductions after which a list is one statement: reasons for it, or the steps of one way to do something.
_REASONS = re.compile(
    r"(?i)\b(?:because|reasons?|since|why|weil|denn|gründe|parce que|raisons?|porque|razones)\b[^\n]*:?\s*$"
)
_STEPS = re.compile(
    r"(?i)^\s*(?:to|um|pour|para)\s[^\n]*:|\b(?:steps?|how to|procedure|checklist|sequence|in (?:this|that) order|"
    r"in order|recipe|plan|runbook|schritte?n?|ablauf|reihenfolge|anleitung|étapes?|procédure|pasos?|procedimiento)\b"
)
_NEXT = re.compile(
    r"(?i)(?:then|next|finally|afterwards?|after that|dann|danach|zuletzt|schließlich|ensuite|puis|enfin|después|luego|"
    r"por último)\b"
)
_JOINS = (
    "Also|Additionally|Separately|Unrelated(?:ly)?|Furthermore|Moreover|Außerdem|Zudem|Ferner|De plus|En outre|Además"
)
_ANOTHER = re.compile(rf"(?<=[.!?])\s+(?=(?:{_JOINS})\b,?)")
_LINK = re.compile(rf"(?:{_JOINS})\b[,:]?\s*")
# A sentence about *it* goes on about what the one before it spoke of.
_SAME = re.compile(
    r"(?i)(?:it|its|they|their|this|that|these|those|he|she|er|sie|es|dies\w*|das|il|elle|ils|cela|ello|esto|eso)\b"
)
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
            _paragraphs(body),
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


def _paragraphs(body: str) -> tuple[str, ...]:
    """A body that is too long, cut at paragraphs, lines, sentences or words into texts of a record's size."""
    left, parts = body.strip(), list[str]()
    while len(left) > BODY_MAX:
        cuts = (left.rfind(sign, BODY_MAX // 4, BODY_MAX) for sign in ("\n\n", "\n", ". ", " "))
        at = next((cut + 1 for cut in cuts if cut > 0), BODY_MAX)
        parts.append(left[:at].strip())
        left = left[at:].strip()
    return (*parts, left) if left else tuple(parts)


def _listed(body: str) -> tuple[str, ...]:
    """The items of a list, each under its introduction; () for reasons, steps or parts of a single statement."""
    lines = body.strip().split("\n")
    first = next((n for n, line in enumerate(lines) if _BULLET.fullmatch(line) or _NUMBER.fullmatch(line)), None)
    if first is None:
        return ()
    item = _BULLET if _BULLET.fullmatch(lines[first]) else _NUMBER
    intro = " ".join(line.strip() for line in lines[:first] if line.strip())
    items: list[str] = []
    for line in lines[first:]:
        entry = item.fullmatch(line)
        if entry:
            items.append(entry[1].strip())
        elif line.startswith((" ", "\t")) and items:
            items[-1] += " " + line.strip()
        elif line.strip():
            return ()
    facts = [item for item in items if len(item.split()) >= 3]
    if len(facts) < 2 or len(facts) < len(items) or _REASONS.search(intro) or _STEPS.search(intro):
        return ()
    if any(_NEXT.match(item) for item in items[1:]):
        return ()
    lead = intro.rstrip(":").strip()
    return tuple(f"{lead}: {item}" if lead else item for item in items)


def _chained(body: str) -> tuple[str, ...]:
    """Sentences strung together by words like *Also*, unless a later one goes on about the same thing."""
    parts = [_LINK.sub("", part, count=1) if n else part for n, part in enumerate(_ANOTHER.split(body.strip()))]
    long = [part.strip() for part in parts]
    if len(long) < 2 or any(len(p.split()) < 4 for p in long) or any(_SAME.match(p) for p in long[1:]):
        return ()
    return tuple(p[:1].upper() + p[1:] for p in long)
