"""What git knows of files that moved or changed, asked of real repositories."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from support.repository import Repository

from memoranda.model.world import Lineage
from memoranda.truth import lineage
from memoranda.truth.lineage import Asked, head_of, lineages, state_of

TEXT = "def capped(count):\n    return min(count, RETRIES)\n"


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "shop")


def one(repo: Repository, path: str, commit: str = "") -> Lineage:
    return lineages(repo.top, [Asked(path, commit, (repo.top / path).exists())])[0]


def test_the_file_as_it_was_at_a_commit_and_whether_that_is_part_of_what_is_checked_out(repo):
    first = repo.commit(a=TEXT)
    repo.git("checkout", "-q", "-b", "side")
    apart = repo.commit(a="side\n")
    repo.git("checkout", "-q", "main")
    repo.commit(a="main\n")
    assert one(repo, "a.py", first).then == TEXT.encode()
    assert one(repo, "a.py", first).part is True
    assert one(repo, "a.py", apart).part is False
    assert one(repo, "a.py", "0" * 40).part is False, "a commit that is not here"
    assert one(repo, "a.py").part is None


def test_versions_of_this_history_and_of_other_branches_are_told_apart(repo):
    repo.commit(a="one\n")
    repo.commit(a="two\n")
    repo.git("checkout", "-q", "-b", "feature/caps")
    repo.commit(a="side\n")
    repo.git("checkout", "-q", "main")
    found = one(repo, "a.py")
    assert found.held == (b"two\n", b"one\n")
    assert found.apart == (("feature/caps", b"side\n"),)


@pytest.mark.parametrize("way", ["committed", "staged", "twice", "changed on the way"])
def test_b40_a_rename_that_git_knows_is_followed(repo, way):
    first = repo.commit(a=TEXT * 3, b="other\n")
    repo.git("mv", "a.py", "c d.py")
    last = "c d.py"
    if way == "changed on the way":
        repo.write("c d.py", TEXT * 3 + "# more\n")
    if way != "staged":
        repo.commit()
    if way == "twice":
        (repo.top / "sub").mkdir()
        repo.git("mv", "c d.py", "sub/e.py")
        repo.commit()
        last = "sub/e.py"
    assert one(repo, "a.py", first).went[0] == last


def test_a_file_that_was_deleted_and_came_elsewhere_later_is_found_by_its_bytes(repo):
    repo.commit(a=TEXT)
    repo.commit(b=TEXT)
    repo.git("rm", "-q", "a.py")
    repo.commit()
    found = one(repo, "a.py")
    assert found.went == ()
    assert found.alike == ("b.py",)


def test_files_git_does_not_know_yet_are_named_when_their_names_end_alike(repo):
    repo.commit(a=TEXT)
    (repo.top / "a.py").rename(repo.top / "new.py")
    repo.write("notes.txt", TEXT)
    assert one(repo, "a.py").alike == ("new.py",)


def test_a_folder_inside_a_work_tree_is_asked_by_its_own_paths(repo):
    first = repo.commit()
    repo.write("sub/a.py", TEXT)
    repo.write("b.py", "x\n")
    first = repo.commit()
    repo.git("mv", "sub/a.py", "sub/c.py")
    found = lineages(repo.top / "sub", [Asked("a.py", first, False)])[0]
    assert found.then == TEXT.encode()
    assert found.went == ("c.py",)


def test_nothing_is_known_outside_git_or_before_the_first_commit(tmp_path):
    assert lineages(tmp_path, [Asked("a.py", "", False)]) == [Lineage()]
    repo = Repository(tmp_path / "new")
    assert one(repo, "a.py", "0" * 40).then is None
    assert head_of(repo.top) == ""


def test_many_files_cost_no_more_processes_than_one(repo, monkeypatch):
    first = repo.commit(**{f"f{n}": f"{n}\n{TEXT}" for n in range(20)})
    for n in range(20):
        repo.git("mv", f"f{n}.py", f"g{n}.py")
    repo.commit()
    started = []
    run = lineage.run
    monkeypatch.setattr(lineage, "run", lambda words, **more: started.append(words) or run(words, **more))
    assert one(repo, "f0.py", first).went == ("g0.py",)
    few = len(started)
    started.clear()
    found = lineages(repo.top, [Asked(f"f{n}.py", first, False) for n in range(20)])
    assert [row.went for row in found] == [(f"g{n}.py",) for n in range(20)]
    assert len(started) == few


def test_no_program_that_a_repository_names_is_started(repo, tmp_path):
    first = repo.commit(a=TEXT)
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    trap.chmod(0o755)
    repo.write(".gitattributes", "* filter=trap diff=trap\n")
    for name in ("filter.trap.clean", "filter.trap.smudge", "diff.trap.textconv", "diff.trap.command", "gpg.program"):
        repo.git("config", name, str(trap))
    repo.git("config", "core.fsmonitor", str(trap))
    repo.git("config", "log.showSignature", "true")
    subprocess.run(["git", "mv", "a.py", "b.py"], cwd=repo.top, check=True, env={**os.environ, "GIT_CONFIG_COUNT": "0"})
    (tmp_path / "sprung").unlink(missing_ok=True)
    found = one(repo, "a.py", first)
    assert found.went == ("b.py",)
    assert not (tmp_path / "sprung").exists()


def test_the_state_of_a_checkout_changes_with_commits_branches_and_what_is_staged(repo):
    repo.commit(a=TEXT)
    seen = {state_of(repo.top)}

    def changed() -> bool:
        before = len(seen)
        seen.add(state_of(repo.top))
        return len(seen) > before

    assert not changed()
    repo.commit(a="x\n")
    assert changed()
    repo.git("checkout", "-q", "-b", "side")
    assert changed()
    repo.git("mv", "a.py", "b.py")
    assert changed()
    assert state_of(repo.top / "nowhere") == state_of(repo.top)
    tree = repo.top.parent / "tree"
    repo.git("worktree", "add", "-q", str(tree), "main")
    assert state_of(tree) not in ("", state_of(repo.top))


def test_git_is_asked_for_a_bounded_time_all_questions_together(repo, monkeypatch):
    first = repo.commit(a=TEXT)
    repo.git("mv", "a.py", "b.py")
    given: list[float] = []
    run, clock = lineage.run, [0.0]

    def slow(words, **more):
        given.append(more["seconds"])
        clock[0] += 2.0
        return run(words, **more)

    monkeypatch.setattr(lineage, "run", slow)
    monkeypatch.setattr(lineage, "monotonic", lambda: clock[0])
    lineages(repo.top, [Asked("a.py", first, False)])
    assert given == [5.0, 3.0, 1.0], "each took two of five seconds"
