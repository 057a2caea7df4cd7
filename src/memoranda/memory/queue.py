"""What waits for a person, in the order in which it should be read.

Three hundred records that are alike are one thing to decide, unless one of them is not quite like the others: so what
is alike is drawn together, and the odd one speaks for the rest.
"""

from __future__ import annotations

from collections import Counter
from typing import Sequence

from memoranda.memory.store import Store
from memoranda.model.record import Authority, Record
from memoranda.model.shingles import runs, words
from memoranda.model.values import dataclass, replace
from memoranda.remember.suspicion import unseen

__all__ = ["HeldList", "HeldRecord", "queue", "unseen"]

#: How much a reason weighs in the order; what is not named weighs one.
_RISK = {
    "outside-supersedes-higher": 4,
    "hidden-characters": 4,
    "look-alike-letters": 3,
    "claims-authority": 3,
    "poses-as-system": 3,
    "claims-approval": 2,
    "standing-instruction": 2,
}
_ALIKE = 0.6  # of the shorter one's runs of words


@dataclass(frozen=True, slots=True)
class HeldRecord:
    """One record that waits, and those like it. `reasons` are the door's, or why it waits at reading; `unseen` says
    what eyes miss in its text; `replaces` are the records it would supersede; `alike` the ids of the others in its
    group."""

    record: Record
    authority: Authority
    reasons: tuple[str, ...]
    replaces: tuple[Record, ...] = ()
    unseen: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HeldList:
    """The first groups of what waits; `total` counts records, `groups` groups, shown or not."""

    shown: tuple[HeldRecord, ...]
    total: int
    groups: int


@dataclass(slots=True)
class _Group:
    members: list[HeldRecord]
    hashes: frozenset[int]


def queue(store: Store, limit: int) -> HeldList:
    """The groups that a person should read now: the riskiest first, then the oldest."""
    found = [held for record in _waiting(store) if (held := _one(record, store))]
    groups: dict[tuple[str, ...], list[_Group]] = {}
    for held in found:
        _join(groups.setdefault(held.reasons, []), held)
    shown = sorted((_spoken_for(group.members) for same in groups.values() for group in same), key=_order)
    return HeldList(tuple(shown[:limit]), len(found), len(shown))


def _waiting(store: Store) -> list[Record]:
    entries = store.catalog.entries.values()
    candidates = [e.id for e in entries if e.path.startswith("held/")]
    # A record waits wherever its file lies, so all are looked at; only those that were marked or supersede can wait.
    candidates += [e.id for e in entries if not e.path.startswith("held/")]
    records = (store.read(id) for id in candidates)
    waiting = [r for r in records if r is not None and (r.hold or r.supersedes) and _undecided(store, r)]
    return sorted(waiting, key=lambda record: (record.created, record.id))


def _undecided(store: Store, record: Record) -> bool:
    standing = store.standing(record)
    return not (standing.retired or standing.rejected) and store.held(record)


def _one(record: Record, store: Store) -> HeldRecord:
    replaces = tuple(old for old in map(store.read, record.supersedes) if old is not None)
    reasons = record.hold or ("outside-supersedes-higher",)
    return HeldRecord(record, store.authority(record), reasons, replaces, tuple(unseen(record.body)))


def _join(groups: list[_Group], held: HeldRecord) -> None:
    hashes = runs([word if word.isalpha() else "0" for word in words(held.record.body)])
    for group in groups:
        shorter = min(len(hashes), len(group.hashes))
        if shorter and len(hashes & group.hashes) >= _ALIKE * max(len(hashes), len(group.hashes)):
            group.members.append(held)
            return
    groups.append(_Group([held], hashes))


def _spoken_for(members: Sequence[HeldRecord]) -> HeldRecord:
    """The member that says most that the others do not; the oldest of equals."""
    counts = Counter(word for held in members for word in _tokens(held))
    odd = max(members, key=lambda held: sum(1 for word in _tokens(held) if counts[word] == 1))
    others = tuple(held.record.id for held in members if held is not odd)
    return replace(odd, alike=others)


def _tokens(held: HeldRecord) -> set[str]:
    return {word if word.isalpha() else "0" for word in words(held.record.body)}


def _order(held: HeldRecord) -> tuple[int, str, str]:
    return -sum(_RISK.get(reason, 1) for reason in held.reasons), held.record.created, held.record.id
