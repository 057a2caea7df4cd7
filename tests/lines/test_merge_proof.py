"""Clones, worktrees, rebases and forced pushes: what several writers wrote comes together by itself.

Rows B9, B10, B11, C26. Real repositories; what decides is ids and chains, never paths or the order of commits.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from support.doors import AGENT, PERSON

from memoranda import Memory
from memoranda.model.settings import Settings


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *who, "-C", str(folder), *words], check=False, capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout.strip()


class Machine:
    """One user's machine with a memory on it."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.settings = replace(settings, state=folder / "state", home=folder / ".memoranda", user_home=folder)
        self.folder = folder

    def open(self, path: Path | None = None, door=PERSON) -> Memory:
        return Memory.open(path, settings=self.settings, door=door)

    def say(self, text: str, path: Path | None = None, **more) -> str:
        with self.open(path) as memory:
            return memory.remember(text, category="decision", **more).record.id

    def ids(self, path: Path | None = None) -> set[str]:
        with self.open(path) as memory:
            memory.reindex()
            assert not memory._store.fresh().catalog.doubled
            return set(memory._store.catalog.entries)


@pytest.fixture
def machines(tmp_path, settings) -> list[Machine]:
    """Two machines whose personal memories are clones of one repository, and that repository."""
    first, second = Machine(tmp_path / "one", settings), Machine(tmp_path / "two", settings)
    with Memory.init(settings=first.settings, door=PERSON):
        pass
    git(tmp_path, "init", "-q", "--bare", "shared.git")
    git(first.settings.home, "remote", "add", "origin", str(tmp_path / "shared.git"))
    git(first.settings.home, "push", "-q", "-u", "origin", "main")
    git(tmp_path, "clone", "-q", str(tmp_path / "shared.git"), str(second.settings.home))
    return [first, second]


def meet(machine: Machine) -> None:
    git(machine.settings.home, "pull", "-q", "--no-rebase", "--no-edit")
    git(machine.settings.home, "push", "-q")


def test_c26_two_clones_of_a_personal_memory_come_together_without_conflict(machines):
    first, second = machines
    said = {first.say(f"The first machine decided {n}") for n in range(5)}
    said |= {second.say(f"The second machine decided {n}") for n in range(5)}
    with first.open() as memory:
        memory.forget(sorted(first.ids())[0], "for an event")
    with second.open() as memory:
        memory.forget(sorted(second.ids())[0], "for an event")
    meet(first), meet(second), meet(first)
    assert first.ids() == second.ids() == said
    for machine in machines:
        with machine.open() as memory:
            assert len({event.writer for event in memory._store.all_events()}) == 2
            assert not [p for p in memory.check() if "may read" not in p.message], memory.check()


def test_c26_the_same_statement_of_two_clones_is_two_records_and_no_conflict(machines):
    first, second = machines
    one, two = first.say("Deploys wait for the tests"), second.say("Deploys wait for the tests")
    meet(first), meet(second), meet(first)
    assert first.ids() == {one, two}


def test_c26_two_corrections_of_one_record_are_contested_and_both_shown(machines):
    first, second = machines
    old = first.say("Retries are capped at three")
    meet(first)
    git(second.settings.home, "pull", "-q")
    one = first.say("Retries are capped at five", supersedes=[old])
    two = second.say("Retries are capped at nine", supersedes=[old])
    meet(first), meet(second), meet(first)
    for machine in machines:
        with machine.open() as memory:
            memory.reindex()
            found = {c.record.id: c for c in memory.recall("what are retries capped at", lexical=True).concluded}
            assert found.keys() == {one, two}
            assert found[one].contested_with == (two,)
            assert found[two].contested_with == (one,)
            assert {entry.state for entry in memory.history(old)} == {"contested", "superseded"}


