"""What a memory learnt, changed its mind about and lost its ground for between two points of its past.

Read from files alone: no index is needed, and git only for commits and for files that were deleted.
"""

from __future__ import annotations

from typing import Mapping

from memoranda.anchor import states
from memoranda.memory.past import Past, Point
from memoranda.memory.store import Store
from memoranda.model.record import Record
from memoranda.model.values import dataclass
from memoranda.recall.facts import expiry
from memoranda.truth import past as git

_STANDS = ("current", "contested")


@dataclass(frozen=True, slots=True)
class Ground:
    """A record and what happened to its ground."""

    record: Record
    reason: str


@dataclass(frozen=True, slots=True)
class Diff:
    """`changed` pairs what was replaced with what replaced it; `learnt` is new and replaces nothing; `lost` stood at
    the first point and no longer does, `regained` the reverse; `gone` names record files that were deleted.
    `since` and `until` are UTC ISO; `commits` name the commits that were asked for ("" for a time).
    """

    since: str
    until: str
    commits: tuple[str, str]
    learnt: tuple[Record, ...]
    changed: tuple[tuple[Record, Record], ...]
    lost: tuple[Ground, ...]
    regained: tuple[Ground, ...]
    gone: tuple[str, ...]

    @property
    def empty(self) -> bool:
        return not (self.learnt or self.changed or self.lost or self.regained or self.gone)


def diff(store: Store, since: Point, until: Point, now: bool) -> Diff:
    """The difference; `now` says that `until` is the present, so that anchors may be looked at."""
    before, after = Past(store, since), store if now else Past(store, until)
    then, here = _records(before), _records(after)
    new = [record for id, record in here.items() if id not in then]
    changed = [
        (here[old], record) for record in new if after.in_effect(record) for old in record.supersedes if old in here
    ]
    replacing = {record.id for _, record in changed}
    lost, regained = [], []
    broken = _broken(after, here) if now else {}
    for id in sorted(then.keys() & here.keys()):
        first, last = _standing(before, then[id], since.at), _standing(after, here[id], until.at)
        last = last or broken.get(id, "")
        if not first and last and not last.startswith("superseded"):
            lost.append(Ground(here[id], last))
        if first and not last:
            regained.append(Ground(here[id], f"was {first}"))
    return Diff(
        since=since.at,
        until=until.at,
        commits=(since.commit, until.commit),
        learnt=tuple(record for record in new if record.id not in replacing),
        changed=tuple(changed),
        lost=tuple(lost),
        regained=tuple(regained),
        gone=tuple(_gone(store, since, until)),
    )


def _records(store: Store) -> Mapping[str, Record]:
    found = (store.read(id) for id in store.catalog.entries)
    ordered = sorted((r for r in found if r is not None), key=lambda record: (record.created, record.id))
    return {record.id: record for record in ordered}


def _standing(store: Store, record: Record, at: str) -> str:
    """Why a record has no sound ground at that point, "" when it has."""
    word = store.state(record)
    if word not in _STANDS:
        return word
    standing = store.standing(record)
    if standing.contradicted:
        return "contradicted"
    return "" if at < store.newest else expiry(record, standing, at)


def _broken(store: Store, records: Mapping[str, Record]) -> Mapping[str, str]:
    anchors = [anchor for record in records.values() for anchor in record.anchors]
    verdicts = dict(zip(anchors, states(anchors, store.world()), strict=True))
    found = {}
    for record in records.values():
        for verdict in (verdicts[anchor] for anchor in record.anchors):
            if verdict.state in ("changed", "gone"):
                found[record.id] = f"{verdict.anchor.partition('@sha256:')[0]} {verdict.state}"
    return found


def _gone(store: Store, since: Point, until: Point) -> list[str]:
    """Files of records that were deleted in between and are nowhere now."""
    root, here = store.folder.root, store.catalog.entries
    if since.commit and until.commit:
        left = {git.id_of(path) for path in until.files}
        return sorted(path for path in since.files if git.id_of(path) and git.id_of(path) not in left)
    return sorted(
        path
        for path, change in git.deleted(root).items()
        if since.at < change.ts <= until.at and git.id_of(path) and git.id_of(path) not in here
    )
