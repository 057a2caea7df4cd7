"""Hold what older rules let in against the rules of today, and repair it.

    a turn     its line is written anew with the credential cut out; the event comes first (locator, old, new, rule)
    a record   a redacted successor is stored if anything is left, then the old file is erased, with a tombstone

Only what was screened under other rules is looked at; running it again finds nothing. What stands in git history, in
copies and in other people's clones stays there: the report says what of it is known.
"""

from __future__ import annotations

import hashlib
from typing import Iterator, Sequence

from memoranda.memory.store import Store
from memoranda.model.errors import Unavailable
from memoranda.model.locator import TurnLocator
from memoranda.model.outcome import Draft, Refused, Screened
from memoranda.model.problem import Problem
from memoranda.model.record import Candidate, Record
from memoranda.model.turn import Block, Turn
from memoranda.model.values import dataclass, replace
from memoranda.ports import discover
from memoranda.screen import redact, rules_of, screen
from memoranda.truth import past as git

_BATCH = 512  # turns that are screened together


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that older rules let in. `place` is a record id or a turn locator, `rule` what finds it now;
    `successor` the id of the redacted record, "" where nothing was left; `commits` how many commits of the memory's
    own repository still hold it."""

    place: str
    rule: str
    screened: str
    successor: str = ""
    commits: int = 0


@dataclass(frozen=True, slots=True)
class Guess:
    """A record in which a slow screener saw a person's details: which rules, never what. Nothing follows from it."""

    place: str
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rescan:
    """`records` and `turns` count what was looked at; `rules` is the version it was held against. With `applied`
    False nothing was changed. `guesses` are for a person to look at."""

    rules: str
    records: int
    turns: int
    found: tuple[Found, ...]
    applied: bool
    problems: tuple[Problem, ...] = ()
    guesses: tuple[Guess, ...] = ()

    @property
    def in_history(self) -> tuple[Found, ...]:
        return tuple(found for found in self.found if found.commits)


def rescan(store: Store, now: str, apply: bool) -> Rescan:
    """Look at everything that was screened under other rules; with `apply` repair it. Raises `Busy`, `Unavailable`."""
    rules = rules_of(store.screeners())
    records, problems = store.records.scan()
    old = [record for record in records if record.screened != rules]
    found = [one for record in old if (one := _record(store, record, now, apply))]
    turns, in_turns = 0, []
    for file in list(store.turn_files()):
        count, here = _file(store, file.path, rules, apply)
        turns += count
        in_turns += here
    if apply and (found or in_turns):
        store.index.drop()  # it holds the words that were cut out, and its log the names of files that are gone
        store.catch_up(again=None)
    return Rescan(rules, len(old), turns, (*found, *in_turns), apply, tuple(problems))


def guesses(store: Store) -> tuple[Guess, ...]:
    """What screeners that take long see in the records in effect. Raises `Unavailable` when there are none of them."""
    slow = [discover.load("slow_screeners", name)(store.settings.cache) for name in discover.names("slow_screeners")]
    if not slow:
        raise Unavailable("no screener that looks for people is installed", 'pip install "memoranda[pii]"')
    records = [record for record in store.records.scan()[0] if store.in_effect(record)]
    texts = ["\n".join((record.body, record.source, record.scope or "", *record.entities)) for record in records]
    found = [screener.look(texts) for screener in slow]
    seen = (tuple(dict.fromkeys(f.rule for each in found for f in each[n])) for n in range(len(records)))
    return tuple(Guess(r.id, rules) for r, rules in zip(records, seen, strict=True) if rules)


def _record(store: Store, record: Record, now: str, apply: bool) -> Found | None:
    candidate = _candidate(record)
    verdict = screen(candidate, store.screeners())
    if not isinstance(verdict, Refused) or not verdict.findings or verdict.findings[0].layer in ("form", "policy"):
        return None
    rule = verdict.findings[0].rule
    commits = len(git.changes(store.folder.root, record.id))
    if not apply:
        return Found(record.id, rule, record.screened, commits=commits)
    standing, replaced = store.standing(record), bool(store.superseders(record.id))
    successor = _successor(store, record, now)
    name = successor.id if successor else ""
    store.event("erased", record.digest, f"rescan {rule}" + (f", now {name}" if name else ""))
    store.records.erase(record)
    if successor is not None:
        if standing.retired or standing.rejected or replaced:  # what had no effect gets none
            store.event("retired", successor.digest, f"stands for {record.id}")
        elif standing.promoted:
            store.event("promoted", successor.digest, f"stands for {record.id}")
        if record.core:
            store.records.move(successor, "core")
    store.handed.forget([record.id])
    store.moved()
    return Found(record.id, rule, record.screened, name, commits)


