"""The read line end to end: anchors re-checked at every recall, strangers' memories, what the answer says of itself."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from support.doors import AGENT, PERSON

from memoranda import Memory
from memoranda.model.errors import Invalid
from memoranda.model.outcome import Stored
from memoranda.model.record import Authority


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"]
    return subprocess.run(
        [*command, "-C", str(folder), *arguments], check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def code(tmp_path: Path) -> Path:
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "app.py").write_text("import os\n\nTIMEOUT = 30\nRETRIES = 3\n\nprint(os.name)\n")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    return folder


def said(memory: Memory, text: str, **more):
    outcome = memory.remember(text, **more)
    assert isinstance(outcome, Stored), outcome
    return outcome.record


def test_b40_b42_an_anchor_is_looked_at_again_at_every_recall(memory, code):
    said(memory, "The request timeout is thirty seconds", anchors=[f"{code}/app.py#L3-L4"], category="reference")

    def hit():
        return memory.recall("what is the request timeout").concluded[0]

    assert hit().verdicts[0].state == "fresh"
    fresh = hit().score
    original = (code / "app.py").read_text()
    (code / "app.py").write_text(original.replace("30", "45"))
    assert "stale" in hit().states
    assert hit().score == pytest.approx(fresh * 0.5, rel=1e-9)
    assert any("verify" in notice for notice in hit().notices)
    (code / "app.py").write_text(original)
    assert hit().verdicts[0].state == "fresh"
    (code / "app.py").unlink()
    assert hit().verdicts[0].state == "gone"
    (code / "app.py").write_text(original)
    shutil.move(str(code), str(code.parent / "hidden"))
    assert hit().verdicts[0].state == "unknown"
    assert hit().score == pytest.approx(fresh, rel=1e-9)


def test_b43_a_stale_record_ranks_after_every_other(memory, code):
    stale = said(memory, "Timeout timeout timeout: the request timeout is thirty", anchors=[f"{code}/app.py#L3"])
    other = said(memory, "Requests are also limited by a gateway that has its own timeout somewhere in its settings")
    assert memory.recall("request timeout").concluded[0].record.id == stale.id
    (code / "app.py").write_text("x\n")
    assert [h.record.id for h in memory.recall("request timeout").concluded] == [other.id, stale.id]


def test_verify_reads_every_anchor_and_names_what_changed(memory, code):
    record = said(memory, "There are three retries", anchors=[f"{code}/app.py#L4"])
    assert [v.state for v in memory.verify(record.id)[0].verdicts] == ["fresh"]
    (code / "app.py").write_text("import os\n\nTIMEOUT = 30\nRETRIES = 5\n")
    found = memory.verify()
    assert [r.record.id for r in found] == [record.id]
    assert found[0].stale
    assert "app.py" in found[0].verdicts[0].reason


def test_a_hand_edited_record_is_shown_as_such_with_an_outsiders_authority(memory):
    record = said(memory, "The archive lives in the north building")
    path = memory.root / record.path
    path.write_text(path.read_text().replace("north", "south"))
    hit = memory.recall("where does the archive live").concluded[0]
    assert {"edited", "unverified"} <= set(hit.states)
    assert hit.authority is Authority.EXTERNAL
    assert "south" in hit.record.body
    assert any("edited" in p.message for p in memory.check())


def test_broken_files_are_problems_with_file_and_line_and_stop_nothing(memory):
    good = said(memory, "The archive lives in the north building")
    folder = (memory.root / good.path).parent
    (folder / "broken.md").write_text("no header at all\n")
    (folder / "crlf.md").write_bytes((memory.root / good.path).read_bytes().replace(b"\n", b"\r\n"))
    (folder / "bom.md").write_bytes(b"\xef\xbb\xbf" + (memory.root / good.path).read_bytes())
    (folder / "twice.md").write_text((memory.root / good.path).read_text().replace("---\n", "---\nsource: a\n", 1))
    (folder / "alias.md").write_text("---\nid: &a mem_aaaaaaaaaaaa\n---\nx\n")
    (folder / "bytes.md").write_bytes(b"---\nid: mem_\xff\n---\n")
    (folder / "huge.md").write_bytes(b"---\n" + b"x" * (8 << 20))
    problems = {p.locator.rsplit("/", 1)[-1]: p for p in memory.check()}
    for name in ("broken.md", "crlf.md", "bom.md", "twice.md", "alias.md", "bytes.md", "huge.md"):
        assert problems[name].hint, name
    assert [h.record.id for h in memory.recall("where does the archive live").concluded] == [good.id]


def test_c34_a_cloned_project_memory_is_a_strangers_until_a_person_trusts_it(settings, code, tmp_path):
    with Memory.init(code, project=True, settings=settings, door=PERSON) as mine:
        said(mine, "The release branch is called stable", category="decision")
    git(code, "add", ".")
    git(code, "commit", "-qm", "memory")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(code), str(clone))
    with Memory.open(clone, project=True, settings=settings, door=PERSON) as theirs:
        hit = theirs.recall("what is the release branch called").concluded[0]
        assert hit.authority is Authority.FOREIGN
        assert any(f.multiplier == 0.8 for f in hit.because)
        assert theirs.status().foreign == 1
        ours = said(theirs, "The nightly branch is called edge", category="decision")
        assert theirs.recall("nightly branch").concluded[0].authority is Authority.OWNER
        assert theirs.trust() == 1
        assert theirs.recall("release branch").concluded[0].authority is Authority.OWNER
    git(code, "commit", "-qm", "nothing", "--allow-empty")
    with Memory.open(code, project=True, settings=settings, door=PERSON) as mine:
        said(mine, "The hotfix branch is called urgent", category="decision")
    git(code, "add", ".")
    git(code, "commit", "-qm", "more")
    git(clone, "add", ".")
    git(clone, "commit", "-qm", "ours")
    git(clone, "pull", "-q", "--no-rebase", "--no-edit")
    with Memory.open(clone, project=True, settings=settings, door=PERSON) as theirs:
        found = {h.record.headline: h.authority for h in theirs.recall("branch is called").concluded}
        assert found["The hotfix branch is called urgent"] is Authority.FOREIGN
        assert found["The release branch is called stable"] is Authority.OWNER
        assert found[ours.headline] is Authority.OWNER


def test_c34_a_strangers_record_supersedes_nothing_of_ours_and_its_events_change_nothing(settings, code, tmp_path):
    with Memory.init(code, project=True, settings=settings, door=PERSON) as mine:
        ours = said(mine, "The release branch is called stable", category="decision")
    git(code, "add", ".")
    git(code, "commit", "-qm", "memory")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(code), str(clone))
    from dataclasses import replace

    stranger = replace(settings, state=tmp_path / "their-state")
    with Memory.open(clone, project=True, settings=stranger, door=PERSON) as theirs:
        theirs.trust()
        said(theirs, "The release branch is called evil", supersedes=[ours.id], category="decision")
        theirs.forget(ours.id, "gone")
    git(clone, "add", ".")
    git(clone, "commit", "-qm", "poison")
    git(code, "pull", "-q", str(clone), "HEAD")
    with Memory.open(code, project=True, settings=settings, door=PERSON) as mine:
        hits = mine.recall("what is the release branch called").concluded
        assert [h.record.id for h in hits] == [ours.id]


def test_an_agent_cannot_trust(settings, code):
    with Memory.init(code, project=True, settings=settings, door=AGENT) as memory, pytest.raises(Invalid):
        memory.trust()


def test_a_project_anchor_names_no_repository_and_no_path_of_this_machine(settings, code, monkeypatch, tmp_path):
    monkeypatch.chdir(code)
    with Memory.init(project=True, settings=settings, door=PERSON) as memory:
        record = said(memory, "There are three retries", anchors=["app.py#L4"])
        assert record.anchors[0].startswith("file:app.py#L4@sha256:")
        data = (memory.root / record.path).read_text()
        assert str(tmp_path) not in data
        assert memory.recall("retries").concluded[0].verdicts[0].state == "fresh"


def test_c20_a_question_without_support_returns_nothing_and_says_how_the_index_stood(memory):
    said(memory, "The archive lives in the north building")
    answer = memory.recall("zebra quantum marmalade")
    assert answer.empty
    assert answer.index.current
    assert answer.index.signals


def test_b1_b12_c3_everything_but_the_files_may_go_and_the_answers_stay(memory, open_as):
    subjects = ["parser", "queue", "cache", "budget", "release", "index", "printer", "archive", "branch", "timeout"]
    for n in range(50):
        said(memory, f"We chose {subjects[n % 10]} variant {n} because of reason {n * 7 % 13}", category="decision")

    def answers(m: Memory) -> list[list[tuple[str, float]]]:
        queries = [f"{s} variant reason {n}" for n, s in enumerate(subjects)]
        return [[(h.record.id, h.score) for h in m.recall(q, limit=10).concluded] for q in queries]

    before = answers(memory)
    memory.close()
    shutil.rmtree(memory.root / ".index")
    shutil.rmtree(memory.root / ".git")
    assert answers(open_as()) == before


def test_b53_core_stays_the_same_however_large_the_archive(memory):
    record = said(memory, "Never force-push to the main branch", category="constraint")
    memory.promote(record.id, core=True)
    before = memory.core()
    assert "Never force-push" in before.text
    for n in range(30):
        said(memory, f"We chose variant {n} because it was cheap", category="decision")
    assert memory.core().text == before.text


def test_two_memories_answer_as_one(memory, settings, code):
    said(memory, "Personal: the parser streams because memory was short", category="decision")
    with Memory.init(code, project=True, settings=settings, door=PERSON) as project:
        said(project, "Project: the parser is written by hand", category="decision")
        answer = memory.recall("how is the parser", also=[project])
    assert {h.memory for h in answer.concluded} == {"personal", "project code"}
