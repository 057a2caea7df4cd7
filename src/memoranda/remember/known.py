"""Which turns of a session are kept already, so that each is written once, whatever happened before.

A turn may come again: its line stands twice in a transcript, a copied or restored transcript is read from the start,
or a capture was killed after its turns were durable and before its cursor was. The truth says what is kept; to ask
it cheaply, a note beside the index remembers a 64-bit hash of every turn id with the sizes of the turns files it was
taken from, and only what lies beyond those sizes is read. Without the note the files are read whole. Two ids of one
session that share a hash would cost the second one: about one in four thousand million for 100,000 turns.
"""

from __future__ import annotations

import hashlib
import json
import struct
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Callable, Iterable, Sequence

from memoranda.model.index import Reached
from memoranda.model.problem import Problem
from memoranda.model.turn import Turn
from memoranda.model.values import dataclass, field
from memoranda.model.world import TurnFile
from memoranda.truth.names import session_name

if TYPE_CHECKING:
    from memoranda.index import Index
    from memoranda.truth.turns import TurnStore

#: The folders of an agent's turns, as they stand (`TurnStore.months`).
Months = Callable[[str], Sequence[str]]


@dataclass(slots=True)
class Known:
    """What is kept of one session: id hashes, the next free seq, the size of each turns file when it was looked at.

    `unindexed` are turns found in the files beyond what the index has taken in (`indexed`, in bytes); whoever writes
    the new sizes must hand them to the index too.
    """

    harness: str
    session: str
    ids: set[int] = field(default_factory=set)
    next_seq: int = 0
    sizes: dict[str, int] = field(default_factory=dict)
    indexed: dict[str, int] = field(default_factory=dict)
    unindexed: list[Turn] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name of the note."""
        return f"seen/{self.harness}/{self.session}"

    def admit(self, turn: str) -> int | None:
        """The seq for a turn of this id, or None when it is kept already. Counts it as kept from now on."""
        mark = _mark(turn)
        if mark in self.ids:
            return None
        self.ids.add(mark)
        self.next_seq += 1
        return self.next_seq - 1

    def holds(self, store: TurnStore, months: Months) -> bool:
        """True when no turns file of the session has changed since it was looked at."""
        return store.session_sizes(self.session, months(self.harness)) == self.sizes

    def note(self) -> str:
        """What is known, as a note."""
        marks = b64encode(struct.pack(f"<{len(self.ids)}Q", *sorted(self.ids))).decode()
        return json.dumps({"next": self.next_seq, "files": self.sizes, "ids": marks}, separators=(",", ":"))


def known(store: TurnStore, index: Index, harness: str, session: str, months: Months) -> Known:
    """What is kept of a session: from the note as far as it goes, the rest from the files."""
    found = Known(harness, session)
    sizes = store.session_sizes(session, months(harness))
    if not sizes:
        return found
    _recall(found, index.notes(found.name).get(found.name))
    if any(sizes.get(path, -1) < size for path, size in found.sizes.items()):
        found = Known(harness, session)  # a file lost bytes or is gone: what the note says is no longer so
    for path in sizes:
        found.indexed[path] = _indexed(index, path)
        _read(found, store, path, found.indexed[path])
    found.sizes = sizes
    return found


def grown(sessions: Iterable[Known], files: Sequence[TurnFile]) -> list[Reached]:
    """Tell each session the sizes that an append has just given to its files; how far the index gets in them with
    what is unindexed and what was appended."""
    owners = {(one.harness, f"{session_name(one.session)}.turns.jsonl"): one for one in sessions}
    reached = []
    for file in files:
        owner = owners[file.harness, file.path.rpartition("/")[2]]
        owner.sizes[file.path] = file.size
        reached.append(Reached(file.path, owner.indexed.get(file.path, 0), file.size, owner.next_seq - 1))
        owner.indexed[file.path] = file.size
    return reached


def _read(found: Known, store: TurnStore, path: str, indexed: int) -> None:
    seen = found.sizes.get(path, 0)
    for item in store.read(path, min(seen, indexed)):
        if isinstance(item, Problem):
            continue  # a broken line of a turns file is for `check` to report
        turn, end = item
        if end > seen and turn.session == found.session:
            found.ids.add(_mark(turn.turn))
            found.next_seq = max(found.next_seq, turn.seq + 1)
        if end > indexed:
            found.unindexed.append(turn)


def _recall(found: Known, note: str | None) -> None:
    """Fill in a note's contents; anything odd in it leaves `found` empty, and the files are read instead."""
    try:
        value = json.loads(note or "")
        marks = b64decode(value["ids"])
        ids = set(struct.unpack(f"<{len(marks) // 8}Q", marks))
        next_seq, sizes = int(value["next"]), {str(path): int(size) for path, size in value["files"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, struct.error):
        return
    found.ids, found.next_seq, found.sizes = ids, next_seq, sizes


def _indexed(index: Index, path: str) -> int:
    """How far the index has taken in a turns file, in bytes."""
    name = f"turnfile/{path}"
    try:
        return int(json.loads(index.notes(name)[name])["size"])
    except (ValueError, KeyError, TypeError):
        return 0


def _mark(turn: str) -> int:
    return int.from_bytes(hashlib.blake2b(turn.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
