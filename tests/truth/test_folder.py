"""A memory's folder: made, opened, finished when its making was cut short, cleared of strays."""

import os
import stat
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from memoranda.model.errors import Conflict, Corrupt, Invalid, NotFound, Unavailable
from memoranda.truth.folder import Folder
from memoranda.truth.lock import WriteLock
from memoranda.truth.records import RecordStore
from memoranda.truth.turns import TurnStore


def _modes(root: Path) -> dict[str, int]:
    return {str(path.relative_to(root)): stat.S_IMODE(path.lstat().st_mode) for path in root.rglob("*")}


def test_a_personal_memory_is_private_whatever_the_umask(tmp_path: Path, make: SimpleNamespace) -> None:
    old = os.umask(0)
    try:
        folder = Folder.init(tmp_path / "home", "personal")
        lock = WriteLock(folder.root / ".lock")
        RecordStore(folder, lock).write(make.draft("Tabs, not spaces."))
        RecordStore(folder, lock).write(make.draft("Held.", hold=["suspicion"]))
        TurnStore(folder, "w0123456789ab", lock).append([make.turn("hello")])
        (folder.root / "core" / ".tmp-1-a").write_text("x")
        folder.recover(lock)
    finally:
        os.umask(old)
    assert stat.S_IMODE(folder.root.stat().st_mode) == 0o700
    for name, mode in _modes(folder.root).items():
        if name.startswith("lost+found/"):
            continue  # a stray keeps the mode it had
        assert mode & 0o077 == 0, name


def test_a_personal_memory_is_a_repository_with_a_first_commit(personal: Folder) -> None:
    git = ["git", "-C", str(personal.root)]
    listed = subprocess.run([*git, "ls-tree", "-r", "--name-only", "HEAD"], capture_output=True, text=True, check=True)
    assert listed.stdout.split() == [".gitattributes", ".gitignore", "memory.toml"]
    assert subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True, check=True).stdout == ""
    assert not list((personal.root / ".git").glob("hooks/*"))
    assert personal.notices == ()


def test_a_project_memory_is_files_only_and_commits_nothing(project: Folder) -> None:
    assert sorted(os.listdir(project.root)) == [
        ".gitattributes", ".gitignore", "core", "events", "memory.toml", "records"
    ]  # fmt: skip
    assert (project.root / ".gitattributes").read_text() == "* -text -merge\n"
    assert (project.root / "memory.toml").read_text() == 'format = 1\nkind = "project"\n'
    ignored = (project.root / ".gitignore").read_text().split()
    assert {"/.index/", "/.lock", "/held/", "/turns/", "/evidence/", "/lost+found/"} <= set(ignored)


def test_opening_gives_what_init_made(personal: Folder, project: Folder) -> None:
    assert Folder.open(personal.root) == personal
    assert Folder.open(project.root) == project
    assert Folder.init(personal.root, "personal") == personal


def test_init_goes_on_where_it_was_cut_short(tmp_path: Path) -> None:
    whole = Folder.init(tmp_path / "a", "personal")
    for missing in ("memory.toml", ".gitignore", "records"):
        path = whole.root / missing
        path.rmdir() if path.is_dir() else path.unlink()
    again = Folder.init(tmp_path / "a", "personal")
    assert again.notices == ()
    assert Folder.open(tmp_path / "a") == again
    assert (whole.root / ".gitignore").exists()
    assert (whole.root / "records").is_dir()


def test_init_refuses_what_is_not_its_to_take(tmp_path: Path, project: Folder) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("x")
    with pytest.raises(Conflict):
        Folder.init(tmp_path / "full", "personal")
    assert os.listdir(tmp_path / "full") == ["thesis.tex"]
    with pytest.raises(Conflict):
        Folder.init(project.root, "personal")
    with pytest.raises(Invalid):
        Folder.init(tmp_path / "new", "shared")  # type: ignore[arg-type]
    (tmp_path / "file").write_text("x")
    with pytest.raises((Conflict, Unavailable)):
        Folder.init(tmp_path / "file", "project")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", Corrupt),
        ("format = 1\n", Corrupt),
        ('format = "1"\nkind = "personal"\n', Corrupt),
        ('format = 1\nkind = "other"\n', Corrupt),
        ("format = [\n", Corrupt),
        ('format = 2\nkind = "personal"\n', Unavailable),
    ],
)
def test_a_damaged_or_newer_memory_says_so(project: Folder, text: str, error: type[Exception]) -> None:
    (project.root / "memory.toml").write_text(text)
    with pytest.raises(error) as caught:
        Folder.open(project.root)
    assert caught.value.hint  # type: ignore[attr-defined]


def test_a_memory_toml_with_more_in_it_still_opens(project: Folder) -> None:
    (project.root / "memory.toml").write_text('# ours\nkind = "project"\nformat = 1\n[screen]\nstrict = true\n')
    assert Folder.open(project.root) == project


def test_no_memory_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        Folder.open(tmp_path)
    with pytest.raises(NotFound):
        Folder.open(tmp_path / "nowhere")


def test_strays_move_to_lost_and_found_once(project: Folder, store: RecordStore, make: SimpleNamespace) -> None:
    record = store.write(make.draft("Tabs, not spaces."))
    folder = (project.root / record.path).parent
    (folder / ".tmp-99-abc").write_bytes(b"half")
    (project.root / ".tmp-98-abc").write_bytes(b"also")
    problems = project.recover()
    assert sorted(problem.locator.rpartition("/")[2] for problem in problems) == [".tmp-98-abc", ".tmp-99-abc"]
    assert sorted(path.read_bytes() for path in (project.root / "lost+found").iterdir()) == [b"also", b"half"]
    assert project.recover() == []
    assert store.load(record.path) == record


def test_without_git_the_memory_is_made_and_says_what_it_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoranda.truth.git.program", lambda: None)
    folder = Folder.init(tmp_path / "home", "personal")
    assert "git is not installed" in folder.notices[0]
    assert Folder.open(folder.root) == folder
