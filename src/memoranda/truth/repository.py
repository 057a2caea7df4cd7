"""The personal memory as a git repository: made at init, one commit of whatever is new, packed when files pile up.

Commits go through an index of our own (`.git/memoranda-index`), so a person's half-staged work is never touched.
Two processes never commit at once: `.git/memoranda.lock` is held,
and the git processes inherit it, so that it is free only when neither we nor they live.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from memoranda.truth.files import explained, make_folders, sync, sync_folder
from memoranda.truth.git import GitFailed, foreign_settings, run
from memoranda.truth.gitlocks import clear
from memoranda.truth.lock import WriteLock

MARK = "memory.toml"
TRACKED = (MARK, ".gitignore", ".gitattributes", "core", "records", "events")
_FOLDERS = ("core", "records", "events")
_UNFINISHED = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")
_WAIT_SECONDS = 10.0
#: What a whole repository has; git makes them one by one.
_PARTS = ("HEAD", "config", "objects", "refs")
#: Loose objects at which git packs by itself (`gc.auto`), guessed as git does from one folder of 256.
_LOOSE = 6700


def make_repository(root: Path) -> None:
    """Make `root` a repository of its own, or finish one whose making was cut short; durable when this returns.

    Raises `Unavailable` without git, `Busy`, `GitFailed`.
    """
    git_folder = root / ".git"
    if git_folder.exists():
        if not git_folder.is_dir() or all(map(_whole, (git_folder / name for name in _PARTS))):
            return
        with WriteLock(git_folder / "memoranda.lock", _WAIT_SECONDS).hold():
            clear(root, git_folder)
            for name in ("HEAD", "config"):
                if (git_folder / name).exists() and not _whole(git_folder / name):
                    os.unlink(git_folder / name)  # empty after a power cut; git would take it for a foreign repository
    run(["init", "--quiet", "--template=", "--initial-branch=main", str(root)], folder=root)
    with explained(git_folder):
        for name in ("HEAD", "config"):  # git does not sync these two
            fd = os.open(git_folder / name, os.O_RDONLY)
            try:
                sync(fd, root, f".git/{name}")
            finally:
                os.close(fd)
        for folder in ("refs/heads", "refs", "objects", "."):
            sync_folder(str(git_folder / folder), root)
        sync_folder(str(root), root)


def _whole(path: Path) -> bool:
    """There, and if it is a file not empty."""
    try:
        facts = os.stat(path)
    except OSError:
        return False
    return stat.S_ISDIR(facts.st_mode) or facts.st_size > 0


def commit_tracked(root: Path, writer: str, wait_seconds: float = _WAIT_SECONDS) -> int:
    """Commit what is new, changed or gone among the tracked files; how many files that was (0: nothing to do).

    The message says who and how many, never what. The commit survives a power cut when this returns. Raises
    `Unavailable`, `GitFailed`, `Busy` when another process commits for longer than `wait_seconds`.
    """
    with explained(root / ".git"):
        make_repository(root)
        git_folder = root / ".git"
        foreign = foreign_settings(git_folder)
        if foreign:
            raise GitFailed(f"its git config has sections that could run programs: {', '.join(foreign)}")
        if any((git_folder / name).exists() for name in _UNFINISHED):
            raise GitFailed("a merge or rebase is under way in it; finish that first")
        lock = WriteLock(git_folder / "memoranda.lock", wait_seconds)
        with lock.hold():
            return _commit_locked(root, git_folder, writer, lock.fd)


def _commit_locked(root: Path, git_folder: Path, writer: str, lock_fd: int) -> int:
    for name in _FOLDERS:
        make_folders(root, name, private=True)
    clear(root, git_folder)
    count = _commit(root, git_folder, writer, lock_fd)
    if count:
        _sync_refs(root, git_folder)
        with suppress(GitFailed):  # another time
            tend(root, git_folder, lock_fd)
    return count


def committed_at(root: Path) -> float:
    """When anybody last made or looked for a commit here, as `time.time` counts; 0.0 for never."""
    try:
        return os.stat(root / ".git" / "memoranda-index").st_mtime
    except OSError:
        return 0.0


def _sync_refs(root: Path, git_folder: Path) -> None:
    """git syncs a ref's bytes but not its new name: without this a power cut can take the last commit back."""
    try:
        head = (git_folder / "HEAD").read_text().strip().removeprefix("ref: ")
    except (OSError, UnicodeDecodeError):
        head = ""
    with explained(git_folder):
        for folder in dict.fromkeys(((git_folder / head).parent, git_folder)):
            if folder.is_dir():
                sync_folder(str(folder), root)


def tend(root: Path, git_folder: Path, lock_fd: int, most: int = _LOOSE) -> bool:
    """Pack loose objects when there are about `most`; whether that was done. The committer's lock is held.

    Objects that nothing names are never thrown away: whoever is at work in the repository keeps what he made.
    """
    try:
        sample = len(os.listdir(git_folder / "objects" / "17"))
    except OSError:
        return False
    if sample * 256 < most:
        return False
    run([f"--git-dir={git_folder}", "repack", "-d", "-l", "-q"], folder=root, keep_open=(lock_fd,))
    return True


def _commit(root: Path, git_folder: Path, writer: str, lock_fd: int) -> int:
    index = git_folder / "memoranda-index"
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
    listing = ["diff-index", "--cached", "--name-only", "-z", "HEAD"]
    try:
        # --reset: whoever died between adding and committing left files in the index that have grown since.
        git("read-tree", "--reset", "HEAD")
    except GitFailed:
        with suppress(FileNotFoundError):  # perhaps damaged, and easily made again
            os.unlink(index)
        if git("for-each-ref", "--count=1"):
            git("read-tree", "HEAD")
        else:
            listing = ["ls-files", "-z"]  # no commit yet
    git("add", "--all", "--", *existing)
    count = git(*listing).count(b"\0")
    if not count:
        return 0
    message = f"{count} {'file' if count == 1 else 'files'} by {writer or 'memoranda'}"
    git("commit", "--quiet", "--no-verify", "--no-gpg-sign", "--cleanup=verbatim", "-m", message)
    # So that `git status` in the folder shows nothing to a person. If their git is at work just now, it may wait.
    with suppress(GitFailed):
        _show(root, git_folder, place, existing, lock_fd)
    return count


def _show(root: Path, git_folder: Path, place: list[str], existing: list[str], lock_fd: int) -> None:
    """Let the person's own index know the new files; one that a power cut left unreadable is made from the commit."""

    def git(*arguments: str) -> None:
        run([*place, *arguments], folder=root, keep_open=(lock_fd,))

    try:
        git("add", "--all", "--", *existing)
    except GitFailed:
        if (git_folder / "index.lock").exists():
            return
        try:
            git("ls-files", "--error-unmatch", "--", MARK)
        except GitFailed:
            with suppress(FileNotFoundError):
                os.unlink(git_folder / "index")
            git("read-tree", "HEAD")
        git("add", "--all", "--", *existing)
