"""What sort of fact a record is, how long it holds and how far to trust it: rules only, each with a reason code.

Nothing here asks a model, a clock or a disk: the same candidate through the same door is always classified alike. The
text of a candidate never raises what its door allows, whatever it says of itself.
"""

from __future__ import annotations

import re

from memoranda.model.errors import MemorandaError
from memoranda.model.outcome import Screened
from memoranda.model.record import CHANNEL_TABLE, Candidate, Category, Channel, Confidence, Door, Durability
from memoranda.model.values import dataclass
from memoranda.ports import Classifier
from memoranda.remember import phrases

_RANK = {Confidence.LOW: 0, Confidence.MEDIUM: 1, Confidence.HIGH: 2}
#: The word written as `source` where the caller gives none.
SOURCES: dict[Channel, str] = {
    Channel.DIRECT_SESSION: "user_message",
    Channel.QUOTED: "user_message",
    Channel.AGENT: "agent_message",
    Channel.TOOL: "tool_output",
    Channel.CONNECTOR: "connector",
    Channel.WEB: "web_page",
    Channel.EMAIL: "email",
    Channel.MEDIA: "media_extract",
    Channel.IMPORT: "import",
    Channel.RECEIVE: "shared_memory",
}

_FIRST_MATCH: tuple[tuple[Category, re.Pattern[str]], ...] = (
    (Category.SUMMARY, phrases.SUMMARY),
    (Category.DECISION, phrases.DECISION),
    (Category.PREFERENCE, phrases.PREFERENCE),
    (Category.GOAL, phrases.GOAL),
    (Category.CONSTRAINT, phrases.CONSTRAINT),
    (Category.REFERENCE, phrases.REFERENCE),
)
_SHORTEST = 12  # characters: less is a remark ("ok, done"), not a fact worth finding again


@dataclass(frozen=True, slots=True)
class Classified:
    """What the rules decided. `reasons` are stable codes like `durability:temporal`, in the order they were reached."""

    category: Category
    durability: Durability
    confidence: Confidence
    source: str
    reasons: tuple[str, ...]


def classify(
    screened: Screened[Candidate],
    door: Door,
    now: str,
    outside: bool = False,
    classifier: Classifier | None = None,
    replaced: Category | None = None,
) -> Classified:
    """Category, durability, confidence and source of a screened candidate from a door.

    `replaced` is the category of the record that it supersedes: a correction is of the same sort unless it says so.
    `outside` says that it is derived from what came from outside, whoever says it now. `classifier` is asked only
    when a text speaks of a passing time and of always at once. What a principal sends whom the settings let write here
    lasts as what is said inside does. `now` (UTC) is part of the signature so that rules
    about dates need no clock; no rule reads it yet.
    """
    candidate = screened.value
    outside = outside or CHANNEL_TABLE[door.channel][0].outside
    category, why_category = _category(candidate, replaced)
    durability, why_durability = _durability(candidate, category, outside and not door.lasting, classifier)
    confidence, why_confidence = _confidence(candidate, door, outside)
    return Classified(
        category=category,
        durability=durability,
        confidence=confidence,
        source=candidate.source.strip() or SOURCES[door.channel],
        reasons=(f"category:{why_category}", f"durability:{why_durability}", f"confidence:{why_confidence}"),
    )


def _category(candidate: Candidate, replaced: Category | None) -> tuple[Category, str]:
    if candidate.category is not None:
        return candidate.category, "given"
    if replaced is not None:
        return replaced, "as-superseded"
    for category, pattern in _FIRST_MATCH:
        if pattern.search(candidate.body):
            return category, f"says-{category.value}"
    return Category.NOTE, "nothing-said"


def _durability(
    candidate: Candidate, category: Category, outside: bool, classifier: Classifier | None
) -> tuple[Durability, str]:
    """First match wins: outside, a claim from inside, passing time, too short, then the category."""
    body = candidate.body
    passing = bool(phrases.TEMPORAL.search(body)) and not phrases.RECURRING.search(body)
    if outside and candidate.durability is Durability.TRANSIENT:
        return Durability.TRANSIENT, "given"
    if outside:
        return _from_outside(candidate, passing)
    if candidate.durability is not None:
        return candidate.durability, "given"
    if passing and phrases.LASTING.search(body):
        return _settled(body, classifier)
    if passing:
        return Durability.TRANSIENT, "temporal"
    if _length(body) < _SHORTEST and candidate.category is None:
        return Durability.TRANSIENT, "too-short"
    if category is Category.SUMMARY:
        return Durability.TRANSIENT, "summary-passes"
    return Durability.DURABLE, f"{category.value}-lasts"


def _length(body: str) -> int:
    """Characters, those of scripts that write a word in one or two of them counted threefold."""
    return sum(3 if char >= "\u2e80" else 1 for char in body.strip())


def _settled(body: str, classifier: Classifier | None) -> tuple[Durability, str]:
    """The signals conflict. Without somebody to ask it is transient: kept, and easily promoted."""
    if classifier is None:
        return Durability.TRANSIENT, "conflict"
    try:
        return (Durability.DURABLE if classifier.lasts(body) else Durability.TRANSIENT), "asked"
    except MemorandaError:
        return Durability.TRANSIENT, "conflict"


def _from_outside(candidate: Candidate, passing: bool) -> tuple[Durability, str]:
    """What others wrote lasts only as something to look up, and only if it reads so. A preference, decision or rule of
    theirs is not ours, and what a text or its sender says about its own importance counts for nothing."""
    body = candidate.body
    if passing:
        return Durability.TRANSIENT, "temporal"
    if phrases.PLEA.search(body):
        return Durability.TRANSIENT, "asks-to-last"
    said = next((category for category, pattern in _FIRST_MATCH if pattern.search(body)), None)
    if said is Category.REFERENCE and candidate.category in (None, Category.REFERENCE):
        return Durability.DURABLE, "reference-lasts"
    return Durability.TRANSIENT, "from-outside"


def _confidence(candidate: Candidate, door: Door, outside: bool) -> tuple[Confidence, str]:
    """The channel's default, lowered by a lower claim or by the agent's own doubt; a higher claim is cut to the cap."""
    _, default, highest = CHANNEL_TABLE[door.channel]
    if outside and not CHANNEL_TABLE[door.channel][0].outside:
        return Confidence.LOW, "derived-from-outside"
    if candidate.confidence is not None and _RANK[candidate.confidence] > _RANK[highest]:
        return highest, "capped-by-channel"
    if candidate.confidence is not None:
        return candidate.confidence, "given"
    if candidate.inferred and _RANK[default] > _RANK[Confidence.MEDIUM]:
        return Confidence.MEDIUM, "inferred"
    return default, f"{door.channel.value}-default"
