"""The section *concluded*: hits on records become records in effect, with what speaks for and against each.

A hit on a superseded record stands for the live end of its chain; two live ends of one chain are both shown, side by
side. With history the replaced ones follow after every other.
"""

from __future__ import annotations

from collections import Counter
from typing import Mapping, Sequence

from memoranda.anchor import states as look
from memoranda.model.query import Concluded, Hit, Query
from memoranda.model.values import replace
from memoranda.model.world import World
from memoranda.recall.facts import Facts, gather
from memoranda.recall.readable import Readable
from memoranda.recall.reweigh import place, reweigh, states

#: Facts are gathered for this many times the limit: a factor can lift what follows, but not from further down.
_POOL = 4


def conclude(
    hits: Sequence[Hit], owners: Mapping[str, Readable], query: Query, now: str, withheld: Counter[str]
) -> list[tuple[Concluded, Hit]]:
    """The section in its order, at most `query.limit` and the rivals beside them; counts what it leaves out."""
    pool = _Pool(query, now, withheld)
    looked_at = max(_POOL * query.limit, 32)
    pool.look_ahead(hits[:looked_at], owners)
    for hit in hits[:looked_at]:
        pool.take(hit, owners[hit.row.doc])
    ordered = pool.ordered()
    cut = query.limit
    while 0 < cut < len(ordered) and ordered[cut][1].record.id in ordered[cut - 1][1].rivals:
        cut += 1
    withheld["more"] += max(0, len(ordered) - cut) + max(0, len(hits) - looked_at)
    return [(_shown(hit, facts, pool.through.get(facts.record.id, ())), hit) for hit, facts in ordered[:cut]]


class _Pool:
    """The records of one answer, each with its best hit."""

    def __init__(self, query: Query, now: str, withheld: Counter[str]) -> None:
        self.query, self.now, self.withheld = query, now, withheld
        self.found: dict[str, tuple[Hit, Facts]] = {}
        self.through: dict[str, tuple[str, ...]] = {}
        self._worlds: dict[Readable, World] = {}
        self._facts: dict[tuple[Readable, str], Facts | None] = {}

    def look_ahead(self, hits: Sequence[Hit], owners: Mapping[str, Readable]) -> None:
        """Look at the anchors of all hits at once: what git is asked about many files costs as much as about one."""
        anchors: dict[Readable, list[str]] = {}
        for hit in hits:
            memory = owners[hit.row.doc]
            record = memory.read(hit.row.doc)
            anchors.setdefault(memory, []).extend(record.anchors if record else ())
        for memory, found in anchors.items():
            if found:
                look(found, self._world(memory))

    def take(self, hit: Hit, memory: Readable) -> None:
        facts = self._gather(hit.row.doc, memory)
        if facts is None:
            self.withheld["unreadable"] += 1
        elif facts.absent:
            self.withheld[facts.absent] += 1
        elif not facts.successors:
            self._enter(hit, facts)
        else:
            self._enter(hit, facts) if self.query.history else self.withheld.update(["superseded"])
            self._stand_in(hit, facts, memory)
        for rival in facts.rivals if facts else ():
            self._follow(rival, hit, memory)

    def _stand_in(self, hit: Hit, old: Facts, memory: Readable) -> None:
        """The live ends take the place of what they replaced, unless they found a better one themselves."""
        for id in old.successors:
            if self._follow(id, hit, memory):
                self.through[id] = (*self.through.get(id, ()), old.record.id)

    def _follow(self, id: str, hit: Hit, memory: Readable) -> bool:
        facts = self._gather(id, memory)
        if facts is None or facts.absent:
            return False
        self._enter(replace(hit, row=replace(hit.row, doc=id)), facts)
        return True

    def _enter(self, hit: Hit, facts: Facts) -> None:
        weighed = reweigh(hit, facts)
        there = self.found.get(facts.record.id)
        if there is None or weighed.weighed > there[0].weighed:
            self.found[facts.record.id] = (weighed, facts)

    def _gather(self, id: str, memory: Readable) -> Facts | None:
        key = (memory, id)
        if key not in self._facts:
            self._facts[key] = gather(id, memory, self._world(memory), self.now)
        return self._facts[key]

    def _world(self, memory: Readable) -> World:
        if memory not in self._worlds:
            self._worlds[memory] = memory.world()
        return self._worlds[memory]

    def ordered(self) -> list[tuple[Hit, Facts]]:
        """By the sort key of `reweigh`, then rivals drawn up beside the first of them."""
        ranked = sorted(self.found.values(), key=lambda pair: place(*pair))
        result: list[tuple[Hit, Facts]] = []
        done: set[str] = set()
        for hit, facts in ranked:
            if facts.record.id in done:
                continue
            beside = [pair for pair in ranked if pair[1].record.id in facts.rivals and pair[1].record.id not in done]
            same_ground = [pair for pair in beside if bool(pair[1].broken) == bool(facts.broken)]
            result += [(hit, facts), *same_ground]
            done |= {facts.record.id, *(pair[1].record.id for pair in same_ground)}
        return result


def _shown(hit: Hit, facts: Facts, through: Sequence[str]) -> Concluded:
    return Concluded(
        record=facts.record,
        memory=facts.memory,
        authority=facts.authority,
        states=states(facts),
        because=hit.factors,
        score=hit.weighed,
        ranks=hit.ranks,
        verdicts=facts.verdicts,
        successors=facts.successors,
        contested_with=facts.rivals,
        notices=_notices(facts, through),
    )


def _notices(facts: Facts, through: Sequence[str]) -> tuple[str, ...]:
    """What a reader has to know before relying on the record, with the next step."""
    id = facts.record.id
    found = []
    if facts.broken:
        places = ", ".join(verdict.anchor.partition("@sha256:")[0] for verdict in facts.broken)
        found.append(f"its ground changed ({places}): look again before relying on it, memoranda verify {id}")
    if facts.expired:
        found.append(f"past its window ({facts.expired}): confirm it, memoranda verify {id}")
    if facts.standing.contradicted:
        found.append(f"contradicted {facts.standing.contradicted} times since it was verified: not settled")
    if facts.edited:
        found.append("edited by hand since it was written: memoranda adopt makes a record of the edit")
    if through:
        found.append(f"found through {' '.join(through)}, which it replaced")
    return tuple(found)
