"""What differs between the truth and the index, and the steps that close the gap.

Only names, sizes and stamps are compared; a file is read when it is new or changed. Notes remember what was taken in:
`record/<id>/<path>`, `flaw/<path>`, `turnfile/<path>`, and the small derived map `successor/`, `statement/`, `cites/`,
`alias/`, `scope/`; `names/<id>` are the names a record holds, `same/<id>` those that one says mean the same;
`exhibit/<hash>` tells which extract was taken in and under which documents.
"""

from __future__ import annotations

import json
import re
import unicodedata
from hashlib import sha256
from typing import TYPE_CHECKING, Callable, Iterable, Iterator, Mapping, Sequence

from memoranda.index.chunk import chunk_record, chunk_turn
from memoranda.model.index import Changes, Chunk
from memoranda.model.naming import names_in
from memoranda.model.problem import Problem, Unread
from memoranda.model.values import dataclass, field

if TYPE_CHECKING:
    from memoranda.model.evidence import Exhibit, Extract
    from memoranda.model.record import Record
    from memoranda.model.turn import Turn
    from memoranda.model.world import TruthView, TurnFile

#: A step is applied when this much text or so many pieces are gathered: large enough that commits cost little, small
#: enough for a fixed memory.
STEP_CHARS = 4_000_000
STEP_CHUNKS = 10_000

#: Notes made of the truth here; every other note is somebody else's and survives when the index is made anew.
DERIVED = (
    "record/",
    "flaw/",
    "turnfile/",
    "successor/",
    "statement/",
    "cites/",
    "alias/",
    "scope/",
    "names/",
    "same/",
    "exhibit/",
)

#: A record with this tag says that its entities are names of one thing.
SAME = "alias"

Notes = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RecordGap:
    """`changed` are paths to read, `gone` notes of what is no longer there (`record/<id>/<path>` or `flaw/<path>`)."""

    changed: tuple[str, ...]
    gone: tuple[str, ...]


@dataclass(slots=True)
class Step:
    """What is gathered until it is applied at once."""

    remove: list[str] = field(default_factory=list)
    add: list[Chunk] = field(default_factory=list)
    notes: dict[str, str | None] = field(default_factory=dict)
    chars: int = 0
    _docs: set[str] = field(default_factory=set)

    @property
    def full(self) -> bool:
        return self.chars >= STEP_CHARS or len(self.add) >= STEP_CHUNKS

    def take(self, chunks: Sequence[Chunk]) -> None:
        """Take in one document; a second writer's copy of one that is in the step already adds nothing."""
        if not chunks or chunks[0].doc in self._docs:
            return
        self._docs.add(chunks[0].doc)
        self.add += chunks
        self.chars += sum(len(chunk.text) for chunk in chunks)

    def changes(self) -> Changes:
        return Changes(remove=tuple(self.remove), add=tuple(self.add), notes=dict(self.notes))

    def clear(self) -> None:
        self.remove.clear()
        self.add.clear()
        self._docs.clear()
        self.notes.clear()
        self.chars = 0


def record_gap(stamps: Mapping[str, str], known: Notes, flaws: Notes, again: Iterable[str] | None) -> RecordGap:
    """Compare stamps with notes. `again` names records to look at whatever their stamp (None: all of them)."""
    anew = None if again is None else set(again)
    fresh = dict(stamps)
    gone = []
    for name, value in known.items():
        _, id, path = name.split("/", 2)
        stamp = fresh.get(path)
        if stamp is None or not value.startswith(_stamped(stamp)):
            gone.append(name)
        elif anew is not None and id not in anew:
            del fresh[path]
    for name, stamp in flaws.items():
        path = name.removeprefix("flaw/")
        if path not in stamps:
            gone.append(name)
        elif stamps[path] == stamp and anew is not None:
            fresh.pop(path, None)
    return RecordGap(tuple(sorted(fresh)), tuple(gone))


def take_out(step: Step, gone: Sequence[str], notes: Callable[[str], Notes]) -> None:
    """Queue the removal of what files said that are gone or changed: their notes, and their words with them."""
    ids = {name.split("/", 2)[1] for name in gone if name.startswith("record/")}
    step.notes.update(dict.fromkeys(gone))
    if ids:
        for prefix in ("successor/", "statement/", "cites/", "alias/", "scope/"):
            step.notes.update(dict.fromkeys(name for name in notes(prefix) if name.rpartition("/")[2] in ids))
        step.notes.update(dict.fromkeys(f"{prefix}{id}" for prefix in ("names/", "same/") for id in sorted(ids)))
    left = {id for id in ids if any(name not in step.notes for name in notes(f"record/{id}/"))}
    step.remove += sorted(ids - left)


def take_record(step: Step, path: str, stamp: str, record: Record | Problem, wanted: bool) -> None:
    """Queue one record as it now stands: its notes always, its words only if it is `wanted`."""
    if isinstance(record, Problem):
        step.notes[f"flaw/{path}"] = None if isinstance(record, Unread) else stamp
        return
    step.notes[f"flaw/{path}"] = None
    step.notes.update(record_notes(record, path, stamp, wanted))
    if wanted:
        step.take(chunk_record(record))
    else:
        step.remove.append(record.id)