def test_c26_a_rebase_and_a_forced_push_lose_no_record_and_break_no_chain(machines):
    first, second = machines
    old = first.say("Builds run on the small runner")
    with first.open() as memory:
        memory.promote(old)
    meet(first)
    other = second.say("Builds are cached for a week")
    git(second.settings.home, "pull", "-q", "--rebase")
    git(second.settings.home, "push", "-q")
    git(first.settings.home, "fetch", "-q")
    new = first.say("Builds run on the large runner", supersedes=[old])
    git(first.settings.home, "rebase", "-q", "origin/main")
    git(first.settings.home, "commit", "-q", "--amend", "--no-edit", "--date", "2001-01-01T00:00:00Z")
    git(first.settings.home, "push", "-q", "--force")
    git(second.settings.home, "fetch", "-q")
    git(second.settings.home, "rebase", "-q", "origin/main")
    assert first.ids() == second.ids() == {old, other, new}
    with second.open() as memory:
        assert [entry.record.id for entry in memory.history(old)] == [new, old]
        assert memory._store.events.read()[1] == []


def test_c26_a_file_moved_on_one_side_and_superseded_on_the_other_stays_one_record(machines):
    first, second = machines
    old = first.say("The owner of the gateway is the platform team")
    meet(first)
    git(second.settings.home, "pull", "-q")
    with first.open() as memory:
        memory.promote(old, core=True)
    new = second.say("The owner of the gateway is the edge team", supersedes=[old])
    meet(first), meet(second), meet(first)
    assert first.ids() == second.ids() == {old, new}
    with second.open() as memory:
        assert memory.get(old).path.startswith("core/")
        assert memory.history(old)[-1].state == "superseded"


def test_c26_a_project_memory_merges_over_branches_and_worktrees(tmp_path, settings):
    machine = Machine(tmp_path / "user", settings)
    repo, side = tmp_path / "repo", tmp_path / "side"
    repo.mkdir()
    git(repo, "init", "-q")
    with Memory.init(repo, project=True, settings=machine.settings, door=PERSON):
        pass
    old = machine.say("The API is versioned by date", repo / ".memoranda")
    git(repo, "add", "."), git(repo, "commit", "-qm", "start")
    git(repo, "worktree", "add", "-q", "-b", "side", str(side))
    one = machine.say("The API is versioned by number", repo / ".memoranda", supersedes=[old])
    with machine.open(side / ".memoranda") as memory:
        memory.trust()
    two = machine.say("The API is versioned by name", side / ".memoranda", supersedes=[old])
    for folder in (repo, side):
        with machine.open(folder / ".memoranda") as memory:
            memory.promote(old)  # an event of each clone's own chain
        git(folder, "add", "."), git(folder, "commit", "-qm", "more")
    git(repo, "merge", "-q", "--no-edit", "side")
    git(side, "rebase", "-q", "main")
    assert machine.ids(repo / ".memoranda") == machine.ids(side / ".memoranda") == {old, one, two}
    with machine.open(repo / ".memoranda") as memory:
        events, problems = memory._store.events.read()
        assert problems == []
        assert len({event.writer for event in events}) == 2
        assert "foreign" in str(memory._store.authority(memory.get(two)).word), "a merge brings strangers' words"
        memory.trust()
        assert {entry.state for entry in memory.history(old)} == {"contested", "superseded"}
        assert not [p for p in memory.check() if p.locator.startswith(("records/", "events/"))]


