"""What older rules let in is found, repaired by one command, and told: records, turns, and what history still holds."""

from __future__ import annotations

import hashlib
import json
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Sequence

import pytest
from support.doors import AGENT, PERSON

from memoranda import Memory
from memoranda.model.outcome import Finding, Stored
from memoranda.model.settings import Settings

SECRET = "ghp" + "_" + "R2d4Kf8sLq0ZxCvB7nMh5jTwYu1oPaEi3gXk"


@contextmanager
def blind(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The rules of long ago, which found nothing."""
    from memoranda.screen import door, redaction

    with monkeypatch.context() as patch:
        for module in (door, redaction):
            patch.setattr(module, "look", lambda *a, **k: [])
            patch.setattr(module, "rules_of", lambda s: "0")
        from memoranda.remember import capture

        patch.setattr(capture, "rules_of", lambda s: "0")
        yield


def leaked(memory: Memory) -> list[str]:
    """Every file of the memory, index and git objects of loose form aside, that still holds the secret."""
    found = []
    for path in memory.root.rglob("*"):
        inside = path.relative_to(memory.root).parts
        if path.is_file() and ".git" not in inside and SECRET.encode() in path.read_bytes():
            found.append(str(path))
    return found


def let_in(memory: Memory, text: str, monkeypatch: pytest.MonkeyPatch, **more: Any) -> Any:
    with blind(monkeypatch):
        outcome = memory.remember(text, **more)
    assert isinstance(outcome, Stored), outcome
    assert outcome.record.screened == "0"
    return outcome.record


def test_c12_a_record_is_replaced_by_what_is_left_and_its_file_erased(
    open_as: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_as(PERSON)
    bad = let_in(memory, f"The mirror of the build farm answers to {SECRET} since May", monkeypatch, tags=["farm"])
    fine = let_in(memory, "The build farm has nine machines in the north hall", monkeypatch)
    assert [f.place for f in memory.rescan(apply=False).found] == [bad.id]
    assert leaked(memory)
    report = memory.rescan()
    (found,) = report.found
    assert (found.place, found.screened) == (bad.id, "0")
    assert not leaked(memory)
    left = memory.get(found.successor)
    assert "[REDACTED:" in left.body  # type: ignore[union-attr]
    assert left.tags == ("farm",)  # type: ignore[union-attr]
    assert left.channel is bad.channel  # type: ignore[union-attr]
    assert memory.get(fine.id).digest == fine.digest  # type: ignore[union-attr]
    lines = [json.loads(x) for p in (memory.root / "events").rglob("*.jsonl") for x in p.read_text().splitlines()]
    assert [(e["kind"], e["target"]) for e in lines] == [("erased", bad.digest)]
    assert SECRET not in json.dumps(lines)
    assert memory.rescan().found == ()
    assert [hit.record.id for hit in memory.recall("mirror of the build farm").concluded][:1] == [found.successor]
    assert memory.check() == ()


def test_c12_it_says_what_git_history_still_holds(
    open_as: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_as(PERSON)
    let_in(memory, f"The mirror of the build farm answers to {SECRET} since May", monkeypatch)
    memory.close()
    again = open_as(PERSON)
    (found,) = again.rescan().in_history
    assert found.commits >= 1


def test_c12_a_record_that_was_replaced_stays_replaced(
    open_as: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_as(PERSON)
    bad = let_in(memory, f"The mirror of the build farm answers to {SECRET} since May", monkeypatch)
    new = memory.remember("The mirror of the build farm answers to nobody", supersedes=[bad.id]).record  # type: ignore[union-attr]
    memory.rescan()
    assert [h.record.id for h in memory.recall("mirror of the build farm").concluded] == [new.id]
    assert memory.history(new.id)[0].state == "current"


def test_c12_nothing_is_stored_when_nothing_is_left(
    open_as: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_as(PERSON)
    let_in(memory, SECRET, monkeypatch, durability="durable")
    (found,) = memory.rescan().found
    assert found.successor == ""
    assert not leaked(memory)


def test_c12_invariant_2_a_turn_is_rewritten_with_an_event_that_names_both_hashes(
    open_as: Callable[..., Memory], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = settings.user_home / ".claude" / "projects" / "-w"
    project.mkdir(parents=True)
    texts = ["The parser is slow today", f"export TOKEN={SECRET}", "Then use another parser"]
    with (project / "s1.jsonl").open("w") as file:
        for n, text in enumerate(texts):
            row = {"type": "user", "uuid": f"u{n}", "sessionId": "s1", "timestamp": "2026-05-04T09:00:00Z", "cwd": "/w"}
            file.write(json.dumps({**row, "message": {"role": "user", "content": text}}) + "\n")
    memory = open_as(AGENT)
    with blind(monkeypatch):
        memory.capture(embed_seconds=0)
    (path,) = (memory.root / "turns").rglob("*.jsonl")
    before = path.read_bytes().splitlines()
    report = memory.rescan()
    after = path.read_bytes().splitlines()
    assert [f.place for f in report.found] == ["turn:claude/s1/u1"]
    assert (after[0], after[2]) == (before[0], before[2])
    assert SECRET.encode() not in after[1]
    assert not leaked(memory)
    lines = [json.loads(x) for p in (memory.root / "events").rglob("*.jsonl") for x in p.read_text().splitlines()]
    (event,) = lines
    assert (event["kind"], event["target"]) == ("rescanned", "turn:claude/s1/u1")
    assert event["cause"].startswith(hashlib.sha256(texts[1].encode()).hexdigest() + " -> ")
    now = memory.get("turn:claude/s1/1").turns[1].blocks[0].text  # type: ignore[union-attr]
    assert hashlib.sha256(now.encode()).hexdigest() in event["cause"]
    assert memory.rescan().found == ()
    assert [hit.seq for hit in memory.recall("another parser", lexical=True).said]
    assert memory.capture(embed_seconds=0).turns == 0


def test_c14_on_request_a_slow_screener_names_records_and_changes_nothing(
    open_as: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    from memoranda.ports import discover

    class Slow:
        rules = "slow 1"

        def look(self, texts: Sequence[str]) -> Sequence[Sequence[Finding]]:
            return [[Finding("person-name", "personal", 0, 4, False)] if "Anna" in text else [] for text in texts]

    names, load = discover.names, discover.load
    slow = "slow_screeners"
    monkeypatch.setattr(discover, "names", lambda group: ["slow"] if group == slow else names(group))
    monkeypatch.setattr(
        discover, "load", lambda group, name: (lambda c: Slow()) if group == slow else load(group, name)
    )
    memory = open_as(PERSON)
    anna = memory.remember("Anna knows the build farm best", category="note").record  # type: ignore[union-attr]
    memory.remember("The build farm has nine machines", category="note")
    assert memory.rescan().guesses == ()
    report = memory.rescan(people=True)
    assert [(guess.place, guess.rules) for guess in report.guesses] == [(anna.id, ("person-name",))]
    assert report.found == ()
    assert memory.get(anna.id) == anna