def record_notes(record: Record, path: str, stamp: str, wanted: bool) -> dict[str, str]:
    """The notes of one record, the stamp first so that comparing needs no parsing."""
    facts = {
        "stamp": stamp,
        "digest": record.digest,
        "category": record.category.value,
        "created": record.created,
        "durability": record.durability.value,
        "wanted": wanted,
    }
    notes = {
        f"record/{record.id}/{path}": _dump(facts),
        f"statement/{statement(record.body, record.scope)}/{record.id}": "",
    }
    notes.update({f"successor/{old}/{record.id}": "" for old in record.supersedes})
    notes.update({f"alias/{name}/{record.id}": "" for name in record.aliases if "/" not in name})
    notes.update({f"cites/{place}/{record.id}": "" for place in cited(record)})
    notes.update({f"scope/{record.scope}/{record.id}": ""} if record.scope else {})
    found = names_in(record.body)
    if record.entities or found:
        notes[f"names/{record.id}"] = _dump([record.entities, found])
    if SAME in record.tags and len(record.entities) > 1:
        notes[f"same/{record.id}"] = _dump(record.entities)
    return notes


def statement(body: str, scope: str | None) -> str:
    """The hash under which two records say the same: NFC, white space folded, within one scope."""
    folded = " ".join(unicodedata.normalize("NFC", body).split())
    return sha256(f"{scope or ''}\n{folded}".encode("utf-8", "surrogatepass")).hexdigest()


def cited(record: Record) -> Iterator[str]:
    """The places a record's anchors name, without span or fingerprint."""
    for anchor in record.anchors:
        yield anchor.partition("@sha256:")[0].partition("#")[0]


def turn_gap(files: Iterable[TurnFile], known: Notes) -> tuple[list[tuple[TurnFile, int, int]], bool]:
    """Files that grew with the byte and seq to go on from, and whether one shrank or vanished (then start anew)."""
    grown = []
    left = dict(known)
    for file in files:
        note = left.pop(f"turnfile/{file.path}", None)
        if note is None:
            grown.append((file, 0, -1))
        elif not note.startswith(f'{{"size":{file.size},'):
            facts = json.loads(note)
            if facts["size"] > file.size:
                return [], True
            grown.append((file, facts["size"], facts["seq"]))
    return grown, bool(left)


def turnfile_note(size: int, seq: int) -> str:
    return f'{{"size":{size},"seq":{seq}}}'


def take_turns(
    step: Step, truth: TruthView, grown: tuple[TurnFile, int, int], apply: Callable[[], None], stop: Callable[[], bool]
) -> bool:
    """Queue the turns of one grown file; `apply` is called whenever the step is full. False when `stop` ended it.

    The note tells the end of the last whole line, not of the file: a torn line is not counted as taken in.
    """
    file, start, seq = grown
    for found in truth.turns(file.path, start):
        if isinstance(found, Problem):
            continue
        turn, start = found
        seq = max(seq, turn.seq)
        step.take(turn_chunks(turn))
        step.notes[f"turnfile/{file.path}"] = turnfile_note(start, seq)
        if step.full:
            apply()
            if stop():
                return False
    step.notes[f"turnfile/{file.path}"] = turnfile_note(start, seq)
    return True


def note_seq(note: str | None) -> int:
    """The highest seq a `turnfile/` note tells; -1 for none."""
    return int(json.loads(note)["seq"]) if note else -1


def note_size(note: str | None) -> int:
    """The byte up to which a `turnfile/` note says the file is taken in; 0 for none."""
    return int(json.loads(note)["size"]) if note else 0


def turn_chunks(turn: Turn) -> list[Chunk]:
    """The pieces of a turn with what it says of its session."""
    title = dict(turn.extra).get("title")
    return chunk_turn(turn, title if isinstance(title, str) else "")


def _stamped(stamp: str) -> str:
    return f'{{"stamp":"{stamp}",' if _is_plain(stamp) else f'{{"stamp":{json.dumps(stamp)},'


_is_plain = re.compile(r"[A-Za-z0-9_.+-]*").fullmatch


def _dump(facts: object) -> str:
    return json.dumps(facts, separators=(",", ":"))


def exhibit_gap(stamps: Mapping[str, str], known: Notes) -> tuple[list[str], list[str]]:
    """Hashes of exhibits whose extract is new or another, and those that are taken in and no longer there."""
    taken = {name.removeprefix("exhibit/"): note for name, note in known.items()}
    changed = [sha for sha, stamp in stamps.items() if not taken.get(sha, "").startswith(_stamped(stamp))]
    return sorted(changed), sorted(taken.keys() - stamps.keys())


def take_exhibit(step: Step, sha: str, stamp: str, found: tuple[Exhibit, Extract] | None, note: str | None) -> None:
    """Queue an exhibit's passages in place of those it had; without an extract only take those out."""
    step.remove += json.loads(note)["docs"] if note else []
    step.notes[f"exhibit/{sha}"] = None
    if found is None:
        return
    from memoranda.index.exhibits import chunks  # few memories hold any

    pieces = chunks(*found)
    for some in pieces.values():
        step.take(some)
    step.notes[f"exhibit/{sha}"] = _dump({"stamp": stamp, "docs": list(pieces)})


def exhibit_steps(truth: TruthView, stamps: Mapping[str, str], known: Notes) -> Iterator[Changes]:
    """The steps that take in extracts that are new and take out those that are gone."""
    changed, gone = exhibit_gap(stamps, known)
    step = Step()
    for sha in (*gone, *changed):
        found = truth.extract(sha) if sha in stamps else None
        take_exhibit(step, sha, stamps.get(sha, ""), found, known.get(f"exhibit/{sha}"))
        if step.full:
            yield step.changes()
            step.clear()
    if step.notes:
        yield step.changes()
