"""Which repository a session's folder belongs to: the names of all its remotes and its root commit, remembered.

git is asked once a folder, when a session of it is first listed or filtered by repository. What was learnt stays
known when the folder is moved or deleted; a worktree shares its repository's answer. Kept in the user's state.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Iterable

from memoranda.model.errors import MemorandaError
from memoranda.truth.files import make_private_folder, replace
from memoranda.truth.git import GitFailed, run
from memoranda.truth.tree import Checkouts

_NAME = "folders.json"


class Repositories:
    """Names of repositories by folder. A folder that is not there now and was never asked about has none."""

    def __init__(self, state: Path, checkouts: Checkouts) -> None:
        self._state, self._checkouts = state, checkouts
        self._known: dict[str, list[str]] | None = None

    def names(self, folder: str) -> tuple[str, ...]:
        """`owner/name` of every remote and the root commit, sorted; empty when none is known."""
        known = self._folders()
        if folder not in known and Path(folder).is_dir():
            known[folder] = sorted(self._ask(Path(folder)))
            self._save()
        return tuple(known.get(folder, ()))

    def folders(self, name: str, among: Iterable[str] = ()) -> list[str]:
        """The folders, of those known and those given, whose repository bears that name; sorted."""
        for folder in among:
            self.names(folder)
        return sorted(folder for folder, names in self._folders().items() if name in names)

    def _ask(self, folder: Path) -> Iterable[str]:
        found: set[str] = set()
        with suppress(GitFailed, MemorandaError, OSError):
            found.add(self._checkouts.note(folder))
        with suppress(GitFailed, MemorandaError, OSError):
            lines = run(["config", "--get-regexp", r"^remote\..*\.url$"], folder=folder).decode("utf-8", "replace")
            found.update(filter(None, (remote_name(line.partition(" ")[2]) for line in lines.splitlines())))
        return found

    def _folders(self) -> dict[str, list[str]]:
        if self._known is None:
            try:
                value = json.loads((self._state / _NAME).read_bytes())
                self._known = {str(k): [str(n) for n in v] for k, v in value.items()}
            except (OSError, ValueError, AttributeError, TypeError):
                self._known = {}
        return self._known

    def _save(self) -> None:
        with suppress(OSError, MemorandaError):  # asked again next time
            make_private_folder(self._state)
            text = json.dumps(self._known, indent=1, sort_keys=True) + "\n"
            replace(self._state, _NAME, text.encode("utf-8", "backslashreplace"), private=True)


def remote_name(url: str) -> str:
    """`owner/name` of a remote's address, "" when it has no two parts: `git@host:owner/name.git` and the like."""
    path = url.strip().rstrip("/").removesuffix(".git")
    if "://" in path:
        path = path.partition("://")[2].partition("/")[2]
    elif ":" in path:
        path = path.partition(":")[2]
    parts = [part for part in path.split("/") if part]
    return "/".join(parts[-2:]) if len(parts) >= 2 else ""
