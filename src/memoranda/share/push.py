"""Publish what may leave and is not there yet, as one commit after the one that was read.

    head → what is there → what is new → guard → gate → rows → commit
      ↑______________________ moved on? ____________________|

Everything is prepared here before the first byte leaves, so whatever stops it half way leaves the target as it was:
data without a manifest is never read. Running it again converges, for what is there is known by its id.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Callable, Iterable, Iterator, Mapping, Protocol, Sequence

from memoranda.model.errors import Busy, Conflict, NotFound
from memoranda.model.record import Record
from memoranda.model.share import Contents, Head, Pushed, Row, Stamp
from memoranda.model.turn import Turn
from memoranda.model.values import dataclass
from memoranda.ports.sharing import TABLE
from memoranda.share import card
from memoranda.share import ids as lists
from memoranda.share import rows as as_rows
from memoranda.share.copy import Copy
from memoranda.share.gate import Gate

#: How often somebody else may come first before we give up.
ATTEMPTS = 10
_TOGETHER = 512  # turns that are held in memory


class Publishable(Protocol):
    """What a memory offers. Nothing in it has been decided but what is gone."""

    def turns(self) -> Iterator[tuple[Turn, str]]:
        """Every turn once, with its file's path, in a stable order."""

    def records(self) -> Iterator[tuple[Record, str]]:
        """Every record once, with why it must stay here ("" for one that may leave)."""

    def gone(self) -> Iterable[str]:
        """Ids of records that are here no more, or have no effect any more, by a person's word."""

    def reviewed(self, record: Record) -> bool:
        """True when a person read this very text and let it stand: personal details in it may leave."""

    def vectors(self, contents: Iterable[str]) -> Mapping[str, memoryview]:
        """The vectors that are known, by the hash of a passage."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What the person wants. `create` is the consent to make a memory where none is, `yes` the one to push where
    nothing of this memory is yet; `ask` puts such a question and is None where nobody can be asked. `allow` names
    rules of personal details that a person says may leave."""

    create: bool = False
    yes: bool = False
    ask: Callable[[str], bool] | None = None
    allow: frozenset[str] = frozenset()

    def agreed(self, given: bool, question: str) -> bool:
        return given or (self.ask is not None and self.ask(question))


@dataclass(slots=True)
class _Sent:
    """What went into the rows, counted while they stream by."""

    ids: dict[str, str]
    held: Counter[str]
    kinds: Counter[str]
    passages: int = 0
    unembedded: int = 0


def push(source: Publishable, copy: Copy, stamp: Stamp, gate: Callable[[], Gate], wish: Wish, now: str) -> Pushed:
    """Publish. Raises `NotFound` without consent to make the memory, `Conflict` for another memory or model, `Busy`
    when others keep coming first, and whatever the target or the gate say."""
    created = False
    sent: dict[str, str] = {}
    for _ in range(ATTEMPTS):
        head = copy.target.head()
        if head is None:
            _consented(copy, wish)
        contents = copy.contents(head) if head else None
        known = copy.ids(head, contents) if head and contents else {}
        stamp = _held_to(stamp, contents)
        if sent and sent.keys() <= known.keys():  # it had landed, and only the answer was lost
            return _report(copy, head, known, _Sent(sent, Counter(), Counter()), created, 0, 0)
        new, ours, altered = _missing(source, known)
        if not new:
            return Pushed(copy.target.address, 0, len(known), ours, altered=altered)
        if known and not ours and not created and not sent:
            _belongs(known, wish, copy)
        tally = _Sent({}, Counter(), Counter())
        stream = _stream(source, known, new, gate(), wish, now, tally)
        first = next(stream, None)
        if first is None:
            return Pushed(copy.target.address, 0, len(known), ours, held=_sorted(tally.held), altered=altered)
        with copy.scratch() as scratch:
            rows = _chained(first, stream)
            files = _prepared(copy, scratch, head, contents, rows, stamp, tally, known, now)
            try:
                made = copy.target.commit(files, head, _note(tally))
            except Conflict:
                created, sent = created or head is None, tally.ids
                continue
            lists_sent = {path: file for path, file in files.items() if path.startswith("ids/")}
            copy.keep(made, files[made.manifest], lists_sent)
            size = sum(file.stat().st_size for file in files.values())
        return _report(copy, made, known, tally, head is None or created, ours, size, altered)
    raise Busy(f"others kept pushing to {copy.target.address}", "try again when they are done")


def _consented(copy: Copy, wish: Wish) -> None:
    address = copy.target.address
    if not wish.agreed(wish.create, f"There is no memory at {address}. Make one there, for nobody else to see?"):
        raise NotFound(f"there is no memory at {address}", f"to make one, private: memoranda push {address} --create")


def _held_to(stamp: Stamp, contents: Contents | None) -> Stamp:
    """What the target is stamped with, if that is what we have. Without vectors of its own anything may join."""
    if contents is None:
        return stamp
    there = contents.stamp
    if there.project != stamp.project:
        of = f"project {there.project}" if there.project else "a personal memory"
        raise Conflict(f"the target holds {of}", "push this memory to a target of its own")
    if there.embedder and stamp.embedder and there.embedder != stamp.embedder:
        raise Conflict(
            f"the target's vectors are of the model {there.embedder}, yours of {stamp.embedder}",
            "choose that embedder in the settings, or push to a new target",
        )
    return there


def _missing(source: Publishable, known: Mapping[str, str]) -> tuple[set[str], int, int]:
    """Ids that are not published yet, how many of ours are, and how many of those in other words than they have now."""
    new: set[str] = set()
    ours = altered = 0
    for turn, _ in source.turns():
        id = as_rows.turn_id(turn)
        if id not in known:
            new.add(id)
            continue
        ours += 1
        altered += known[id] != as_rows.turn_digest(turn)
    for record, _ in source.records():
        if record.id not in known:
            new.add(record.id)
        else:
            ours += 1
    for id in source.gone():
        if id in known:
            ours += 1
            new.update({as_rows.GONE + id} - known.keys())
    return new, ours, altered


