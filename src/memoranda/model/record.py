"""Records: what was concluded, one atomic fact each, and the words that grade it.

Everything here is a frozen value. Parsing and printing live in `truth`; deciding lives in `remember`.
"""

from __future__ import annotations

from enum import IntEnum, StrEnum

from memoranda.model.values import dataclass, field


class Category(StrEnum):
    """What sort of fact a record is."""

    PREFERENCE = "preference"
    DECISION = "decision"
    CONSTRAINT = "constraint"
    GOAL = "goal"
    REFERENCE = "reference"
    SUMMARY = "summary"
    NOTE = "note"


class Durability(StrEnum):
    """Whether a record is indexed for recall (durable) or only kept (transient)."""

    DURABLE = "durable"
    TRANSIENT = "transient"


class Confidence(StrEnum):
    """high: a person said it or it was proven; medium: an agent's inference; low: a third party."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Channel(StrEnum):
    """How a record reached us. Set by the door, never by the payload."""

    DIRECT_SESSION = "direct_session"
    QUOTED = "quoted"
    AGENT = "agent"
    TOOL = "tool"
    CONNECTOR = "connector"
    WEB = "web"
    EMAIL = "email"
    MEDIA = "media"
    IMPORT = "import"
    RECEIVE = "receive"


class Authority(IntEnum):
    """What a statement may do, lowest first; comparisons follow the order of SPEC section 1."""

    FOREIGN = 0
    EXTERNAL = 1
    INFERRED = 2
    OBSERVED = 3
    VERIFIED = 4
    QUOTED = 5
    REVIEWED = 6
    OWNER = 7

    @property
    def word(self) -> str:
        return self.name.lower()

    @property
    def outside(self) -> bool:
        """True for external and foreign, the two that weigh less and cannot supersede what is higher."""
        return self <= Authority.EXTERNAL


#: The table of SPEC section 1: channel -> (authority of the record itself, default confidence, highest confidence).
CHANNEL_TABLE: dict[Channel, tuple[Authority, Confidence, Confidence]] = {
    Channel.DIRECT_SESSION: (Authority.OWNER, Confidence.HIGH, Confidence.HIGH),
    Channel.QUOTED: (Authority.QUOTED, Confidence.HIGH, Confidence.HIGH),
    Channel.AGENT: (Authority.OBSERVED, Confidence.MEDIUM, Confidence.MEDIUM),
    Channel.TOOL: (Authority.EXTERNAL, Confidence.LOW, Confidence.LOW),
    Channel.CONNECTOR: (Authority.EXTERNAL, Confidence.LOW, Confidence.LOW),
    Channel.WEB: (Authority.EXTERNAL, Confidence.LOW, Confidence.LOW),
    Channel.EMAIL: (Authority.EXTERNAL, Confidence.LOW, Confidence.LOW),
    Channel.MEDIA: (Authority.EXTERNAL, Confidence.LOW, Confidence.LOW),
    Channel.IMPORT: (Authority.FOREIGN, Confidence.LOW, Confidence.LOW),
    Channel.RECEIVE: (Authority.FOREIGN, Confidence.LOW, Confidence.LOW),
}


@dataclass(frozen=True, slots=True)
class Door:
    """Who is writing, as the place they came through proved it: never as the payload claims it.

    `name` is the view ("cli", "sdk", "mcp", ...), `principal` the person or agent where the door knows one. `lasting`
    says that the user's settings grant this principal to write here: what it says lasts as it says, though it comes
    from outside; its authority stays that of the channel.
    """

    channel: Channel
    principal: str | None = None
    name: str = "sdk"
    lasting: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that asks to be remembered, before anything has looked at it.

    `anchors` are locators without fingerprints (the write line takes those), but for what is received, which brings
    whole ones; `category`, `durability` and
    `confidence` are claims that the rules may overrule. `inferred` and `proof` are what an agent says of its own
    ground: a summary or guess, or a locator that can be checked again. `aliases` are names it went by elsewhere.
    """

    body: str
    source: str = ""
    category: Category | None = None
    durability: Durability | None = None
    confidence: Confidence | None = None
    observed: str | None = None
    entities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    derived_from: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    scope: str | None = None
    inferred: bool = False
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """One record as it stands on disk.

    `digest` is the SHA-256 (64 hex) of the exact file bytes without the `id:` line; `intact` says whether `id` is
    `mem_` and its first twelve digits, so a hand edit reads as `intact=False`. `path` is relative to the memory,
    POSIX style, "" before it is written. `extra` holds unknown keys in their sorted order: a string or a tuple of
    strings. Times are UTC, "YYYY-MM-DDTHH:MM:SSZ".
    """

    id: str
    created: str
    category: Category
    source: str
    channel: Channel
    durability: Durability
    confidence: Confidence
    screened: str
    body: str
    principal: str | None = None
    observed: str | None = None
    scope: str | None = None
    entities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    derived_from: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    hold: tuple[str, ...] = ()
    extra: tuple[tuple[str, str | tuple[str, ...]], ...] = ()
    digest: str = field(default="", compare=False)
    path: str = field(default="", compare=False)

    @property
    def intact(self) -> bool:
        """True when the name certifies the bytes."""
        return bool(self.digest) and self.id == f"mem_{self.digest[:12]}"

    @property
    def core(self) -> bool:
        """True when the file lies in core/, the only place that has an effect."""
        return self.path.startswith("core/")

    @property
    def aliases(self) -> tuple[str, ...]:
        """Names it went by before it was adopted."""
        value = dict(self.extra).get("alias", ())
        return (value,) if isinstance(value, str) else value

    @property
    def headline(self) -> str:
        """The first line of the body."""
        return self.body.split("\n", 1)[0].strip()


def own_authority(record: Record) -> Authority:
    """The authority a record has by itself: its channel's, or for an agent's word what its ground makes of it.

    An agent's statement with a file anchor can be run again and is *verified*; one that calls itself a summary or a
    guess (source "agent_inference") is *inferred*. A hand-edited record certifies nothing and is *external*.
    """
    if not record.intact:
        return min(Authority.EXTERNAL, CHANNEL_TABLE[record.channel][0])
    if record.channel is Channel.AGENT:
        if record.source == "agent_inference":
            return Authority.INFERRED
        if any(anchor.startswith("file:") for anchor in record.anchors):
            return Authority.VERIFIED
    return CHANNEL_TABLE[record.channel][0]
