"""The write line end to end, on real files: what is stored, known, held and refused, and what stands on disk after."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from pathlib import Path

import pytest
from support.doors import AGENT, PERSON, WEB

from memoranda.model.errors import Invalid, NotFound, Unavailable
from memoranda.model.outcome import Held, Known, Refused, Stored
from memoranda.model.record import Authority, Category, Channel, Confidence, Durability
from memoranda.truth.grammar import parse_record


def files(memory) -> dict[str, bytes]:
    root = memory.root
    return {
        str(p.relative_to(root)): p.read_bytes()
        for folder in ("records", "core", "held")
        for p in sorted((root / folder).rglob("*.md"))
    }


def said(memory, text: str, **more):
    outcome = memory.remember(text, **more)
    assert isinstance(outcome, Stored), outcome
    return outcome.record


def found(memory, text: str, **more) -> list[str]:
    return [hit.record.id for hit in memory.recall(text, **more).concluded]


def test_b2_b3_b5_one_statement_is_one_file_that_reads_back_as_what_was_said(memory):
    for n in range(5):
        said(memory, f"We chose parser number {n} because it streams", tags=[f"t{n}"])
    assert len(files(memory)) == 5
    for path, data in files(memory).items():
        record = parse_record(data, path)
        assert record.intact
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", record.created)
        assert record.body.startswith("We chose parser number")
        assert path.startswith(f"records/{record.created[:4]}/{record.created[5:7]}/{record.id}-we-chose-parser")


def test_b6_b7_b46_a_correction_is_a_new_file_and_the_old_one_keeps_its_bytes(memory):
    old = said(memory, "Deploys happen on Fridays only", category="preference")
    before = files(memory)
    new = said(memory, "Deploys happen on any weekday", category="preference", supersedes=[old.id])
    after = files(memory)
    assert new.supersedes == (old.id,)
    assert {path: after[path] for path in before} == before
    assert len(after) == len(before) + 1


def test_a_correction_is_of_the_same_sort_as_what_it_corrects_unless_it_says_so(memory):
    old = said(memory, "Staging deploys happen on weekdays", category="constraint")
    new = said(memory, "Staging deploys happen on any day", supersedes=[old.id])
    assert new.category is Category.CONSTRAINT
    newer = said(memory, "We decided that staging deploys happen at noon", supersedes=[new.id])
    assert newer.category is Category.CONSTRAINT
    last = said(memory, "Staging deploys happen at ten", category="decision", supersedes=[newer.id])
    assert last.category is Category.DECISION


def test_b7_unknown_and_self_supersession_are_refused(memory):
    old = said(memory, "The build takes nine minutes on the small machine")
    outcome = memory.remember("The build takes four minutes", supersedes=["mem_0123456789ab"])
    assert isinstance(outcome, Refused)
    assert "mem_0123456789ab" in outcome.message
    itself = memory.remember("The build takes nine minutes  on the small\nmachine", supersedes=[old.id])
    assert isinstance(itself, Refused)
    assert "itself" in itself.message
    assert len(files(memory)) == 1


def test_b7_a_circle_made_by_hand_is_found_and_recall_and_history_end(memory):
    one = said(memory, "We decided to use the blue queue for jobs")
    two = said(memory, "We decided to use the green queue for jobs", supersedes=[one.id])
    path = memory.root / one.path
    path.write_text(path.read_text().replace("---\nWe", f"supersedes: [{two.id}]\n---\nWe"))
    assert any("circle" in p.message for p in memory.check())
    assert {e.record.id for e in memory.history(two.id)} == {one.id, two.id}
    memory.recall("queue for jobs")


def test_b8_the_superseded_one_is_recalled_only_with_history(memory):
    old = said(memory, "Deploys to staging happen on Fridays only", category="preference")
    new = said(memory, "Deploys to staging happen on any weekday", category="preference", supersedes=[old.id])
    assert found(memory, "when do deploys to staging happen on Fridays") == [new.id]
    assert found(memory, "deploys to staging on Fridays", history=True) == [new.id, old.id]
    assert (memory.root / old.path).exists()


def test_b9_b10_history_follows_the_files_when_every_index_is_gone(memory, open_as):
    a = said(memory, "The limit is ten requests")
    b = said(memory, "The limit is twenty requests", supersedes=[a.id])
    c = said(memory, "The limit is thirty requests", supersedes=[b.id])
    memory.close()
    subprocess.run(["rm", "-rf", str(memory.root / ".index")], check=True)
    entries = open_as().history(a.id)
    assert [e.record.id for e in entries] == [c.id, b.id, a.id]
    assert [e.state for e in entries] == ["current", "superseded", "superseded"]


def test_known_statements_are_not_written_twice_but_may_be_said_again_after_they_were_superseded(memory):
    first = said(memory, "Always prefer tabs in Go code")
    again = memory.remember("Always  prefer tabs\nin Go code", source="second_meeting")
    assert isinstance(again, Known)
    assert again.record.id == first.id
    assert len(files(memory)) == 1
    events = [e for entry in memory.history(first.id) for e in entry.events]
    assert [(e.kind, e.cause) for e in events] == [("known", "second_meeting")]
    other = said(memory, "Always prefer spaces in Go code", supersedes=[first.id])
    back = memory.remember("Always prefer tabs in Go code", supersedes=[other.id])
    assert isinstance(back, Stored)


def test_b22_a_refused_secret_leaves_no_trace(memory):
    said(memory, "We chose the small machine because it is cheap")
    token = "ghp" + "_" + "R2d4Kf8sLq0ZxCvB7nMh5jTwYu1oPaEi3gXk"
    before = files(memory)
    outcome = memory.remember(f"The deploy token is {token} for now")
    assert isinstance(outcome, Refused)
    assert outcome.findings
    assert token not in repr(outcome)
    assert files(memory) == before
    for path in memory.root.rglob("*"):
        if path.is_file():
            assert token.encode() not in path.read_bytes(), path


def test_b34_transient_is_kept_and_not_recalled_until_promoted(memory):
    outcome = memory.remember("The staging server is down today until Friday afternoon")
    assert isinstance(outcome, Stored)
    assert outcome.record.durability is Durability.TRANSIENT
    assert found(memory, "staging server down") == []
    memory.promote(outcome.record.id)
    assert found(memory, "staging server down") == [outcome.record.id]
    memory.reindex()
    assert found(memory, "staging server down") == [outcome.record.id]


@pytest.mark.parametrize("door", [PERSON, AGENT, WEB])
def test_b35_b62_the_door_sets_channel_and_confidence_never_the_payload(open_as, door):
    memory = open_as(door)
    record = said(memory, "We decided to keep the monorepo", confidence="high", durability="durable")
    assert record.channel is door.channel
    expected = {Channel.DIRECT_SESSION: Confidence.HIGH, Channel.AGENT: Confidence.MEDIUM, Channel.WEB: Confidence.LOW}
    assert record.confidence is expected[door.channel]


def test_b50_b51_an_agent_corrects_a_person_at_once_and_a_web_page_waits(open_as):
    person, agent, web = open_as(PERSON), open_as(AGENT), open_as(WEB)
    old = said(person, "The service listens on port 8080", category="decision")
    scraped = web.remember("The service listens on port 6666", supersedes=[old.id], category="decision")
    assert isinstance(scraped, Held)
    assert scraped.record.path.startswith("held/")
    assert found(person, "which port does the service listen on") == [old.id]
    new = said(agent, "The service listens on port 9090", supersedes=[old.id], category="decision")
    assert found(person, "which port does the service listen on") == [new.id]


def test_two_successors_are_contested_and_both_shown(open_as):
    memory = open_as(AGENT)
    old = said(memory, "The cache holds one hundred entries")
    left = said(memory, "The cache holds two hundred entries", supersedes=[old.id])
    right = said(memory, "The cache holds three hundred entries", supersedes=[old.id])
    answer = memory.recall("how many entries does the cache hold")
    assert {hit.record.id for hit in answer.concluded} == {left.id, right.id}
    assert all("contested" in hit.states for hit in answer.concluded)


def test_forgotten_records_stay_on_disk_and_are_recalled_no_more(memory):
    record = said(memory, "The old printer is called Gutenberg")
    memory.forget(record.id, "sold")
    assert found(memory, "what is the printer called") == []
    assert (memory.root / record.path).exists()
    assert memory.history(record.id)[0].state == "retired"


def test_an_agent_cannot_forget_what_weighs_more(open_as):
    record = said(open_as(PERSON), "The old printer is called Gutenberg")
    with pytest.raises(Invalid):
        open_as(AGENT).forget(record.id)


def test_b4_b14_moving_is_copying(memory, settings, tmp_path):
    from dataclasses import replace

    from memoranda import Memory

    record = said(memory, "The archive lives in the north building")
    memory.close()
    for path, data in files(memory).items():
        assert str(tmp_path).encode() not in data, path
    other = tmp_path / "elsewhere" / ".memoranda"
    other.parent.mkdir()
    subprocess.run(["cp", "-r", str(memory.root), str(other)], check=True)
    moved = replace(settings, home=other, state=tmp_path / "state2", cache=tmp_path / "cache2")
    with Memory.open(settings=moved) as copy:
        assert found(copy, "where does the archive live") == [record.id]
        assert copy.recall("where does the archive live").concluded[0].authority is Authority.OWNER


def test_b11_one_write_is_one_added_file_in_git(memory):
    record = said(memory, "The logs are kept for ninety days")
    memory.close()

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", "-C", str(memory.root), *arguments], check=True, capture_output=True, text=True
        ).stdout

    assert git("status", "--porcelain") == ""
    assert record.path in git("log", "--name-status", "--format=%an %s", "--diff-filter=A")
    assert "ninety" not in git("log", "--format=%an %s %b")
    assert git("ls-files", "turns", ".index", "held") == ""


def test_b36_a_thousand_recalls_change_no_file_but_the_index(memory):
    said(memory, "The logs are kept for ninety days")
    before = {p: hashlib.sha256(p.read_bytes()).digest() for p in memory.root.rglob("*.md")}
    events = sorted(p.read_bytes() for p in (memory.root / "events").rglob("*.jsonl"))
    for _ in range(200):
        memory.recall("how long are logs kept")
    assert {p: hashlib.sha256(p.read_bytes()).digest() for p in memory.root.rglob("*.md")} == before
    assert sorted(p.read_bytes() for p in (memory.root / "events").rglob("*.jsonl")) == events


def test_an_unknown_category_or_a_missing_anchor_says_what_to_do(memory):
    with pytest.raises(Invalid, match="category"):
        memory.remember("The logs are kept", category="fact")
    with pytest.raises(Invalid, match="neither a locator nor a file"):
        memory.remember("The logs are kept", anchors=["no/such/file.py"])
    with pytest.raises(Unavailable, match="checkout"):
        memory.remember("The logs are kept", anchors=["file:" + "a" * 40 + "/no/such.py"])
    with pytest.raises(NotFound):
        memory.get("mem_abcdef123456")


def test_b65_every_claim_of_a_record_is_traced_by_history(memory, open_as):
    record = said(open_as(AGENT), "The cluster has nine nodes")
    memory.forget(record.id, "counted wrong")
    entry = memory.history(record.id)[0]
    assert entry.record.path
    assert entry.record.channel is Channel.AGENT
    assert entry.record.principal == "robot"
    assert entry.events[0].cause == "counted wrong"
    lines = [json.loads(line) for p in (memory.root / "events").rglob("*.jsonl") for line in p.read_text().splitlines()]
    assert lines[0]["target"] == record.digest


def test_the_memory_is_private_whatever_the_umask(memory):
    import os
    import stat

    said(memory, "The logs are kept for ninety days")
    for path in memory.root.rglob("*"):
        if ".git" in Path(path).relative_to(memory.root).parts or ".index" in path.parts:
            continue
        mode = stat.S_IMODE(os.lstat(path).st_mode)
        assert mode & 0o077 == 0, (path, oct(mode))


def test_b35_an_agents_word_with_a_file_behind_it_is_verified_and_a_guess_is_inferred(open_as, tmp_path):
    code = tmp_path / "code"
    code.mkdir()
    (code / "a.py").write_text("LIMIT = 3\n")
    subprocess.run(
        f"cd {code} && git init -q && git add . && git -c user.name=t -c user.email=t@example.com commit -qm x",
        shell=True,
        check=True,
    )
    memory = open_as(AGENT)
    proven = said(memory, "The limit is three", anchors=[f"{code}/a.py#L1"])
    guess = said(memory, "The limit was probably chosen by load tests", inferred=True, anchors=[f"{code}/a.py#L1"])
    plain = said(memory, "The limiter lives in the gateway module")
    assert [r.confidence for r in (proven, guess, plain)] == [Confidence.HIGH, Confidence.MEDIUM, Confidence.MEDIUM]
    found = {e.record.id: e.authority for r in (proven, guess, plain) for e in memory.history(r.id)}
    assert found == {
        proven.id: Authority.VERIFIED,
        guess.id: Authority.INFERRED,
        plain.id: Authority.OBSERVED,
    }
