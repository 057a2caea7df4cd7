"""Values of filters that nothing bears: asked only when nothing was found, since a slip must not read as silence."""

from __future__ import annotations

from itertools import islice
from typing import Iterator, Sequence

from memoranda.memory.browse import known_agents
from memoranda.model.errors import Invalid
from memoranda.model.query import Filters
from memoranda.model.turn import ROLES
from memoranda.truth.names import session_name
from memoranda.truth.seek import last_turn
from memoranda.truth.turns import TurnStore

#: Names that a message lists, and sessions whose folder is looked at: of more, nobody can say that none is meant.
_LISTED, _LOOKED = 12, 500


def known_values(filters: Filters, *stores: TurnStore) -> None:
    """Raises `Invalid`, naming those there are, for an agent, a role, a session or a repository that no turn has."""
    known_agents(filters.harnesses, *stores)
    for role in filters.roles:
        _among(role, ROLES, "role")
    if filters.sessions:
        names = [
            file.path.rpartition("/")[2].removesuffix(".turns.jsonl") for store in stores for file in store.files()
        ]
        for session in filters.sessions:
            if session_name(session) not in names:
                _among(session, names, "session")
    if filters.repos:
        folders = list(islice(_folders(stores), _LOOKED))
        if len(folders) < _LOOKED and not any(_within(folder, filters.repos) for folder in folders):
            _among(filters.repos[0], folders, "repository")


def _among(value: str, known: Sequence[str], what: str) -> None:
    if value in known:
        return
    names = list(dict.fromkeys(name for name in known if name))
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    listed = f"there are: {', '.join(names[-_LISTED:])}{more}" if names else "there is none yet"
    raise Invalid(f"no {what} here is {value[:80]!r}", listed)


def _within(folder: str, repos: Sequence[str]) -> bool:
    """As the index takes a filter by repository: the folder itself, one above it, or its name."""
    return any(f"{folder}/".startswith(f"{repo.rstrip('/')}/") or folder.endswith(f"/{repo}") for repo in repos)


def _folders(stores: Sequence[TurnStore]) -> Iterator[str]:
    for store in stores:
        for file in store.files():
            turn = last_turn(store.folder.root / file.path)
            yield (turn.cwd or "").replace("\\", "/").rstrip("/") if turn else ""
