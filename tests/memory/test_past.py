"""As-of: an answer about the past is the answer of a memory in which nothing later exists."""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from support.doors import PERSON, WEB

from memoranda import Memory
from memoranda.model.errors import Invalid
from memoranda.model.outcome import Screened
from memoranda.model.turn import Block, Turn

START = datetime(2026, 1, 1, tzinfo=UTC)
TOPICS = ("staging deploy window", "parser buffer size", "retry budget", "release branch", "coffee order")
EVERYTHING = {"limit": 200, "budget_tokens": 1_000_000, "lexical": True, "weak": True, "history": True}


def stamp(days: float) -> str:
    return (START + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


class Clock:
    """Every clock the memory reads, set by the test."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.days = 0.0
        monkeypatch.setattr("memoranda.memory.memory.now", lambda: stamp(self.days))
        monkeypatch.setattr("memoranda.memory.lookback.now", lambda: stamp(self.days))

    def on(self, memory: Memory) -> Memory:
        memory._store.events._clock = lambda: START + timedelta(days=self.days)
        return memory


@pytest.fixture
def clock(monkeypatch) -> Clock:
    return Clock(monkeypatch)


def turn(text: str, session: str, seq: int, captured: str) -> Screened[Turn]:
    said = Turn(
        session=session,
        turn=f"{session}-{seq}",
        role="user",
        harness="claude",
        blocks=(Block("text", text),),
        ts=stamp(0),
        seq=seq,
        captured=captured,
        screened="3",
    )
    return Screened(said, "3")


def a_year(memory: Memory, clock: Clock, chance: random.Random, steps: int) -> None:
    """Records, corrections, doubts, retirements and turns over a year; the clock of events sometimes jumps."""
    seqs: dict[str, int] = {}
    ids: list[str] = []
    for n in range(steps):
        clock.days = 365 * n / steps
        topic = chance.choice(TOPICS)
        match chance.randrange(8):
            case 0 | 1:
                ids.append(memory.remember(f"We settled the {topic} as number {n}", category="decision").record.id)
            case 2 if ids:
                old = chance.choice(ids)
                kept = memory.remember(f"We changed the {topic}, now number {n}", supersedes=[old], category="decision")
                ids.append(kept.record.id)
            case 3 if ids:
                clock.days += chance.choice((0, 0, 3650, -3650))
                memory.forget(chance.choice(ids), "no longer so")
            case 4 if ids:
                old = chance.choice(ids)
                kept = memory.remember(f"The {topic} may be wrong, says {n}", contradicts=[old], category="decision")
                ids.append(kept.record.id)
            case _:
                session = f"s{chance.randrange(4)}"
                seq = seqs[session] = seqs.get(session, -1) + 1
                memory._store.turn_store.append(
                    [turn(f"About the {topic}: remark {n}", session, seq, stamp(clock.days))]
                )
    clock.days = 366


def filtered(memory: Memory, at: str, home: Path) -> Path:
    """A copy of the files alone, without what came later."""
    home.mkdir()
    tops = [top for top in memory.root.iterdir() if top.name != ".git"]  # a commit may be under way in there
    for path in sorted(below for top in tops for below in (top, *top.rglob("*"))):
        name = path.relative_to(memory.root).as_posix()
        if path.is_dir() or name.startswith((".git/", ".index/", ".lock", "events/")):
            continue
        data = path.read_bytes()
        if name.endswith(".turns.jsonl"):
            data = b"".join(row for row in data.splitlines(True) if json.loads(row)["captured"] <= at)
        elif name.startswith("records/") and f'created: "{at}"' < next(
            row for row in data.decode().splitlines() if row.startswith("created")
        ):
            continue
        if data:
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_bytes(data)
    chain = [
        (path, row) for path in sorted(memory.root.glob("events/*/*")) for row in path.read_bytes().splitlines(True)
    ]
    last = max((n for n, (_, row) in enumerate(chain) if json.loads(row)["ts"] <= at), default=-1)
    for path, row in chain[: last + 1]:
        place = home / path.relative_to(memory.root)
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("ab") as file:
            file.write(row)
    return home


def shape(answer) -> tuple[object, ...]:
    concluded = {
        (c.record.id, c.states, c.authority, c.successors, c.contested_with, tuple(f.name for f in c.because))
        for c in answer.concluded
    }
    said = {(s.locator, s.text, tuple(n.locator for n in s.before + s.after), s.cited_by) for s in answer.said}
    return concluded, said


@pytest.mark.parametrize("seed", [1, 2])
def test_c8_as_of_equals_recall_over_a_filtered_copy(memory, settings, clock, tmp_path, seed):
    chance = random.Random(seed)
    a_year(clock.on(memory), clock, chance, 120)
    differing = set()
    for n in range(25):  # twice: fifty instants
        at = stamp(chance.uniform(-5, 370))
        home = filtered(memory, at, tmp_path / f"copy{n}")
        asked = chance.choice(TOPICS)
        answer = memory.recall(asked, as_of=at, **EVERYTHING)
        with Memory.open(home, settings=replace(settings, home=home, commit=False), door=PERSON) as copy:
            copy.reindex()
            clock.days, today = (datetime.fromisoformat(at) - START) / timedelta(days=1), clock.days
            expected = copy.recall(asked, **EVERYTHING)
            clock.days = today
        assert shape(answer) == shape(expected), at
        differing.add((len(answer.concluded), len(answer.said)))
        shutil.rmtree(home)
    assert len(differing) > 5, "the instants must tell different pasts apart"


def test_c8_what_was_retired_later_is_found_in_its_own_time(memory, clock):
    clock.on(memory)
    kept = memory.remember("The staging window is two hours long", category="decision").record
    clock.days = 10
    memory.forget(kept.id, "the window is gone")
    assert not memory.recall("staging window").concluded
    then = memory.recall("staging window", as_of=stamp(5))
    assert [c.record.id for c in then.concluded] == [kept.id]
    assert "current" in then.concluded[0].states
    assert any("as this memory knew it" in notice for notice in then.notices)
    assert memory.history(kept.id, as_of=stamp(5))[0].state == "current"
    assert memory.history(kept.id)[0].state == "retired"


def test_history_as_of_shows_no_later_successor(memory, clock):
    clock.on(memory)
    old = memory.remember("Deploys freeze on Fridays", category="decision").record
    clock.days = 20
    new = memory.remember("Deploys never freeze", supersedes=[old.id], category="decision").record
    assert [e.record.id for e in memory.history(old.id, as_of=stamp(10))] == [old.id]
    assert [e.record.id for e in memory.history(old.id, as_of=stamp(30))] == [new.id, old.id]


def test_a_commit_is_a_point_of_the_past(memory, clock):
    clock.on(memory)
    old = memory.remember("The cache holds ten entries", category="decision").record
    memory._store.committer.flush()
    memory.remember("The cache holds twenty entries", supersedes=[old.id], category="decision")
    memory.forget(old.id, "replaced")
    memory._store.committer.flush()
    then = memory.recall("cache entries", as_of="HEAD~1")
    assert [(c.record.id, c.states) for c in then.concluded] == [(old.id, ("current",))]
    assert memory.history(old.id, as_of="HEAD~1")[0].events == ()
    found = memory.diff("HEAD~1", "HEAD")
    assert [(a.id, b.body) for a, b in found.changed] == [(old.id, "The cache holds twenty entries")]
    with pytest.raises(Invalid, match="neither a time nor a commit"):
        memory.recall("cache", as_of="--all")


def test_diff_tells_learnt_changed_and_lost_apart(memory, clock):
    clock.on(memory)
    old = memory.remember("Retries are capped at three", category="decision").record
    stale = memory.remember("The note about the cable", category="note", durability="durable").record
    doubted = memory.remember("The parser is streaming", category="decision").record
    clock.days = 40
    new = memory.remember("Retries are capped at five", supersedes=[old.id], category="decision").record
    doubt = memory.remember("The parser reads whole files", contradicts=[doubted.id], category="decision").record
    memory.forget(stale.id, "thrown away")
    found = memory.diff(stamp(1), stamp(41))
    assert [record.id for record in found.learnt] == [doubt.id]
    assert [(a.id, b.id) for a, b in found.changed] == [(old.id, new.id)]
    assert {ground.record.id: ground.reason for ground in found.lost} == {
        stale.id: "retired",
        doubted.id: "contradicted",
    }
    assert memory.diff(stamp(41), stamp(42)).empty


def test_diff_and_history_need_neither_index_nor_git(memory, clock):
    clock.on(memory)
    old = memory.remember("Retries are capped at three", category="decision").record
    clock.days = 40
    new = memory.remember("Retries are capped at five", supersedes=[old.id], category="decision").record
    memory.close()
    shutil.rmtree(memory.root / ".index")
    shutil.rmtree(memory.root / ".git")
    assert [(a.id, b.id) for a, b in memory.diff(stamp(1)).changed] == [(old.id, new.id)]
    assert [entry.record.id for entry in memory.history(old.id)] == [new.id, old.id]
    assert memory.blame(new.id).changes == ()
    assert not (memory.root / ".index").exists()


def test_diff_names_deleted_files(memory, clock):
    kept = clock.on(memory).remember("A record that will be deleted", category="decision").record
    memory._store.committer.flush()
    (memory.root / kept.path).unlink()
    memory._store.committer.note("records")
    memory._store.committer.flush()
    assert memory.diff("HEAD~1", "HEAD").gone == (kept.path,)


def test_b11_blame_names_the_writer_of_a_record(memory):
    kept = memory.remember("Blame shows who wrote this", category="decision").record
    memory._store.committer.flush()
    found = memory.blame(kept.id)
    assert found.record.principal == "owner"
    assert [change.what for change in found.changes] == ["added"]
    assert memory._store.writer in found.changes[0].author
    assert kept.body not in found.changes[0].message


def test_now_before_the_newest_event_expires_nothing_and_says_so(memory, clock):
    clock.on(memory)
    clock.days = 1000
    memory.remember("The deploy key rotates monthly", category="note", durability="durable")
    clock.days = 2000
    answer = memory.recall("deploy key")
    assert "unverified" in answer.concluded[0].states
    memory._store.event("verified", "0" * 64, "")  # an event of day 2000
    clock.days = 1990
    answer = memory.recall("deploy key")
    assert "unverified" not in answer.concluded[0].states
    assert any("no expiry was applied" in notice for notice in answer.notices)


def test_a_strangers_event_from_the_future_stops_no_expiry(open_as, clock, tmp_path, settings):
    clock.days = 0
    memory = clock.on(open_as())
    memory.remember("The deploy key rotates monthly", category="note", durability="durable")
    clock.days = 400
    outside = open_as(WEB, memory.root)
    assert outside.own  # at home all is trusted; elsewhere a clone's clock does not count:
    clone = tmp_path / "clone"
    shutil.copytree(memory.root, clone, ignore=shutil.ignore_patterns(".index", ".git"))
    (clone / "events" / "w000000000001").mkdir()
    row = {"n": 0, "prev": "", "ts": "2099-01-01T00:00:00Z", "kind": "known", "target": "0" * 64}
    (clone / "events" / "w000000000001" / "2099-01.jsonl").write_text(json.dumps(row) + "\n")
    with Memory.open(clone, settings=settings, door=PERSON) as stranger:
        answer = stranger.recall("deploy key")
    assert "unverified" in answer.concluded[0].states
