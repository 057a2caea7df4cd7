"""The personal memory as a git repository: made at init, and one commit of whatever is new.

Commits go through an index of our own (`.git/memoranda-index`), so a person's half-staged work is never touched and
a lock that their git left behind never stops us. Two processes never commit at once: `.git/memoranda.lock` is held,
and the git processes inherit it, so that it is free only when neither we nor they live.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from memoranda.truth.files import make_folders
from memoranda.truth.git import GitFailed, foreign_settings, run
from memoranda.truth.lock import WriteLock

TRACKED = ("memory.toml", ".gitignore", ".gitattributes", "core", "records", "events")
_FOLDERS = ("core", "records", "events")
_UNFINISHED = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")
_WAIT_SECONDS = 10.0


def make_repository(root: Path) -> None:
    """Make `root` a repository of its own unless it is one. Raises `Unavailable` without git, `GitFailed`."""
    if (root / ".git").exists():
        return
    run(["init", "--quiet", "--template=", "--initial-branch=main", str(root)], folder=root)


def commit_tracked(root: Path, writer: str) -> int:
    """Commit what is new, changed or gone among the tracked files; how many files that was (0: nothing to do).

    The message says who and how many, never what. Raises `Unavailable`, `Busy`, `GitFailed`.
    """
    make_repository(root)
    git_folder = root / ".git"
    foreign = foreign_settings(git_folder)
    if foreign:
        raise GitFailed(f"its git config has sections that could run programs: {', '.join(foreign)}")
    if any((git_folder / name).exists() for name in _UNFINISHED):
        raise GitFailed("a merge or rebase is under way in it; finish that first")
    for name in _FOLDERS:
        make_folders(root, name, private=True)
    lock = WriteLock(git_folder / "memoranda.lock", _WAIT_SECONDS)
    with lock.hold():
        return _commit(root, git_folder, writer, lock.fd)


def _commit(root: Path, git_folder: Path, writer: str, lock_fd: int) -> int:
    index = git_folder / "memoranda-index"
    with suppress(FileNotFoundError):  # ours alone, and whoever made it no longer lives: we hold the lock
        os.unlink(f"{index}.lock")
    name = f"memoranda {writer}".strip()
    address = f"{writer or 'memoranda'}@memoranda.invalid"
    variables = {
        "GIT_INDEX_FILE": str(index),
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": address,
        "GIT_COMMITTER_NAME": name,
        "GIT_COMMITTER_EMAIL": address,
    }
    place = [f"--git-dir={git_folder}", f"--work-tree={root}"]

    def git(*arguments: str) -> bytes:
        return run([*place, *arguments], folder=root, variables=variables, keep_open=(lock_fd,))

    existing = [name for name in TRACKED if os.path.lexists(root / name)]
    try:
        git("read-tree", "-m", "HEAD")
        listing = ["diff-index", "--cached", "--name-only", "-z", "HEAD"]
    except GitFailed:
        if git("for-each-ref", "--count=1"):
            raise
        listing = ["ls-files", "-z"]  # no commit yet
    git("add", "--all", "--", *existing)
    count = git(*listing).count(b"\0")
    if not count:
        return 0
    message = f"{count} {'file' if count == 1 else 'files'} by {writer or 'memoranda'}"
    git("commit", "--quiet", "--no-verify", "--no-gpg-sign", "--cleanup=verbatim", "-m", message)
    # So that `git status` in the folder shows nothing to a person. If their git is at work just now, it may wait.
    with suppress(GitFailed):
        run([*place, "add", "--all", "--", *existing], folder=root, keep_open=(lock_fd,))
    return count
