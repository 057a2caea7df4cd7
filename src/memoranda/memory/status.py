"""How a memory stands, from what is already known: no history is walked, nothing remote is asked, no model loads."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from typing import Mapping

from memoranda.memory import receipts
from memoranda.memory.given import all_given
from memoranda.memory.results import Status
from memoranda.memory.store import Store
from memoranda.memory.times import now
from memoranda.model.errors import MemorandaError
from memoranda.model.query import IndexState
from memoranda.ports import discover


def status(store: Store) -> Status:
    """The figures of one memory and the commands worth running next."""
    catalog = store.catalog
    records = [r for r in map(store.read, sorted(catalog.entries)) if r is not None]
    states = Counter(store.state(r) for r in records)
    active = [r for r in records if store.state(r) in ("current", "contested")]
    sessions, turns, harnesses = _captured(store)
    last = _last_capture(store)
    index = _index(store)
    foreign = sum(1 for e in catalog.entries.values() if not store.trusted(e.digest))
    found = Status(
        root=store.folder.root,
        kind="published" if store.address else store.folder.kind,
        own=store.own,
        records=len(records),
        categories=dict(sorted(Counter(str(r.category) for r in active).items())),
        superseded=states["superseded"],
        transient=sum(1 for r in active if not store.wanted(r)),
        held=states["held"],
        foreign=foreign,
        sessions=sessions,
        turns=turns,
        harnesses=harnesses,
        index=index,
        problems=len(catalog.problems) + len(catalog.doubled),
        last_capture=str(last.get("ts", "")),
        sources_gone=int(str(last.get("gone", 0))),
        readers=discover.names("readers"),
        next=(),
        connected={} if store.project else _connected(store),
        contexts=() if store.project else _contexts(store),
        sources_pending=int(str(last.get("pending", 0))),
        gone=tuple(map(str, left)) if isinstance(left := last.get("left"), list) else (),
        pushed=receipts.read(store),
        address=store.address,
    )
    if store.address:  # nothing is done there from here
        return found
    store.screeners()
    first = [error.hint for error in store.missing_screeners]
    first += ["memoranda evidence extract"] if store.unread() else []
    first += ["memoranda evidence drop"] if store.over(now()[:10]) else []
    return _with_next(found, first, bool(store.settings.embedder))


def _with_next(found: Status, installs: list[str], embeds: bool) -> Status:
    from memoranda.model.values import replace

    commands = list(installs)
    if found.problems:
        commands.append("memoranda check")
    if found.foreign and not found.own:
        commands.append("memoranda trust")
    if found.kind == "personal" and not found.readers:
        commands.append('pip install "memoranda[agents]"')
    elif found.kind == "personal" and (found.sources_pending or not found.last_capture):
        commands.append("memoranda capture")
    if found.index.pending:
        commands.append("memoranda reindex")
    if found.index.unembedded and embeds:
        commands.append("memoranda embed")
    if not commands:
        commands.append('memoranda recall "what did we decide about …"')
    return replace(found, next=tuple(commands))


def _connected(store: Store) -> dict[str, tuple[str, ...]]:
    """The agents that are wired, each with what its user agreed to. A ledger that is damaged is told by `connect`."""
    if not (store.settings.state / "agents.json").exists():
        return {}
    from memoranda.memory.wiring import ledger

    with suppress(MemorandaError):
        return {
            name: tuple(word for word in ("core", "recall", "rules") if getattr(one, word))
            for name, one in ledger.load(store.settings.state).items()
        }
    return {}


def _contexts(store: Store) -> tuple[Mapping[str, str | int], ...]:
    """What was put into sessions unasked, the newest first."""
    found = sorted(all_given(store.settings.variables), key=lambda given: (-given.at, given.session))
    return tuple(
        {
            "agent": given.agent,
            "session": given.session,
            "tokens": given.tokens,
            "times": given.times,
            "at": datetime.fromtimestamp(given.at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        for given in found
        if given.tokens
    )


def _captured(store: Store) -> tuple[int, int, dict[str, int]]:
    """Sessions, turns and sessions by harness, from the index's map of turns files."""
    names: set[tuple[str, str]] = set()
    turns = 0
    for name, value in store.index.notes("turnfile/").items():
        harness, _, rest = name.removeprefix("turnfile/turns/").partition("/")
        names.add((harness, rest.rsplit("/", 1)[-1]))
        turns += int(json.loads(value).get("seq", -1)) + 1
    harnesses = Counter(harness for harness, _ in names)
    return len(names), turns, dict(sorted(harnesses.items()))


def _last_capture(store: Store) -> dict[str, object]:
    value = store.index.notes("capture/last").get("capture/last", "{}")
    found: dict[str, object] = json.loads(value)
    return found


def _index(store: Store) -> IndexState:
    try:
        store.quick_sync()  # else nobody has looked whether anything came since
        return store.index.state()
    except MemorandaError as error:
        return IndexState(current=False, note=f"{error.message} ({error.hint})")
