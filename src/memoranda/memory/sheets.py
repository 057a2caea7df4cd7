"""Makes the core sheet that a hook reads (truth/sheet.py): decides about core, and writes down what that hangs on."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Iterator

from memoranda.anchor import states
from memoranda.memory import places
from memoranda.memory.counting import fitted
from memoranda.memory.times import now
from memoranda.model.errors import Invalid, MemorandaError
from memoranda.model.locator import FileLocator, RecordLocator, parse_anchor, parse_locator
from memoranda.model.query import Verdict
from memoranda.model.record import Record
from memoranda.recall.core import core
from memoranda.truth import lineage, sheet
from memoranda.truth.files import make_private_folder, replace
from memoranda.truth.identity import state_folder
from memoranda.truth.places import state_folder as state_of

if TYPE_CHECKING:
    from memoranda.memory.store import Store

#: What a hook says around the block: one sentence, two marks, and the names of a few that were left out.
FRAME_TOKENS = 170
_NAMED = 5


def make(store: Store, budget_tokens: int) -> dict[str, Any]:
    """The sheet of a memory's core for a budget that includes what a hook says around it."""
    taken = sheet.look(str(store.folder.root))
    store.fresh()
    budget, at = max(budget_tokens - FRAME_TOKENS, 0), now()
    block = fitted(lambda count: core(store, budget, at, lambda text: count(_quoted(text))), store.settings)
    found = list(_closure(store))
    over = [name.partition(" ")[0] for name in block.left_out if name.endswith("(over budget)")]
    return {
        **taken,
        "budget": budget_tokens,
        "until": _until(store, found),
        "files": dict(sorted(_files(store, found))),
        "ids": sorted({record.id for record in found} | {f"mem_{record.digest[:12]}" for record in found}),
        "entries": [[entry.path, entry.marks] for entry in block.entries],
        "tokens": block.tokens + FRAME_TOKENS if block.entries else 0,
        "over": over[:_NAMED],
        "more": len(over[_NAMED:]),
    }


def keep(store: Store, made: dict[str, Any]) -> None:
    """Leave it in the user's state. What cannot be written is made again next time."""
    with suppress(MemorandaError, OSError):
        folder = state_folder(store.settings.state, store.folder.root)
        make_private_folder(folder)
        replace(folder, sheet.NAME, json.dumps(made, separators=(",", ":")).encode() + b"\n", private=True)


def renew(store: Store) -> None:
    """Make the sheet anew where a hook has left one and something was written since."""
    old = sheet.load(state_of(str(store.settings.state), str(store.folder.root)))
    budget = old.get("budget") if old else None
    if old and isinstance(budget, int) and budget > 0 and sheet.text(str(store.folder.root), old, now()) is None:
        keep(store, make(store, budget))


def _quoted(text: str) -> str:
    """As long as the text can get when a hook shows it: a bar before every line, what cannot be seen written out."""
    lines = (line if line.isprintable() else line.encode("unicode_escape").decode() for line in text.split("\n"))
    return "\n".join("| " + line for line in lines)


def _closure(store: Store) -> Iterator[Record]:
    """The records in core, what they replace and rest on, and what replaces them, at any distance."""
    todo = [id for id, entry in store.catalog.entries.items() if entry.path.startswith("core/")]
    seen = set(todo)
    while todo:
        record = store.read(todo.pop())
        if record is None:
            continue
        yield record
        rests = [a.locator.id for a in map(parse_anchor, record.anchors) if isinstance(a.locator, RecordLocator)]
        for id in (*record.supersedes, *record.derived_from, *store.catalog.successors.get(record.id, ()), *rests):
            if id not in seen:
                seen.add(id)
                todo.append(id)


def _files(store: Store, records: list[Record]) -> Iterator[tuple[str, str]]:
    """The files outside core/ that the answer rests on, with their stamps."""
    root, settings = store.folder.root, store.settings
    folder = state_folder(settings.state, root)
    paths = [root / "memory.toml", settings.state / "repos.json", folder / "trusted.jsonl"]
    names = [os.fspath(path) for path in paths] + [places.settings(settings.variables)]
    names += [f"{root}/{record.path}" for record in records if not record.core]
    for record in records:
        for verdict in states(record.anchors, store.world()):
            with suppress(Invalid):
                place = parse_anchor(verdict.anchor).locator
                if isinstance(place, FileLocator):
                    names += _rests_on(store, place, verdict)
    for name in names:
        if name:
            yield name, sheet.stamp(name)


def _rests_on(store: Store, place: FileLocator, verdict: Verdict) -> Iterator[str]:
    """The files that a verdict on an anchored file hangs on: one that is not *fresh* also on what git knows."""
    top = store.folder.root.parent if place.repo is None else store.checkouts.top(place.repo)
    if top is None or (place.repo is None and not store.project):
        return
    yield f"{top}/{place.path}"
    if verdict.state != "fresh":
        yield from lineage.state_files(top)
    now = parse_locator(verdict.now) if verdict.now else place
    if isinstance(now, FileLocator) and now.path != place.path:
        yield f"{top}/{now.path}"


def _until(store: Store, records: list[Record]) -> str:
    """When the first window ends (UTC ISO); far away when none does."""
    from memoranda.recall.facts import moment_of
    from memoranda.recall.weights import WINDOW_DAYS

    this, ends = now(), ["9999"]
    for record in records:
        since = max(record.created, store.standing(record).verified)
        end = moment_of(since) + timedelta(days=WINDOW_DAYS[record.category.value])
        text = end.strftime("%Y-%m-%dT%H:%M:%SZ")
        ends += [text] if text > this else []
    return min(ends)