def _candidate(record: Record) -> Candidate:
    return Candidate(
        body=record.body,
        source=record.source,
        observed=record.observed,
        entities=record.entities,
        tags=record.tags,
        scope=record.scope,
    )


def _successor(store: Store, record: Record, now: str) -> Record | None:
    """What is left of a record once the values are cut out, None when that says nothing any more.

    It comes through the same door at the same rank; it keeps its own past, for it stands where the old one stood.
    """
    screeners = store.screeners()
    names = [*record.entities, *record.tags]
    cut = redact([_turn([record.body, record.source, record.scope or "", *names])], screeners)[0].value
    body, source, scope, *words = (block.text for block in cut.blocks)
    entities, tags = words[: len(record.entities)], words[len(record.entities) :]
    left = replace(
        _candidate(record),
        body=body,
        source=source,
        scope=scope or None,
        entities=tuple(entities),
        tags=tuple(tags),
    )
    screened = screen(left, screeners)
    if isinstance(screened, Refused) or not _says_something(body):
        return None
    return store.write(
        Draft(
            candidate=screened,
            created=now,
            category=record.category,
            source=source,
            channel=record.channel,
            durability=record.durability,
            confidence=record.confidence,
            principal=record.principal,
            anchors=record.anchors,
            supersedes=record.supersedes,
            contradicts=record.contradicts,
            derived_from=record.derived_from,
            hold=record.hold,
        )
    )


def _turn(texts: Sequence[str]) -> Turn:
    return Turn("", "", "user", "record", tuple(Block("text", text) for text in texts))


def _says_something(body: str) -> bool:
    """At least three words beside the marks of what was cut out."""
    kept = body.replace("[REDACTED:", " [").split()
    return sum(1 for word in kept if not word.startswith("[") and any(map(str.isalpha, word))) >= 3


def _file(store: Store, path: str, rules: str, apply: bool) -> tuple[int, list[Found]]:
    """How many turns of a file were looked at, and what was found in them. A file without a find is not written."""
    found: list[Found] = []
    better: dict[tuple[str, int], Screened[Turn]] = {}
    looked, batch = 0, list[Turn]()
    for turn in _older(store, path, rules):
        looked += 1
        batch.append(turn)
        if len(batch) == _BATCH:
            _screened(store, batch, better, found)
            batch = []
    _screened(store, batch, better, found)
    if apply and better:
        for turn, now in (
            (old, better[old.turn, old.seq]) for old in _older(store, path, rules) if _key(old) in better
        ):
            cause = f"{_sha(turn)} -> {_sha(now.value)} {_rule(turn, now)}"
            store.event("rescanned", _place(turn), cause)
        store.turn_store.rewrite(path, lambda turn: better.get(_key(turn)) if turn.screened != rules else None)
    return looked, found


def _older(store: Store, path: str, rules: str) -> Iterator[Turn]:
    for item in store.turns(path):
        if not isinstance(item, Problem) and item[0].screened != rules:
            yield item[0]


def _screened(
    store: Store, turns: Sequence[Turn], better: dict[tuple[str, int], Screened[Turn]], found: list[Found]
) -> None:
    """Note the turns that the rules of today would have kept otherwise. Marks alone are no reason to touch a line."""
    screeners = store.screeners()
    rules = rules_of(screeners)
    for turn, now in zip(turns, redact([replace(t, screened=rules) for t in turns], screeners), strict=True):
        if now.value.text != turn.text:
            better[_key(turn)] = now
            found.append(Found(_place(turn), _rule(turn, now), turn.screened))


def _key(turn: Turn) -> tuple[str, int]:
    return turn.turn, turn.seq


def _place(turn: Turn) -> str:
    return str(TurnLocator(turn.harness, turn.session, turn=turn.turn))


def _rule(old: Turn, now: Screened[Turn]) -> str:
    before = {mark for block in old.blocks for mark in block.marks}
    marks = (mark for block in now.value.blocks for mark in block.marks if mark not in before)
    return next((mark.partition(":")[2] for mark in marks if mark.startswith(("redacted:", "elided:"))), "changed")


def _sha(turn: Turn) -> str:
    return hashlib.sha256(turn.text.encode("utf-8", "surrogatepass")).hexdigest()
