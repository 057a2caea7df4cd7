"""Which sessions there are: listed from the turns files alone, so that a listing is right without an index.

A session is summed up from the head and the end of its file; only the sessions of the page that is asked for are
looked at, and with a filter those that the filter must see.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Callable, Iterator, Mapping, Sequence

from memoranda.memory.results import SessionEntry, SessionsPage
from memoranda.model.errors import Invalid, NotFound
from memoranda.model.problem import Problem
from memoranda.model.turn import Turn
from memoranda.ports import discover
from memoranda.truth.names import session_name
from memoranda.truth.seek import last_title, last_turn
from memoranda.truth.turns import TurnStore

#: Turns looked at for the words a session opens with; beyond them there are none worth showing.
HEAD_TURNS = 40
OPENING_CHARS = 200
_SUFFIX = ".turns.jsonl"
# How a block begins that a program wrote under the user's role.
_SCAFFOLDING = re.compile(
    r"\s*(<[\w-]|# AGENTS\.md|Caveat: |Base directory for this skill|This session is being continued)"
)

Files = list[str]
Repos = Callable[[str], Sequence[str]]


def sessions(
    store: TurnStore,
    repos: Repos,
    *,
    limit: int,
    offset: int,
    since: str | None,
    until: str | None,
    harnesses: Sequence[str],
    repo: Sequence[str],
) -> SessionsPage:
    """A page of sessions, newest first. `since` and `until` are UTC; a session counts when any of it lies between."""
    groups = [group for group in _groups(store) if not harnesses or group[0] in harnesses]
    ordered = sorted(groups, key=lambda group: _newest(store, group[1]), reverse=True)
    if since or until or repo:
        entries = [
            e for e in (_entry(store, *group, repos) for group in ordered) if e and _wanted(e, since, until, repo)
        ]
        page, total = entries[offset : offset + limit], len(entries)
    else:
        page = [e for e in (_entry(store, *group, repos) for group in ordered[offset : offset + limit]) if e]
        total = len(ordered)
    return SessionsPage(tuple(page), total, offset, offset + limit if offset + limit < total else None)


def known_agents(named: Sequence[str], *stores: TurnStore) -> None:
    """Raises `Invalid` for an agent that has no reader here and of whom nothing was captured: a slip of the keyboard
    must not read as "nothing was said". Asked only when nothing was found."""
    if not named:
        return
    known = {*discover.names("readers"), *(group[0] for store in stores for group in _groups(store))}
    for agent in named:
        if agent not in known:
            raise Invalid(f"no agent is called {agent[:40]!r} here", f"there are: {', '.join(sorted(known))}")


def find_session(store: TurnStore, text: str) -> tuple[str, str]:
    """(harness, session) for "turn:<harness>/<session>/…", "<harness>/<session>", an id, or its unique beginning.

    Raises `NotFound`, `Invalid` when several sessions begin so.
    """
    from memoranda.model.locator import TurnLocator, parse_locator

    if text.startswith("turn:") and text.count("/") > 1:
        parsed = parse_locator(text)
        if isinstance(parsed, TurnLocator) and store.session_files(parsed.harness, parsed.session):
            return parsed.harness, parsed.session
    harness, _, wanted = text.removeprefix("turn:").rpartition("/")
    name = session_name(wanted) + _SUFFIX
    exact, begun = list[tuple[str, Files]](), list[tuple[str, Files]]()
    for group in _groups(store):
        if not harness or group[0] == harness:
            file = group[1][0].rpartition("/")[2]
            exact += [group] * (file == name)
            begun += [group] * file.startswith(wanted)
    found = exact or (begun if len(wanted) >= 4 else [])
    if not found:
        raise NotFound(f"no session {text[:80]!r} was captured here", "memoranda sessions lists what was")
    if len(found) > 1:
        raise Invalid(f"{len(found)} sessions begin with {text[:80]!r}", "give more of the id, or <harness>/<session>")
    first = _first(store, found[0][1])
    if first is None:
        raise NotFound(f"session {text[:80]!r} has no readable turn", "memoranda check says why")
    return first.harness, first.session


def turns_of(store: TurnStore, harness: str, session: str) -> Iterator[Turn]:
    """Every turn of a session in order of seq, each once though several writers captured it."""
    files = store.session_files(harness, session)
    if len(files) == 1:
        yield from (turn for turn in _read(store, files[0]) if turn.session == session)
        return
    union: dict[str, Turn] = {}
    for path in files:
        for turn in _read(store, path):
            if turn.session == session:
                union.setdefault(turn.turn, turn)
    yield from sorted(union.values(), key=lambda turn: (turn.seq, turn.turn))


def _read(store: TurnStore, path: str) -> Iterator[Turn]:
    for item in store.read(path):
        if not isinstance(item, Problem):
            yield item[0]


def _groups(store: TurnStore) -> list[tuple[str, Files]]:
    """(harness, files) of every session: its files bear one name in the folders of all writers."""
    groups: dict[tuple[str, str], Files] = defaultdict(list)
    for file in store.files():
        groups[file.harness, file.path.rpartition("/")[2]].append(file.path)
    return [(harness, files) for (harness, _), files in groups.items()]


def _newest(store: TurnStore, files: Files) -> tuple[str, float, str]:
    """What a session is ordered by: its last time as said, or else the month it lies in."""
    last = max((_ended(store.folder.root / path) for path in files), default="")
    return (last or files[0].split("/")[3], 0.0, files[0])


def _ended(path: Path) -> str:
    turn = last_turn(path)
    return turn.ts if turn else ""


def _first(store: TurnStore, files: Files) -> Turn | None:
    return next(iter(_read(store, files[0])), None)


def _entry(store: TurnStore, harness: str, files: Files, repos: Repos) -> SessionEntry | None:
    head = [turn for _, turn in zip(range(HEAD_TURNS), _read(store, files[0]), strict=False)]
    if not head:
        return None
    last = [turn for turn in (last_turn(store.folder.root / path) for path in files) if turn is not None]
    cwd = next((turn.cwd for turn in head if turn.cwd), "")
    return SessionEntry(
        harness=harness,
        session=head[0].session,
        title=max((last_title(store.folder.root / path) for path in files), key=len),
        opening=opening(head),
        began=next((turn.ts for turn in head if turn.ts), ""),
        ended=max((turn.ts for turn in last), default=""),
        turns=max((turn.seq for turn in last), default=-1) + 1,
        cwd=cwd,
        branch=next((turn.branch for turn in head if turn.branch), ""),
        repos=tuple(repos(cwd)) if cwd else (),
        parent=next((turn.parent_session for turn in head if turn.parent_session), None),
    )


def opening(turns: Sequence[Turn]) -> str:
    """The first words a person said, on one line; the first words at all where a person said none."""
    texts = [
        (turn.role == "user" and not turn.flags and not _SCAFFOLDING.match(block.text), block.text)
        for turn in turns
        for block in turn.blocks
        if block.type == "text" and not block.form
    ]
    chosen = next((text for said, text in texts if said), texts[0][1] if texts else "")
    return " ".join(chosen.split())[:OPENING_CHARS]


def _wanted(entry: SessionEntry, since: str | None, until: str | None, repo: Sequence[str]) -> bool:
    if since and (entry.ended or entry.began) < since:
        return False
    if until and entry.began > until:
        return False
    if not repo:
        return True
    names: Mapping[str, None] = dict.fromkeys((*entry.repos, entry.cwd, entry.cwd.rpartition("/")[2]))
    return any(name in names or entry.cwd.startswith(name.rstrip("/") + "/") for name in repo)
