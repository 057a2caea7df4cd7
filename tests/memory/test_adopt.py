"""Adopt: files that others put into a memory, or changed in it, become records; authority is never gained by it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from support.doors import AGENT, PERSON

from memoranda import Memory
from memoranda.model.outcome import Held, Known, Refused, Stored
from memoranda.model.record import Authority, Category, Channel, Confidence, Durability, Record

#: A record as MemoFS's manifesto describes them: a short id, one superseded id as a word, no category.
MEMOFS = """---
id: mem_7c10e3
created: 2026-03-04T09:30:00Z
source: user_message
channel: direct_session
durability: durable
confidence: high
tags: [deploy, staging]
entities:
  - staging-env
supersedes: mem_4f2a91
---

We deploy to staging on any weekday, because rollback is automatic.
"""
OLDER = """---
id: mem_4f2a91
created: 2026-01-02T03:04:05Z
source: user_message
channel: direct_session
durability: durable
confidence: high
---

We never deploy to staging late in the week.
"""
NOTES = """# Notes

Use this file for notes.

## 2026-07-18T06:20:17.544Z — The schema path is portable
- kind: decision
- tags: cli, config
- confidence: 0.95
- source: memofs
- metadata: {"id":"mem_b33e8c27403afeac"}

The config names a path below node_modules, never one that climbs out of the project.

## 2026-07-20T06:31:20.188Z
- kind: reference
- tags: none
- confidence: 0.4

