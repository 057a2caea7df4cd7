"""Check: each kind of damage is found, with its file, its line and what to do; what is sound is left in peace."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from support.doors import PERSON

from memoranda import Memory
from memoranda.model.outcome import Screened
from memoranda.model.turn import Block, Turn
from memoranda.truth.grammar import REQUIRED


@pytest.fixture
def kept(memory: Memory) -> Path:
    record = memory.remember("The gateway drops retries beyond five", category="decision").record
    memory._store.committer.flush()
    return memory.root / record.path


def problems(memory: Memory, **more: bool) -> list[str]:
    found = memory.check(**more)
    assert all(p.hint for p in found), [str(p) for p in found if not p.hint]
    return [str(p) for p in found]


def turn(n: int, **more: object) -> Screened[Turn]:
    values = {"session": "s", "turn": f"t{n}", "seq": n, **more}
    said = Turn(role="user", harness="claude", blocks=(Block("text", f"remark {n}"),), captured="2026-01-01T00:00:00Z",
                screened="3", **values)  # fmt: skip
    return Screened(said, "3")


def test_a_sound_memory_has_no_problem_deep_or_not(memory, kept):
    memory._store.turn_store.append([turn(n) for n in range(5)])
    memory.reindex()
    assert problems(memory) == []
    assert problems(memory, deep=True) == []


@pytest.mark.parametrize("key", REQUIRED)
def test_b3_a_missing_required_key_is_a_problem_with_file_and_line(memory, kept, key):
    lines = kept.read_text().splitlines(True)
    kept.write_text("".join(line for line in lines if not line.startswith(f"{key}:")))
    found = [p for p in memory.check() if p.locator == kept.relative_to(memory.root).as_posix()]
    assert any(f"required key {key} is missing" in p.message and p.line for p in found), found


def test_an_edit_is_found_even_with_size_and_time_as_before(memory, kept):
    facts = kept.stat()
    kept.write_bytes(kept.read_bytes().replace(b"five", b"nine"))
    os.utime(kept, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert any("edited: the bytes are not what" in text and "memoranda adopt" in text for text in problems(memory))


def test_c26_conflict_markers_and_glued_records_are_found_with_their_line(memory, kept):
    original = kept.read_bytes()
    kept.write_bytes(original.replace(b"The gateway", b"<<<<<<< HEAD\nThe gateway") + b"=======\nx\n>>>>>>> theirs\n")
    line = len(original.splitlines())
    assert any(f":{line}: holds the conflict markers" in text for text in problems(memory))
    kept.write_bytes(original.replace(b"category", b"<<<<<<< HEAD\ncategory"))
    assert any("holds the conflict markers" in text for text in problems(memory))
    kept.write_bytes(original + original)
    assert any("holds two records end to end" in text for text in problems(memory))


def test_b33_an_edited_event_line_is_named_by_its_number(memory, kept):
    for n in range(4):
        memory._store.event("known", f"{n}" * 64, "again")
    path = next((memory.root / "events").glob("*/*.jsonl"))
    lines = path.read_bytes().split(b"\n")
    lines[1] = lines[1].replace(b"again", b"never")
    path.write_bytes(b"\n".join(lines))
    assert any(f"{path.relative_to(memory.root).as_posix()}:2:" in text for text in problems(memory))


def test_b33_the_last_line_and_a_cut_chain_are_found_against_the_last_commit(memory, kept):
    digest = memory.get(kept.name[:16]).digest
    for n in range(3):
        memory._store.event("known", digest, f"again {n}")
    memory._store.committer.flush()
    path = next((memory.root / "events").glob("*/*.jsonl"))
    whole = path.read_bytes()
    assert problems(memory) == []
    path.write_bytes(whole.replace(b"again 2", b"never 2"))
    assert any("changed or cut" in text for text in problems(memory))
    path.write_bytes(b"".join(whole.splitlines(True)[:-1]))
    assert any("changed or cut" in text for text in problems(memory))
    path.write_bytes(whole)
    memory._store.event("known", digest, "more behind it is no flaw")
    assert problems(memory) == []


def test_a_deleted_record_is_named_by_git_with_the_way_back(memory, kept):
    path = kept.relative_to(memory.root).as_posix()
    original = kept.read_bytes()
    kept.unlink()
    (found,) = [p for p in memory.check() if p.locator == path]
    assert "was deleted" in found.message
    command = found.hint.partition(": ")[2].partition(";")[0]
    subprocess.run(command, shell=True, check=True, capture_output=True)
    assert kept.read_bytes() == original
    kept.unlink()
    memory._store.committer.note("records")
    memory._store.committer.flush()  # the deletion itself was committed
    (found,) = [p for p in memory.check() if p.locator == path]
    subprocess.run(found.hint.partition(": ")[2].partition(";")[0], shell=True, check=True, capture_output=True)
    assert kept.read_bytes() == original


def test_a_deleted_record_is_named_without_git_by_index_and_events(memory, kept, settings):
    record = memory.get(kept.name[:16])
    memory._store.event("verified", record.digest, "")
    subprocess.run(["rm", "-rf", str(memory.root / ".git")], check=True)
    kept.unlink()
    assert any(f"{record.id} was deleted" in text for text in problems(memory))
    memory.reindex()  # the index knows nothing any more; the event does
    assert any(f"is about {record.id}, which is not here" in text for text in problems(memory))


def test_links_that_lead_nowhere_and_circles_are_named(memory, kept):
    from memoranda.truth.grammar import parse_record, print_record, seal

    first = parse_record(kept.read_bytes(), "")
    from dataclasses import replace

    lost = seal(replace(first, body="It rests on one that is gone", supersedes=("mem_00000000dead",)))
    itself = seal(replace(first, body="Another statement"))
    for record in (lost, itself):
        (kept.parent / f"{record.id}-x.md").write_bytes(print_record(record))
        (kept.parent / f"{record.id}-x.md").chmod(0o600)
    assert any("supersedes names mem_00000000dead, which is not here" in text for text in problems(memory))
    a, b = kept.parent / "mem_00000000aaaa-x.md", kept.parent / "mem_00000000bbbb-x.md"
    for path, other in ((a, b), (b, a)):
        crafted = replace(first, id=path.name[:16], supersedes=(other.name[:16],))
        path.write_bytes(print_record(crafted))
    assert sum("runs in a circle" in text for text in problems(memory)) == 2


def test_permissions_links_strange_names_and_settings_are_found(memory, kept):
    kept.chmod(0o644)
    (memory.root / "records" / "notes.txt").write_text("x")
    (memory.root / "records" / "pipe.md").symlink_to("/etc/hostname")
    (memory.root / ".gitattributes").write_text("* text=auto\n")
    (memory.root / "memory.toml").write_text('format = 1\nkind = "personal"\nembedder = "evil"\n')
    found = "\n".join(problems(memory))
    for words in ("others may read", "is no record", "neither file nor folder", "git may change bytes", "mean nothing"):
        assert words in found, words
    assert "evil" not in found


def test_deep_reads_every_line_of_turns_and_every_byte_of_evidence(memory, kept):
    memory._store.turn_store.append([turn(0), turn(1)])
    path = next((memory.root / "turns").rglob("*.jsonl"))
    memory.reindex()
    good = path.read_bytes()
    path.write_bytes(good.replace(b'"seq":1', b'"seq":0'))
    assert problems(memory) == []
    assert any("seq 0 stands after 0" in text and ":2:" in text for text in problems(memory, deep=True))
    path.write_bytes(good[:-1] + b"{")
    assert any("cut short" in text for text in problems(memory))
    path.write_bytes(good)
    name = "ab" + "0" * 62
    place = memory.root / "evidence" / "sha256" / "ab"
    place.mkdir(parents=True, mode=0o700)
    (place / name).write_bytes(b"not those bytes")
    (place / f"{name}.toml").write_text("")
    assert not any("not what their name says" in text for text in problems(memory))
    assert any("not what their name says" in text for text in problems(memory, deep=True))


def test_deep_looks_at_what_never_changes_again(memory):
    memory._store.turn_store.append([turn(0)])
    memory.remember("The remark was made", anchors=["turn:claude/s/t0"], category="decision")
    path = next((memory.root / "turns").rglob("*.jsonl"))
    path.write_bytes(path.read_bytes().replace(b"remark 0", b"remark 9"))
    assert any("what it rests on is changed" in text for text in problems(memory, deep=True))


def test_repair_rebuilds_the_index_and_touches_no_truth(memory, kept):
    before = {p: p.read_bytes() for p in memory.root.rglob("*") if p.is_file() and ".index" not in p.parts}
    row = {"stamp": "1", "digest": "", "category": "note", "created": "", "durability": "durable", "wanted": True}
    memory._store.index.put_notes({"record/mem_00000000dead/records/2020/01/mem_00000000dead-x.md": json.dumps(row)})
    assert any("no longer here" in text for text in problems(memory))
    assert problems(memory, repair=True) == []
    after = {p: p.read_bytes() for p in memory.root.rglob("*") if p.is_file() and ".index" not in p.parts}
    assert after == before


def test_a_projects_branch_without_a_record_is_no_deletion(open_as, tmp_path, settings):
    repo = tmp_path / "repo"
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-C", str(repo)]
    subprocess.run(["git", "init", "-q", "-b", "main", str(repo)], check=True)
    memory = open_as(PERSON, repo, project=True)
    for words in (["add", "."], ["commit", "-qm", "start"], ["checkout", "-qb", "side"]):
        subprocess.run([*git, *words], check=True)
    record = memory.remember("Only on the side branch is this so", category="decision").record
    for words in (["add", "."], ["commit", "-qm", "more"], ["checkout", "-q", "main"]):
        subprocess.run([*git, *words], check=True)
    assert not any("deleted" in text for text in problems(memory))
    subprocess.run([*git, "checkout", "-q", "side"], check=True)
    (memory.root / record.path).unlink()
    assert any(f"{record.id} was deleted" in text for text in problems(memory))