def _belongs(known: Mapping[str, str], wish: Wish, copy: Copy) -> None:
    """Raises `Conflict` unless a person says that this memory belongs where nothing of it is yet."""
    address = copy.target.address
    if not wish.agreed(wish.yes, f"{address} holds {len(known):,} rows and nothing of this memory. Add to it?"):
        raise Conflict(
            f"{address} holds {len(known):,} rows and nothing of this memory",
            f"is it the right target? if it is: memoranda push {address} --yes",
        )


def _stream(
    source: Publishable, known: Mapping[str, str], new: set[str], gate: Gate, wish: Wish, now: str, tally: _Sent
) -> Iterator[Row]:
    """The rows that may leave, looked at before they are made."""
    left = ((turn, path) for turn, path in source.turns() if as_rows.turn_id(turn) in new)
    while some := list(islice(left, _TOGETHER)):
        for (turn, path), reasons in zip(some, gate.turns([turn for turn, _ in some]), strict=True):
            if _stays(reasons, wish, tally):
                continue
            yield _counted(as_rows.of_turn(turn, path, source.vectors), tally)
    fit = []
    for record, why in source.records():
        if record.id in new and why:
            tally.held[why] += 1
        elif record.id in new:
            fit.append(record)
    for record, reasons in zip(fit, gate.records(fit), strict=True):
        if source.reviewed(record):
            reasons = tuple(rule for rule in reasons if not _personal(rule))
        if not _stays(reasons, wish, tally):
            yield _counted(as_rows.of_record(record, source.vectors), tally)
    for id in sorted(source.gone()):
        if as_rows.GONE + id in new and id in known:
            yield _counted(as_rows.of_retraction(id, now), tally)


def _stays(reasons: Sequence[str], wish: Wish, tally: _Sent) -> bool:
    kept = [rule for rule in reasons if not (_personal(rule) and rule in wish.allow)]
    if kept:
        tally.held[kept[0]] += 1
    return bool(kept)


def _counted(row: Row, tally: _Sent) -> Row:
    tally.ids[row.id] = row.digest
    tally.kinds[row.kind] += 1
    tally.passages += len(row.spans)
    tally.unembedded += len(row.spans) if not len(row.vectors) else 0
    return row


def _prepared(
    copy: Copy,
    scratch: Path,
    head: Head | None,
    contents: Contents | None,
    rows: Iterator[Row],
    stamp: Stamp,
    tally: _Sent,
    known: Mapping[str, str],
    now: str,
) -> dict[str, Path]:
    """Every file of the commit, by its path at the target."""
    table = scratch / TABLE
    table.mkdir()
    if head is not None:
        (table / "_versions").mkdir()
        name = head.manifest.rpartition("/")[2]
        (table / "_versions" / name).write_bytes((copy.table_folder(head) / "_versions" / name).read_bytes())
    files = {f"{TABLE}/{path}": file for path, file in copy.table.append(table, rows, stamp).items()}
    manifest = next(path for path in files if path.startswith(f"{TABLE}/_versions/"))
    made = copy.table.describe(table, manifest.rpartition("/")[2])
    old = {part.name for part in contents.parts} if contents else set()
    order = iter(tally.ids.items())
    for part in made.parts:
        if part.name not in old:
            file = scratch / f"{part.name}.ids"
            file.write_bytes(lists.pack(dict(islice(order, part.rows))))
            files[lists.path_of(part.name)] = file
    words = card.renewed(_card(copy, head, scratch), card.Facts.of(known, tally.ids, stamp, now))
    if words is not None:
        (scratch / "README.md").write_text(words, encoding="utf-8")
        files["README.md"] = scratch / "README.md"
    return files


def _card(copy: Copy, head: Head | None, scratch: Path) -> str | None:
    """The card as it stands there now, None when there is none."""
    if head is None:
        return None
    place = scratch / "card"
    try:
        copy.target.read("README.md", head, place)
        return place.read_text(encoding="utf-8")
    except (NotFound, UnicodeDecodeError) as error:
        return None if isinstance(error, NotFound) else ""


def _report(
    copy: Copy,
    head: Head | None,
    known: Mapping[str, str],
    tally: _Sent,
    created: bool,
    ours: int,
    size: int,
    altered: int = 0,
) -> Pushed:
    notices: tuple[str, ...] = ()
    if tally.unembedded:
        notices = (f"{tally.unembedded} passages went without a vector: `memoranda embed` first gives them one",)
    return Pushed(
        target=copy.target.address,
        rows=len(tally.ids),
        there=len(known.keys() | tally.ids.keys()),
        ours=ours + tally.kinds["turn"] + tally.kinds["record"],
        commit=head.commit if head else "",
        held=_sorted(tally.held),
        retracted=tally.kinds["retraction"],
        altered=altered,
        created=created,
        passages=tally.passages,
        bytes=size,
        kinds=dict(tally.kinds),
        notices=notices,
    )


def _chained(first: Row, rest: Iterator[Row]) -> Iterator[Row]:
    yield first
    yield from rest


def _personal(rule: str) -> bool:
    from memoranda.screen.door import PERSONAL

    return rule == "e-mail" or any(rule.startswith(kind) for kind in PERSONAL)


def _sorted(held: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(held.items(), key=lambda item: (-item[1], item[0])))


def _note(tally: _Sent) -> str:
    """The commit's message: how much, never what."""
    return ", ".join(f"{count} {kind}s" for kind, count in sorted(tally.kinds.items()))
