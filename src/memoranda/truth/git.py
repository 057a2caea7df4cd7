"""The one way in which git is started: no hooks, no helpers, no network, no settings but ours.

A repository is data written by others. Every setting that could run a program is overridden or the repository is
refused (`foreign_settings`).
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import Mapping, Sequence

from memoranda.model.errors import Unavailable

_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.symlinks=false",
    "core.autocrlf=false",
    "core.fsync=all",
    "core.fsyncMethod=batch",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "protocol.allow=never",
    "transfer.fsckObjects=true",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
    "commit.gpgSign=false",
    "gc.auto=0",
    "maintenance.auto=false",
)
_TIMEOUT_SECONDS = 60.0

#: Sections of a repository's own config that cannot make `add`, `commit` or `rev-list` run a program. Anything else
#: (filter, include, extensions...) is refused rather than understood.
_HARMLESS = {"core", "remote", "branch", "user", "author", "committer", "init", "pull", "push", "fetch", "merge"}
_HARMLESS |= {"rebase", "color", "commit", "tag", "log", "advice", "status", "gui", "i18n", "pack", "gc", "maintenance"}
# Not tied to the start of a line: git takes several sections on one. A bracket in a value only refuses too much.
_section = re.compile(r"\[[ 	]*([A-Za-z0-9.-]+)").findall


class GitFailed(Exception):
    """git ended with an error; `reason` is the first line it printed, without control characters."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@cache
def program() -> str | None:
    """Where git is, None when it is not installed."""
    import shutil

    return shutil.which("git")


def run(
    arguments: Sequence[str],
    *,
    folder: Path,
    variables: Mapping[str, str] | None = None,
    keep_open: Sequence[int] = (),
    given: bytes = b"",
    seconds: float = _TIMEOUT_SECONDS,
) -> bytes:
    """Run git and return what it printed. `keep_open` descriptors are inherited by it, `given` is what it reads.

    Raises `Unavailable` when git is not installed, `GitFailed` when it fails or takes too long.
    """
    import subprocess  # slow to load, and most commands never come here

    try:
        done = subprocess.run(
            command(arguments),
            cwd=folder,
            env=environment(variables or {}),
            input=given,
            capture_output=True,
            timeout=seconds,
            umask=0o077,
            pass_fds=tuple(keep_open),
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise GitFailed(f"git took longer than {seconds:g} s") from None
    except OSError as error:
        raise GitFailed(f"git could not be started ({error.strerror})") from error
    if done.returncode:
        raise GitFailed(reason(done.stderr, done.returncode))
    return done.stdout


def command(arguments: Sequence[str], settings: Sequence[str] = ()) -> list[str]:
    """What starts git with our settings, and `settings` on top of them. Raises `Unavailable` without git."""
    git = program()
    if git is None:
        raise Unavailable("git is not installed", "install git to keep a history of the memory")
    return [git, *(part for setting in (*_SETTINGS, *settings) for part in ("-c", setting)), *arguments]


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """All that git gets to see of the environment."""
    return {
        "PATH": os.pathsep.join([os.path.dirname(program() or ""), os.defpath]),
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        **variables,
    }


def reason(printed: bytes, code: int) -> str:
    """Why git failed: the first line it printed, without control characters."""
    lines = printed.decode("utf-8", "replace").strip().splitlines() or [f"exit code {code}"]
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", "?", lines[0])[:200]


def foreign_settings(git_folder: Path) -> list[str]:
    """Sections of the repository's config that could make git run a program."""
    try:
        text = (git_folder / "config").read_text("utf-8", "replace")
    except OSError:
        return []
    names = {name.split(".", 1)[0].lower() for name in _section(text)}
    return sorted(names - _HARMLESS)