The hosted endpoint answers 402 on the free plan.
"""


def put(memory: Memory, name: str, text: str | bytes) -> Path:
    path = memory.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    path.chmod(0o600)
    return path


def shown(memory: Memory, *paths: Path) -> list[str]:
    return [stray.key for stray in memory.adoptable(paths)]


def only(adopted) -> Record:
    ((outcome,),) = [one.outcomes for one in adopted]
    assert isinstance(outcome, Stored | Held), outcome
    return outcome.record


def committed(memory: Memory, text: str, **more) -> Record:
    record = memory.remember(text, category="decision", **more).record
    memory._store.committer.flush()
    return record


def test_b3_a_dropped_file_that_a_person_was_shown_is_the_persons_own(memory):
    path = put(memory, "records/idea.md", "Retries are capped at five, decided with the team.\r\n")
    record = only(memory.adopt(shown=shown(memory)))
    assert (record.channel, record.principal) == (Channel.DIRECT_SESSION, "owner")
    assert record.body == "Retries are capped at five, decided with the team."
    assert not path.exists(), "every word of it is in the record"
    assert record.path.startswith("records/20")
    assert memory.check() == ()
    assert memory.adopt() == ()


def test_b3_what_nobody_was_shown_is_an_import(open_as, memory):
    put(memory, "records/a.md", "Retries are capped at five, decided with the team.")
    keys = shown(memory)
    put(memory, "records/a.md", "Retries are capped at nine, decided with the team.")  # changed after it was shown
    assert only(memory.adopt(shown=keys)).channel is Channel.IMPORT
    put(memory, "records/b.md", "The parser reads whole files, decided with the team.")
    agent = open_as(AGENT)
    assert only(agent.adopt(shown=shown(agent))).channel is Channel.IMPORT, "an agent was not a person"


def test_b3_the_next_capture_adopts_dropped_files_and_no_edits(memory):
    record = committed(memory, "The gateway drops retries beyond five")
    edited = memory.root / record.path
    edited.write_bytes(edited.read_bytes().replace(b"five", b"nine"))
    path = put(memory, "records/reference.md", "The runbook of the gateway is in docs/gateway.md")
    headed = put(memory, "records/other.md", MEMOFS)
    memory.capture(embed_seconds=0)
    assert not path.exists()
    assert headed.exists()
    assert b"nine" in edited.read_bytes(), "an edit waits for a person"
    (found,) = memory._store.fresh().same_statement("The runbook of the gateway is in docs/gateway.md", None)
    assert (found.channel, memory._store.authority(found)) == (Channel.IMPORT, Authority.FOREIGN)


def test_b3_memofs_records_are_read_with_their_claims_and_links(memory):
    put(memory, "records/new.md", MEMOFS)
    put(memory, "records/old.md", OLDER)
    adopted = memory.adopt(shown=shown(memory))
    assert all(one.done and one.aside for one in adopted)
    new, old = memory.get("mem_7c10e3"), memory.get("mem_4f2a91")
    assert new.supersedes == (old.id,)
    assert (new.aliases, new.tags, new.entities) == (("mem_7c10e3",), ("deploy", "staging"), ("staging-env",))
    assert (new.observed, new.durability) == ("2026-03-04T09:30:00Z", Durability.DURABLE)
    assert [entry.record.id for entry in memory.history("mem_4f2a91")] == [new.id, old.id]
    assert memory.check() == ()
    memory.reindex()
    assert memory.get("mem_7c10e3").id == new.id, "the name survives in the file"


def test_b3_a_file_of_notes_outside_is_read_and_left_alone(memory, tmp_path):
    notes = tmp_path / "memory" / "notes.md"
    notes.parent.mkdir()
    notes.write_text(NOTES)
    (adopted,) = memory.adopt([notes.parent], shown=shown(memory, notes))
    first, second = (outcome.record for outcome in adopted.outcomes)
    assert notes.read_text() == NOTES
    assert (first.category, first.confidence, first.tags) == (Category.DECISION, Confidence.HIGH, ("cli", "config"))
    assert first.body.startswith("The schema path is portable\n\nThe config names")
    assert (second.category, second.confidence, second.tags) == (Category.REFERENCE, Confidence.LOW, ())
    assert memory.get("mem_b33e8c27403afeac").id == first.id
    assert all(isinstance(outcome, Known) for outcome in memory.adopt([notes])[0].outcomes), "once each"


@pytest.mark.parametrize("channel", list(Channel))
def test_c_records_that_carry_a_channel_never_gain_by_adopt(memory, tmp_path, channel):
    from memoranda.model.record import CHANNEL_TABLE

    path = tmp_path / "given.md"
    path.write_text(
        MEMOFS.replace("channel: direct_session", f"channel: {channel}").replace("supersedes: mem_4f2a91\n", "")
    )
    kept = only(memory.adopt([path], shown=shown(memory, path)))
    assert CHANNEL_TABLE[kept.channel][0] <= CHANNEL_TABLE[channel][0]
    assert kept.channel is channel


def test_a_credential_in_a_dropped_file_is_refused_and_never_shown(memory):
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    path = put(memory, "records/secret.md", f"The deploy token is {token} and lives in the vault.")
    (stray,) = memory.adoptable()
    assert stray.texts == ("",)
    assert stray.why_not
    assert token not in repr(stray)
    (adopted,) = memory.adopt(shown=[stray.key])
    assert isinstance(adopted.outcomes[0], Refused)
    assert path.exists()
    assert not list(memory.root.glob("records/20*/**/*.md"))


def test_several_facts_in_one_file_are_refused_with_a_proposal_and_the_file_stays(memory):
    path = put(memory, "records/list.md", "- the parser reads whole files\n- the retry budget is five a minute\n")
    (adopted,) = memory.adopt(shown=shown(memory))
    assert len(adopted.outcomes[0].proposed) == 2 or "2 facts" in adopted.outcomes[0].message
    assert path.exists()


def test_an_edit_is_shown_as_a_diff_and_becomes_a_superseding_record(memory):
    old = committed(memory, "The gateway drops retries beyond five")
    path = memory.root / old.path
    original = path.read_bytes()
    edited = original.replace(b"five", b"nine")
    path.write_bytes(edited)
    (stray,) = memory.adoptable()
    assert stray.kind == "edited"
    assert "-The gateway drops retries beyond five\n+The gateway drops retries beyond nine" in stray.diff
    (adopted,) = memory.adopt(shown=[stray.key])
    new = only([adopted])
    assert (new.supersedes, new.channel, new.body) == (
        (old.id,),
        Channel.DIRECT_SESSION,
        "The gateway drops retries beyond nine",
    )
    assert adopted.restored
    assert path.read_bytes() == original
    assert (memory.root / adopted.aside).read_bytes() == edited
    assert [entry.record.id for entry in memory.history(old.id)] == [new.id, old.id]
    assert memory.check() == ()


def test_an_edit_that_was_committed_meanwhile_is_found_in_the_history_before_it(memory):
    old = committed(memory, "The gateway drops retries beyond five")
    path = memory.root / old.path
    original = path.read_bytes()
    path.write_bytes(original.replace(b"five", b"nine"))
    memory._store.committer.note(old.path)
    memory._store.committer.flush()
    only(memory.adopt(shown=shown(memory)))
    assert path.read_bytes() == original


def test_an_edit_that_nobody_was_shown_waits_as_a_held_record(memory):
    old = committed(memory, "The gateway drops retries beyond five")
    path = memory.root / old.path
    path.write_bytes(path.read_bytes().replace(b"five", b"nine"))
    (adopted,) = memory.adopt()
    assert isinstance(adopted.outcomes[0], Held)
    assert memory.history(old.id)[-1].state == "current"


def test_an_agents_record_edited_by_a_person_stays_the_agents(open_as, memory):
    agent = open_as(AGENT)
    old = agent.remember("The build takes nine minutes on the small runner", category="reference").record
    memory._store.committer.note(old.path)
    memory._store.committer.flush()
    path = memory.root / old.path
    path.write_bytes(path.read_bytes().replace(b"channel: agent", b"channel: direct_session").replace(b"nine", b"ten"))
    assert only(memory.adopt(shown=shown(memory))).channel is Channel.AGENT


def test_an_edit_without_git_is_put_aside_and_goes_on_under_its_name(memory):
    old = committed(memory, "The gateway drops retries beyond five")
    subprocess.run(["rm", "-rf", str(memory.root / ".git")], check=True)
    path = memory.root / old.path
    path.write_bytes(path.read_bytes().replace(b"five", b"nine"))
    (adopted,) = memory.adopt(shown=shown(memory))
    new = only([adopted])
    assert not adopted.restored
    assert b"nine" in (memory.root / adopted.aside).read_bytes()
    assert memory.get(old.id).id == new.id


def test_an_edit_of_the_header_alone_changes_no_record(memory):
    old = committed(memory, "The gateway drops retries beyond five")
    path = memory.root / old.path
    original = path.read_bytes()
    path.write_bytes(original.replace(b"category: decision", b"category: note"))
    (adopted,) = memory.adopt(shown=shown(memory))
    assert isinstance(adopted.outcomes[0], Known)
    assert path.read_bytes() == original


def test_a_deleted_file_is_named_and_a_person_may_note_that_it_was_meant(open_as, memory):
    old = committed(memory, "The gateway drops retries beyond five")
    (memory.root / old.path).unlink()
    (stray,) = memory.adoptable()
    assert (stray.kind, stray.path, stray.key) == ("deleted", old.path, old.id)
    assert not open_as(AGENT).adopt(shown=[stray.key])[0].done
    assert not memory.adopt()[0].done, "it was not shown"
    assert memory.adopt(shown=[stray.key])[0].noted
    assert memory.check() == ()
    assert memory.adoptable() == ()


def test_what_a_merge_damaged_is_left_to_a_person(memory):
    old = committed(memory, "The gateway drops retries beyond five")
    path = memory.root / old.path
    path.write_bytes(path.read_bytes() * 2)
    before = path.read_bytes()
    (adopted,) = memory.adopt(shown=shown(memory))
    assert isinstance(adopted.outcomes[0], Refused)
    assert "two records end to end" in adopted.outcomes[0].message
    assert path.read_bytes() == before


def test_a_record_of_another_memory_is_adopted_with_its_id_as_a_name(memory, open_as, tmp_path):
    other = open_as(PERSON, tmp_path / "other")
    given = other.remember("The gateway drops retries beyond five", category="decision").record
    kept = only(memory.adopt([other.root / given.path], shown=shown(memory, other.root / given.path)))
    assert kept.aliases == (given.id,)
    assert (other.root / given.path).exists()


def test_links_and_pipes_are_never_followed(memory, tmp_path):
    outside = tmp_path / "secret.md"
    outside.write_text("Outside the memory, decided with the team.")
    (memory.root / "records" / "link.md").symlink_to(outside)
    os.mkfifo(memory.root / "records" / "pipe.md")
    assert memory.adopt() == ()
    assert outside.exists()
