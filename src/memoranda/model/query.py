"""Questions and answers: what is asked, what was found, and why it stands where it does."""

from __future__ import annotations

from memoranda.model.problem import Problem
from memoranda.model.record import Authority, Record
from memoranda.model.values import dataclass, field


@dataclass(frozen=True, slots=True)
class Filters:
    """What may be searched at all; applied before the search. Times are UTC ISO strings, both ends inclusive.

    Empty tuples mean no restriction. `kinds` holds "record", "turn" and "evidence".
    """

    kinds: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    roles: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    harnesses: tuple[str, ...] = ()
    repos: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """One question.

    `limit` counts hits a section; `budget_tokens` bounds the whole answer. `lexical` leaves the embedder alone.
    `as_of` (UTC ISO) asks for what was known then, "" for now. `why` are documents (a record's id, a turn's locator)
    of which the answer says why they are not in it.
    """

    text: str
    limit: int = 8
    filters: Filters = field(default_factory=Filters)
    history: bool = False
    lexical: bool = False
    budget_tokens: int = 4000
    neighbours: int = 1
    weak: bool = False
    as_of: str = ""
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Factor:
    """A named multiplier and its reason, e.g. ("stale", 0.5, "file:… changed")."""

    name: str
    multiplier: float
    reason: str


@dataclass(frozen=True, slots=True)
class Ranked:
    """One row of one signal's ranking, best first: where a chunk stands, never its text.

    `doc` is a record id or a turn locator ("turn:<harness>/<session>/<turn id>"); `start` and `end` are code points
    of the block's stored text. `score` is the signal's own, comparable only within it.
    """

    key: str
    doc: str
    kind: str
    score: float
    harness: str = ""
    session: str = ""
    seq: int = 0
    block: int = 0
    start: int = 0
    end: int = 0
    role: str = ""
    type: str = ""
    ts: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A fused row: `ranks` maps each signal that found it to its 1-based rank; `score` is the fused score."""

    row: Ranked
    score: float
    ranks: tuple[tuple[str, int], ...]
    factors: tuple[Factor, ...] = ()

    @property
    def weighed(self) -> float:
        """The fused score times every factor's multiplier."""
        value = self.score
        for factor in self.factors:
            value *= factor.multiplier
        return value


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of an anchor: fresh, moved, changed, gone, unknown (it could not be looked at here), redacted.

    `now` is the locator where its text stands now; of one that changed, where what took its place stands, or the file
    it was renamed to; "" when that is the same or unknown.
    """

    anchor: str
    state: str
    reason: str = ""
    now: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """An anchor's old source beside its new one, both cut to what differs.

    `before` is what was anchored, proven by its fingerprint, and `source` the commit or branch it was read from; both
    are "" when git never had it. `after` is what stands at `place` now, "" when nothing does. `longer` says that
    either was cut short.
    """

    anchor: str
    before: str
    source: str
    after: str
    place: str
    longer: bool = False


@dataclass(frozen=True, slots=True)
class Concluded:
    """A record in an answer, read from its file at that moment.

    `groundedness` lists what was checked (anchors, expiry, channel); `usefulness` stays None outside a trial. The
    two are never added.
    """

    record: Record
    memory: str
    authority: Authority
    states: tuple[str, ...]
    because: tuple[Factor, ...]
    score: float
    ranks: tuple[tuple[str, int], ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    successors: tuple[str, ...] = ()
    contested_with: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    usefulness: None = None


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A line of context beside a passage: the beginning of the turn before or after."""

    locator: str
    role: str
    seq: int
    text: str


@dataclass(frozen=True, slots=True)
class Said:
    """A passage of a turn, its words read from the turns file.

    `also` are the other turns that say the same, word for word: a forked or resumed session repeats its beginning.
    """

    locator: str
    memory: str
    harness: str
    session: str
    turn: str
    seq: int
    ts: str
    role: str
    type: str
    text: str
    start: int
    end: int
    score: float
    ranks: tuple[tuple[str, int], ...] = ()
    before: tuple[Neighbour, ...] = ()
    after: tuple[Neighbour, ...] = ()
    cited_by: tuple[str, ...] = ()
    successors: tuple[str, ...] = ()
    cwd: str | None = None
    flags: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage of what was seen or heard: words that were read out of evidence, with their exact place there.

    `authority` is what its origin gives it: external unless a person said otherwise.
    `locator` can be opened: a clip, a region, a page.
    """

    locator: str
    memory: str
    name: str
    media_type: str
    created: str
    origin: str
    authority: Authority
    text: str
    score: float
    ranks: tuple[tuple[str, int], ...] = ()
    cited_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexState:
    """Whether the index held everything when it was asked. Counts are of documents, `unembedded` of passages."""

    current: bool
    passages: int = 0
    pending: int = 0
    unembedded: int = 0
    model: str = ""
    signals: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a recall found, in sections that are never mixed, and what it left out."""

    query: Query
    concluded: tuple[Concluded, ...]
    said: tuple[Said, ...]
    index: IndexState
    withheld: tuple[tuple[str, int], ...] = ()
    notices: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    tokens: int = 0
    trace: tuple[tuple[str, str], ...] = field(default=())
    shown: tuple[Shown, ...] = ()
    absences: tuple[tuple[str, str], ...] = ()

    @property
    def empty(self) -> bool:
        return not self.concluded and not self.said and not self.shown
