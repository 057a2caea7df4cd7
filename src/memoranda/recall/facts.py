"""What is true of a record at this moment: read from its file, its events, its successors and its anchors.

Nothing here asks a model, and nothing is kept for the next recall. `gather` reads; the value it returns is all that
`reweigh` sees.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memoranda.anchor import states
from memoranda.model.query import Verdict
from memoranda.model.record import Authority, Candidate, Durability, Record
from memoranda.model.standing import Standing
from memoranda.model.values import dataclass
from memoranda.model.world import World
from memoranda.recall.readable import Readable
from memoranda.recall.weights import WINDOW_DAYS

_FORM = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True, slots=True)
class Facts:
    """One record as it stands. `absent` says why it may not be shown ("" when it may); superseded ones may with
    history. `successors` are the live ends of its chain, `rivals` the other live ends of a chain it is an end of.
    `expired` gives the reason when its window is over."""

    record: Record
    memory: str
    authority: Authority
    standing: Standing
    absent: str = ""
    successors: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    expired: str = ""
    verdicts: tuple[Verdict, ...] = ()

    @property
    def edited(self) -> bool:
        """The file is not the one its id names: somebody changed it by hand."""
        return not self.record.intact

    @property
    def broken(self) -> tuple[Verdict, ...]:
        """The anchors whose ground is no longer what it was."""
        return tuple(v for v in self.verdicts if v.state in ("changed", "gone"))

    @property
    def moved(self) -> tuple[Verdict, ...]:
        """The anchors whose text stands elsewhere now, word for word."""
        return tuple(v for v in self.verdicts if v.state == "moved")

    @property
    def unseen(self) -> tuple[Verdict, ...]:
        """The anchors that cannot be looked at from here."""
        return tuple(v for v in self.verdicts if v.state == "unknown")


def gather(id: str, memory: Readable, world: World, now: str) -> Facts | None:
    """The facts of one record; None when its file is gone, broken, or one of two that claim the id."""
    record = memory.read(id)
    if record is None:
        return None
    standing = memory.standing(record)
    absent = _absent(record, memory, standing)
    return Facts(
        record=record,
        memory=memory.name,
        authority=memory.authority(record),
        standing=standing,
        absent=absent,
        successors=live_ends(record.id, memory),
        rivals=() if absent else _rivals(record, memory),
        expired="" if now < memory.newest else expiry(record, standing, now),
        verdicts=() if absent else states(record.anchors, world),
    )


def _absent(record: Record, memory: Readable, standing: Standing) -> str:
    """Why a record has no place in an answer."""
    if standing.retired:
        return "retired"
    if standing.rejected:
        return "rejected"
    if memory.held(record):
        return "held"
    if record.durability is Durability.TRANSIENT and not (record.core or standing.promoted):
        return "transient"
    if not record.intact and _unfit(record, memory):
        return "edited and refused by the screen"
    return ""


def _unfit(record: Record, memory: Readable) -> bool:
    """A hand-edited record came past no door, so it is screened before it is shown."""
    from memoranda.model.outcome import Refused
    from memoranda.screen import screen

    return isinstance(screen(Candidate(body=record.body), memory.screeners()), Refused)


def live_ends(id: str, memory: Readable) -> tuple[str, ...]:
    """Where the chain that starts at `id` ends now: records in effect that nothing in effect supersedes.

    Empty when nothing supersedes `id`. A cycle, possible only in crafted files, has no end and supersedes nothing.
    """
    ends: set[str] = set()
    seen = {id}
    todo = list(memory.superseders(id))
    while todo:
        current = todo.pop()
        if current in seen:
            continue
        seen.add(current)
        onward = memory.superseders(current)
        if not onward:
            ends.add(current)
        todo += onward
    return tuple(sorted(ends))


def _rivals(record: Record, memory: Readable) -> tuple[str, ...]:
    """Other live ends of the chains this record ends: two corrections of one fact, both in effect."""
    if memory.superseders(record.id):
        return ()
    rivals: set[str] = set()
    seen: set[str] = set()
    todo = list(record.supersedes)
    while todo:
        old = todo.pop()
        if old in seen:
            continue
        seen.add(old)
        rivals.update(live_ends(old, memory))
        ancestor = memory.read(old)
        todo += ancestor.supersedes if ancestor else ()
    return tuple(sorted(rivals - {record.id}))


def expiry(record: Record, standing: Standing, now: str) -> str:
    """The reason when the category's window is over, else "". At the window's last second it still holds."""
    since = max(record.created, standing.verified)
    days = WINDOW_DAYS[record.category.value]
    if moment_of(now) - moment_of(since) <= timedelta(days=days):
        return ""
    what = "verified" if standing.verified and since == standing.verified else "created"
    return f"{record.category.value}, last {what} {since[:10]}, holds {days} days"


def moment_of(text: str) -> datetime:
    """A time as records hold it."""
    return datetime.strptime(text, _FORM).replace(tzinfo=UTC)
