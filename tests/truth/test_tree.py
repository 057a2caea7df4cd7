"""Checkouts: the same place in every clone, confined to the work tree, git asked once and only when needed."""

import json
import subprocess
from pathlib import Path

import pytest

from memoranda.model.errors import Invalid, NotFound, Unavailable
from memoranda.model.locator import FileLocator
from memoranda.model.world import Unseen
from memoranda.truth import tree
from memoranda.truth.tree import Checkouts, read_inside

IDENTITY = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "protocol.file.allow=always"]


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *IDENTITY, "-C", str(folder), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    top = tmp_path / "repo"
    (top / "src").mkdir(parents=True)
    (top / "src" / "a b.py").write_text("print(1)\n")
    _git(tmp_path, "init", "-q", "-b", "main", str(top))
    _git(top, "add", ".")
    _git(top, "commit", "-qm", "one")
    _git(top, "commit", "-qm", "two", "--allow-empty")
    return top


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def test_a_file_is_located_by_root_commit_and_path(repo: Path, state: Path) -> None:
    root_commit = _git(repo, "rev-list", "--max-parents=0", "HEAD")
    locator = Checkouts(state).locate(repo / "src" / "a b.py")
    assert locator == FileLocator(path="src/a b.py", repo=root_commit)
    assert Checkouts(state).file(locator) == b"print(1)\n"


def test_a_clone_and_a_worktree_are_the_same_repository(repo: Path, state: Path, tmp_path: Path) -> None:
    locator = Checkouts(state).locate(repo / "src" / "a b.py")
    _git(tmp_path, "clone", "-q", str(repo), str(tmp_path / "clone"))
    _git(repo, "worktree", "add", "-q", str(tmp_path / "worktree"))
    for name in ("clone", "worktree"):
        assert Checkouts(state).locate(tmp_path / name / "src" / "a b.py") == locator
        (tmp_path / name / "src" / "a b.py").write_text(name)
        assert Checkouts(state).file(locator) == name.encode(), "the checkout noted last is looked at first"
    Checkouts(state).note(repo)
    assert Checkouts(state).file(locator) == b"print(1)\n"


def test_gone_and_unseen_differ(repo: Path, state: Path) -> None:
    checkouts = Checkouts(state)
    locator = checkouts.locate(repo / "src" / "a b.py")
    (repo / "src" / "a b.py").unlink()
    assert checkouts.file(locator) is None
    with pytest.raises(Unseen):
        checkouts.file(FileLocator(path="x", repo="0" * 40))
    with pytest.raises(Unseen):
        checkouts.file(FileLocator(path="x"))
    repo.rename(repo.with_name("moved"))
    with pytest.raises(Unseen):
        Checkouts(state).file(locator)
    assert Checkouts(state, here=repo.with_name("moved")).file(FileLocator(path="src/a b.py")) is None


def test_locators_without_a_key_are_read_from_here(repo: Path, state: Path) -> None:
    assert Checkouts(state, here=repo).file(FileLocator(path="src/a b.py")) == b"print(1)\n"
    assert not state.exists(), "nothing is noted for it"


def test_no_path_leads_out_of_the_work_tree(repo: Path, state: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("outside")
    (repo / "link").symlink_to(tmp_path / "secret")
    (repo / "up").symlink_to(tmp_path)
    (repo / "inside").symlink_to(repo / "src")
    checkouts = Checkouts(state)
    repo_key = checkouts.note(repo)
    for path in ("link", "up/secret", ".git/config", "inside/../../secret"):
        with pytest.raises(Unseen):
            checkouts.file(FileLocator(path=path, repo=repo_key))
    assert checkouts.file(FileLocator(path="inside/a b.py", repo=repo_key)) == b"print(1)\n"
    assert checkouts.file(FileLocator(path="src", repo=repo_key)) is None
    assert checkouts.file(FileLocator(path="src/a b.py/x", repo=repo_key)) is None
    assert read_inside(repo, "loop") is None


def test_what_cannot_be_located_says_why(repo: Path, state: Path, tmp_path: Path) -> None:
    checkouts = Checkouts(state)
    with pytest.raises(NotFound):
        checkouts.locate(repo / "nowhere")
    with pytest.raises(Invalid):
        checkouts.locate(repo / "src")
    with pytest.raises(Invalid):
        checkouts.locate(repo / ".git" / "config")
    (tmp_path / "loose").write_text("x")
    with pytest.raises(NotFound):
        checkouts.locate(tmp_path / "loose")
    (repo / "link").symlink_to(tmp_path / "loose")
    with pytest.raises(NotFound):
        checkouts.locate(repo / "link")
    _git(tmp_path, "init", "-q", "empty")
    (tmp_path / "empty" / "x").write_text("x")
    with pytest.raises(Unavailable):
        checkouts.locate(tmp_path / "empty" / "x")
    _git(tmp_path, "clone", "-q", "--depth=1", f"file://{repo}", str(tmp_path / "shallow"))
    with pytest.raises(Unavailable, match="shallow"):
        checkouts.locate(tmp_path / "shallow" / "src" / "a b.py")


def test_git_is_asked_once_per_checkout_and_not_at_all_for_reading(
    repo: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locator = Checkouts(state).locate(repo / "src" / "a b.py")

    def never(*_: object, **__: object) -> bytes:
        raise AssertionError("git was started")

    monkeypatch.setattr(tree, "run", never)
    again = Checkouts(state)
    assert again.locate(repo / "src" / "a b.py") == locator
    assert again.file(locator) == b"print(1)\n"


def test_another_repository_at_the_same_path_is_noticed(repo: Path, state: Path, tmp_path: Path) -> None:
    locator = Checkouts(state).locate(repo / "src" / "a b.py")
    repo.rename(tmp_path / "old")
    (repo / "src").mkdir(parents=True)
    (repo / "src" / "a b.py").write_text("other\n")
    _git(tmp_path, "init", "-q", str(repo))
    _git(repo, "add", ".")
    _git(repo, "commit", "-qm", "another")
    with pytest.raises(Unseen):
        Checkouts(state).file(locator)
    assert Checkouts(state).locate(repo / "src" / "a b.py").repo != locator.repo


def test_a_damaged_note_is_made_anew(repo: Path, state: Path) -> None:
    locator = Checkouts(state).locate(repo / "src" / "a b.py")
    for text in ("", "[", "{}", '[{"top": 7}]', json.dumps([{"top": 1, "root_commit": 2, "inode": 3}])):
        (state / "repos.json").write_text(text)
        assert Checkouts(state).locate(repo / "src" / "a b.py") == locator
