"""One door: whatever a credential's form, and whichever way it comes, nothing of it reaches a file of the memory.

Every rule of the table of known forms goes through every entry point. Agents' histories and the memory's own folder
are the source in some of them; all that was there before is left out of the search.
"""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any, Callable

import pytest
from support.doors import AGENT, PERSON, WEB
from support.invented import others
from support.one_door import HELD, told, traces
from support.teams import Teammate, record

from memoranda import Memory
from memoranda.model.outcome import Outcome, Refused
from memoranda.model.settings import Settings

#: Doors that take long: every rule in the slow run, one in twelve otherwise.
SHARES = [pytest.param(1, marks=pytest.mark.slow), 12]


def kept(settings: Settings, memory: Memory) -> list[str]:
    return traces(memory.root, settings.state, settings.cache, settings.user_home / ".config")


def rule_of(outcome: Outcome) -> str:
    assert isinstance(outcome, Refused), outcome
    return outcome.findings[0].rule


def test_c11_remember_refuses_every_rule_alike_at_every_door_and_in_every_field(
    settings: Settings, open_as: Callable[..., Memory]
) -> None:
    person = open_as(PERSON)
    said = []
    for text, _ in HELD.values():
        outcomes = [
            person.remember(text),
            open_as(AGENT).remember(text),
            open_as(WEB).remember(text),
            person.remember("The runner uses a key", tags=(text,)),
            person.remember("The runner uses a key", source=text),
            person.remember("The runner uses a key", entities=("one", text), scope="shop"),
        ]
        assert len({rule_of(outcome) for outcome in outcomes}) == 1, text[:20]
        said += [repr(outcome) for outcome in outcomes]
    assert told("".join(said)) == []
    assert kept(settings, person) == []


def test_c11_a_capture_keeps_the_words_and_none_of_the_credentials(
    settings: Settings, memory: Memory, tmp_path: Path
) -> None:
    history = tmp_path / "history"
    history.mkdir()
    rows: list[dict[str, Any]] = []
    for number, (text, _) in enumerate(HELD.values()):
        rows.append({"type": "user", "message": {"role": "user", "content": f"Please: {text}"}})
        use = {"type": "tool_use", "id": f"t{number}", "name": "sh", "input": {"command": f"echo '{text}'"}}
        parts = [{"type": "text", "text": json.dumps({"env": text})}, use]
        rows.append({"type": "assistant", "message": {"role": "assistant", "content": parts}})
    lines = [
        {**row, "uuid": f"u{n}", "sessionId": "s1", "timestamp": "2026-05-04T09:00:00Z", "cwd": "/w"}
        for n, row in enumerate(rows)
    ]
    (history / "s1.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    report = memory.capture([history], embed_seconds=0)
    assert report.turns == len(rows)
    assert kept(settings, memory) == []
    stored = "".join(path.read_text() for path in (memory.root / "turns").rglob("*.jsonl"))
    assert stored.count("[REDACTED:") >= len(rows)
    assert stored.count("The runner uses") >= 2 * (len(HELD) - len(others()))


def test_c11_dropped_files_and_hand_edits_become_no_record_and_no_passage(
    settings: Settings, open_as: Callable[..., Memory], tmp_path: Path
) -> None:
    memory = open_as(PERSON)
    own = memory.remember("The gate of the shop opens at nine", category="decision").record  # type: ignore[union-attr]
    place = memory.root / "records"
    for number, (text, _) in enumerate(HELD.values()):
        (place / f"note-{number}.md").write_text(f"# Note\n\n{text}\n")
    edited = memory.root / own.path
    edited.chmod(0o600)
    edited.write_text(edited.read_text() + next(iter(HELD.values()))[0] + "\n")
    adopted = memory.adopt()
    assert not [o for one in adopted for o in one.outcomes if not isinstance(o, Refused)]
    told = (
        repr(adopted) + repr(memory.check()) + repr(memory.recall("what does the runner use", lexical=True, weak=True))
    )
    assert [core[:12] for _, core in HELD.values() if core in told] == []
    memory.reindex()
    assert traces(memory.root / ".index", settings.state, settings.cache, memory.root / "events") == []
    assert [
        hit for hit in memory.recall("gate of the shop", lexical=True).concluded if "runner" in hit.record.body
    ] == []


@pytest.mark.parametrize("share", SHARES)
def test_c11_what_others_merged_in_is_found_and_replaced_by_a_rescan(
    share: int, settings: Settings, open_as: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records that another writer's blind door let through."""
    from memoranda.screen import door

    memory = open_as(PERSON)
    with monkeypatch.context() as patch:
        patch.setattr(door, "look", lambda *a, **k: [])
        patch.setattr(door, "halves", lambda *a, **k: None)
        patch.setattr(door, "rules_of", lambda s: "0")
        for text, _ in list(HELD.values())[::share]:
            memory.remember(text, durability="durable")
    report = memory.rescan()
    assert len(report.found) == len(range(0, len(HELD), share))
    git = memory.root / ".git"
    assert [trace for trace in kept(settings, memory) if not trace.startswith(str(git))] == []
    assert memory.rescan().found == ()


@pytest.mark.parametrize("share", SHARES)
def test_c11_the_command_line_refuses_by_argument_and_by_standard_input(
    share: int,
    settings: Settings,
    memory: Memory,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    from memoranda.views.cli.run import run
    from memoranda.views.commands.call import Call

    monkeypatch.setattr(Call, "settings", lambda self: settings)
    said = ""
    for text, _ in list(HELD.values())[::share]:
        for words, stdin in ((["remember", text], ""), (["remember", "-"], text)):
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
            assert run([*words, "--json"]) == 1
            out, err = capfd.readouterr()
            assert json.loads(out)["outcome"] == "refused"
            said += out + err
    assert told(said) == []
    assert kept(settings, memory) == []


@pytest.mark.parametrize("share", SHARES)
def test_c11_evidence_with_a_credential_is_not_kept(
    share: int, settings: Settings, memory: Memory, tmp_path: Path
) -> None:
    said = ""
    for number, (text, _) in enumerate(list(HELD.values())[::share]):
        path = tmp_path / f"note-{number}.txt"
        path.write_text(f"Notes of the day\n\n{text}\n")
        outcome = memory.add_evidence(path)
        assert isinstance(outcome, Refused), text[:20]
        said += repr(outcome)
    assert told(said) == []
    assert kept(settings, memory) == []


@pytest.mark.parametrize("share", SHARES)
def test_c11_a_teammates_repository_brings_no_credential_in_any_field(
    share: int, settings: Settings, memory: Memory, tmp_path: Path
) -> None:
    mate = Teammate(tmp_path / "team")
    good = record("The gate of the shop is documented at docs/gate.md")
    mate.says(good)
    expected = {}
    for text, _ in list(HELD.values())[::share]:
        line = " ".join(text.split())
        theirs = [record(text), record("The runner uses a key", tags=("runner", line), scope=line[:40])]
        mate.says(*theirs)
        expected |= {theirs[0].id: rule_of(memory.remember(text))}
    mate.commits()
    dry = memory.receive(str(mate.top), dry_run=True)
    receipt = memory.receive(str(mate.top))
    assert [one.outcome.word for one in receipt.arrived if one.id == good.id] == ["stored"]
    refused = {one.id: one.outcome for one in receipt.arrived if one.id != good.id}
    assert {outcome.word for outcome in refused.values()} == {"refused"}
    assert {id: rule_of(refused[id]) for id in expected} == expected
    assert told(repr(dry) + repr(receipt) + repr(memory.check())) == []
    assert kept(settings, memory) == []
