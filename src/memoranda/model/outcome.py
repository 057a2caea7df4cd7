"""What the door decided: a value, the same words at every door."""

from __future__ import annotations

from typing import Generic, Literal, TypeVar, Union

from memoranda.model.record import Candidate, Category, Channel, Confidence, Durability, Record
from memoranda.model.values import dataclass

T = TypeVar("T")

Layer = Literal["credentials", "personal", "form", "policy"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a screener saw. It names rule, layer and place (code points of the text looked at), never the value.

    `validated` is true for structured credentials whose form or checksum was checked: only those are redacted in
    turns; `view` names the decoded view it was seen through ("" for the text itself, then the span covers the
    encoded run it came from, or is empty (0, 0) when that could not be told).
    """

    rule: str
    layer: Layer
    start: int = 0
    end: int = 0
    validated: bool = True
    view: str = ""


@dataclass(frozen=True, slots=True)
class Screened(Generic[T]):
    """A value that passed the screen under rule version `rules`.

    Only `memoranda.screen` constructs it (a guard test holds that); only values of this type can be written.
    """

    value: T
    rules: str
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A screened candidate and all that the rules decided about it: everything of a record but its name.

    Free text comes only from `candidate`, so a draft cannot carry what was not screened. `anchors` are complete
    (locator and fingerprint) and print anchors.
    """

    candidate: Screened[Candidate]
    created: str
    category: Category
    source: str
    channel: Channel
    durability: Durability
    confidence: Confidence
    principal: str | None = None
    anchors: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    derived_from: tuple[str, ...] = ()
    hold: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stored:
    """A new record is durable on disk. `reasons` are the reason codes of its classification."""

    record: Record
    reasons: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    word: Literal["stored"] = "stored"


@dataclass(frozen=True, slots=True)
class Known:
    """The same statement is already kept, as `record`; nothing was written but an event naming the second source."""

    record: Record
    reasons: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    word: Literal["known"] = "known"


@dataclass(frozen=True, slots=True)
class Held:
    """Kept on disk but without effect until a person releases it. `reasons` say why."""

    record: Record
    reasons: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    word: Literal["held"] = "held"


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing was written. `findings` name rule and layer; `message` and `hint` are for people."""

    message: str
    hint: str = ""
    findings: tuple[Finding, ...] = ()
    proposed: tuple[str, ...] = ()
    word: Literal["refused"] = "refused"


Outcome = Union[Stored, Known, Held, Refused]