def test_c26_turns_of_two_writers_are_one_session(machines, tmp_path):
    from memoranda.model.outcome import Screened
    from memoranda.model.turn import Block, Turn

    def turn(n: int) -> Screened[Turn]:
        said = Turn(
            "s",
            f"t{n}",
            "user",
            "claude",
            (Block("text", f"remark {n}"),),
            seq=n,
            captured="2026-01-01T00:00:00Z",
            screened="3",
        )
        return Screened(said, "3")

    first, second = machines
    for machine, numbers in ((first, range(3)), (second, range(5))):
        with machine.open() as memory:
            memory._store.turn_store.append([turn(n) for n in numbers])
    shutil.copytree(second.settings.home / "turns", first.settings.home / "turns", dirs_exist_ok=True)
    with first.open() as memory:
        assert [t.turn for t in memory.get("turn:claude/s/0..9").turns] == [f"t{n}" for n in range(5)]
        hits = [said.locator for said in memory.recall("remark", lexical=True, limit=20).said]
        assert sorted(hits) == sorted({f"turn:claude/s/t{n}" for n in range(5)}), "no turn twice"


def test_b9_history_follows_supersedes_from_files_alone(memory):
    a = memory.remember("The limit is one", category="decision").record.id
    b = memory.remember("The limit is two", category="decision", supersedes=[a]).record.id
    c = memory.remember("The limit is three", category="decision", supersedes=[b]).record.id
    memory.close()
    shutil.rmtree(memory.root / ".index")
    for asked in (a, b, c):
        assert [entry.record.id for entry in memory.history(asked)] == [c, b, a]
        assert [entry.state for entry in memory.history(asked)] == ["current", "superseded", "superseded"]


@pytest.mark.skipif(os.geteuid() != 0, reason="a read-only mount takes root")
def test_b10_current_facts_and_history_without_index_or_git_on_a_disk_that_refuses_writes(memory, settings, tmp_path):
    a = memory.remember("The limit is one", category="decision").record.id
    b = memory.remember("The limit is two", category="decision", supersedes=[a]).record.id
    memory.close()
    shutil.rmtree(memory.root / ".index")
    shutil.rmtree(memory.root / ".git")
    mount = f"mount --bind {memory.root} {memory.root} && mount -o remount,ro,bind {memory.root}"
    script = f"{mount} && {sys.executable} -m memoranda.views.cli --json history {a}"
    variables = {
        "PATH": os.environ["PATH"], "HOME": str(tmp_path / "user"), "MEMORANDA_HOME": str(memory.root),
        "MEMORANDA_STATE": str(settings.state), "MEMORANDA_CACHE": str(settings.cache), "MEMORANDA_EMBEDDER": "",
    }  # fmt: skip
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script], env=variables, capture_output=True, text=True, check=False
    )
    if "mount" in done.stderr or "unshare" in done.stderr:
        pytest.skip("this machine allows no mounts")
    assert done.returncode == 0, done.stderr
    assert done.stdout.index(b) < done.stdout.index('"state":"superseded"')


def test_b11_git_shows_each_write_and_a_revert_of_a_batch_takes_back_its_set(memory, open_as):
    home = memory.root
    with open_as(AGENT) as agent:
        first = agent.remember("The build takes nine minutes on the runner", category="reference").record
    memory.remember("Retries are capped at five", category="decision")
    second = memory.remember("Deploys wait for the tests", category="decision").record
    memory._store.committer.flush()
    shown = git(home, "log", "--format=%an", "--name-status", "-1")
    assert memory._store.writer in shown
    assert shown.count("A\trecords/") == 2
    assert "Deploys wait" not in git(home, "log", "--format=%B")
    git(home, "revert", "--no-edit", "HEAD")
    memory.reindex()
    assert set(memory._store.fresh().catalog.entries) == {first.id}
    assert not memory.recall("deploys tests", lexical=True).concluded
    assert any(second.id in problem.message for problem in memory.check()), "what is gone is named"


def test_files_of_the_second_clone_are_as_private_as_git_leaves_them(machines):
    """Not our doing: git keeps no modes. Check says so, with the command that closes it."""
    _, second = machines
    with second.open() as memory:
        loose = stat.S_IMODE(os.stat(second.settings.home).st_mode) & 0o077
        found = [p for p in memory.check() if "may read" in p.message]
    assert bool(found) == bool(loose)
    assert all(p.hint.startswith("chmod -R go=") for p in found)
