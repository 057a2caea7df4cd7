"""Makes the core sheet that a hook reads (truth/sheet.py): decides about core, and writes down what that hangs on."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Iterator

from memoranda.memory import places
from memoranda.memory.counting import fitted
from memoranda.memory.times import now
from memoranda.model.errors import Invalid, MemorandaError
from memoranda.model.locator import FileLocator, RecordLocator, parse_anchor
from memoranda.model.record import Record
from memoranda.recall.core import core
from memoranda.truth import sheet
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
        for anchor in record.anchors:
            with suppress(Invalid):
                place = parse_anchor(anchor).locator
                if isinstance(place, FileLocator):
                    top = f"{root.parent}/{place.path}" if store.project and place.repo is None else ""
                    names.append(top or store.checkouts.place(place))
    for name in names:
        if name:
            yield name, sheet.stamp(name)


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
