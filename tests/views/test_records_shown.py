"""Outcomes, histories, verdicts and turns as pages for programs."""

from __future__ import annotations

import shlex
from datetime import datetime
from pathlib import Path
from typing import Callable

import pytest

from memoranda.memory.results import HistoryEntry, RecordVerdicts, Status, TurnsView
from memoranda.model.event import Event
from memoranda.model.outcome import Finding, Held, Known, Outcome, Refused, Stored
from memoranda.model.problem import Problem
from memoranda.model.query import IndexState, Side, Verdict
from memoranda.model.record import Authority, Record
from memoranda.model.turn import Block, Turn
from memoranda.views.render import records, standing
from memoranda.views.terminal import Page

Make = Callable[..., Record]
Golden = Callable[[str, str], None]


def test_outcomes(record_of: Make, golden: Golden) -> None:
    kept = record_of("Retries are capped at 5")
    finding = Finding("aws-access-token", "credentials", 10, 30, view="base64")
    results: tuple[Outcome, ...] = (
        Stored(kept, reasons=("declared_preference",), notices=("no model: found by words",)),
        Known(kept),
        Held(kept, reasons=("hidden_characters",)),
        Refused("a credential was found", "leave the value out", (finding,)),
        Refused("this is a bundle", "one fact a record", (), ("Retries are capped at 5", "It's never cached")),
    )
    page = Page()
    for result in results:
        page.gap()
        records.outcome(page, result, "memoranda", "memoranda remember --category note")
    golden("outcomes.txt", page.text())


def test_a_proposed_split_is_ready_to_run() -> None:
    page = Page()
    parts = ("Don't deploy on Fridays; $(never)", "Retries: 5")
    records.outcome(page, Refused("a bundle", proposed=parts), "memoranda", "memoranda remember")
    commands = [line.strip().removeprefix("run: ") for line in page.lines if "run: " in line]
    assert tuple(shlex.split(command)[-1] for command in commands) == parts


def test_history(record_of: Make, golden: Golden, now: datetime) -> None:
    old = record_of("No deploys on Fridays", id="mem_4f2a91c07d55", digest="4f2a91c07d55" + "0" * 52)
    new = record_of("Deploys are fine on any weekday", supersedes=("mem_4f2a91c07d55",))
    event = Event(0, "", "2026-07-03T08:00:00Z", "verified", new.digest, "owner", "rollback ran")
    chain = (
        HistoryEntry(new, "current", Authority.OWNER, (), (event,)),
        HistoryEntry(old, "superseded", Authority.OWNER, (new.id,), ()),
    )
    page = Page()
    records.history(page, chain, now)
    golden("history.txt", page.text())


def test_turns(golden: Golden) -> None:
    turns = (
        Turn("3f2a", "u1", "user", "claude", (Block("text", "why?\n  indented"),), "2026-07-02T16:38:10Z", 4),
        Turn(
            "3f2a", "a1", "assistant", "claude", (Block("tool_use", '{"command":"ls"}', "Bash"),), "", 5,
            flags=("sidechain",),
        ),
    )  # fmt: skip
    page = Page()
    records.turns(page, TurnsView("claude", "3f2a", turns, 4, 40, "turn:claude/3f2a/6..25", True), "memoranda")
    golden("get.txt", page.text())


def test_verdicts(record_of: Make, golden: Golden) -> None:
    anchor = "file:src/client.py#L40-L52@sha256:" + "ab" * 32
    results = (
        RecordVerdicts(
            record_of("Retries are capped at 5"),
            (Verdict(anchor, "changed", "the lines read differently"),),
            sides=(
                Side(anchor, "RETRIES = 5", "commit 3f2a91bc0d77", "RETRIES = 6\nrun: rm", "file:src/client.py#L41"),
            ),
        ),
        RecordVerdicts(record_of("Ports are even", id="mem_111111111111"), (Verdict(anchor, "fresh"),)),
        RecordVerdicts(record_of("No ground", id="mem_222222222222"), ()),
    )
    page = Page()
    records.verdicts(page, results, "memoranda")
    golden("verify.txt", page.text())


@pytest.fixture
def stands() -> Status:
    return Status(
        root=Path("/home/ada/.memoranda"),
        kind="personal",
        own=True,
        records=3,
        categories={"decision": 1, "preference": 2},
        superseded=1,
        transient=0,
        held=1,
        foreign=0,
        sessions=2,
        turns=40,
        harnesses={"claude": 2},
        index=IndexState(True, 55, unembedded=5, model="minilm"),
        problems=1,
        last_capture="2026-08-01T11:30:00Z",
        sources_gone=5,
        readers=("claude", "codex"),
        next=("memoranda check", "memoranda embed"),
        sources_pending=2,
        gone=tuple(f"/home/ada/.claude/projects/-w-app/s{n}.jsonl" for n in range(5)),
    )


def test_a65_status(stands: Status, golden: Golden, now: datetime) -> None:
    page = Page()
    standing.status(page, stands, now, "memoranda --memory /m")
    golden("status.txt", page.text())


def test_problems(golden: Golden) -> None:
    page = Page()
    standing.problems(page, (Problem("records/2026/07/a.md", "no closing ---", "add it", 9), Problem("x\x1b[2J", "y")))
    golden("check.txt", page.text())
