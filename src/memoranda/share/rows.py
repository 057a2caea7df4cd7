"""A turn or a record as a published row, and back again, byte for byte.

A turn's row holds its words once, as people search them: `text` is the stored text of all blocks joined by one newline,
what an anchor is taken over. `frame` is the turn's line with each block's text replaced by its length in code points.
Where the words are no valid Unicode (a lone surrogate), `frame` is the whole line. A record's row holds its header as
`frame` and its body as `text`: put together they are the file.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Callable, Iterable, Mapping, Sequence

from memoranda.index.chunk import chunk_record
from memoranda.index.sync import turn_chunks
from memoranda.model.errors import Corrupt
from memoranda.model.index import Chunk
from memoranda.model.locator import TurnLocator
from memoranda.model.record import Record
from memoranda.model.share import Row
from memoranda.model.turn import Turn
from memoranda.truth.grammar import RecordFlaw, parse_record, print_record
from memoranda.truth.lines import parse_turn, print_turn

#: Vectors by the hash of a passage's text, for those that are known.
Vectors = Callable[[Iterable[str]], Mapping[str, memoryview]]

GONE = "gone:"
_DIGEST = 16


def turn_id(turn: Turn) -> str:
    return str(TurnLocator(turn.harness, turn.session, turn=turn.turn))


def turn_digest(turn: Turn) -> str:
    return sha256(print_turn(turn)).hexdigest()[:_DIGEST]


def of_turn(turn: Turn, path: str, vectors: Vectors) -> Row:
    """The row of one turn. `path` is its file's, relative to the memory."""
    line = print_turn(turn)
    text, frame = turn.text, ""
    if _valid(text) and _valid(line_text := line.decode()):
        told = json.loads(line_text)
        for block in told["blocks"]:
            block["text"] = len(block["text"])
        frame = _dump(told)
    else:
        text = text.encode("utf-8", "replace").decode()
        frame = line.decode("utf-8").rstrip("\n")
    spans, vector = _passages(turn_chunks(turn), vectors)
    return Row(
        id=turn_id(turn),
        kind="turn",
        digest=sha256(line).hexdigest()[:_DIGEST],
        text=text,
        frame=frame,
        path=path,
        spans=spans,
        vectors=vector,
        ts=turn.ts,
        harness=turn.harness,
        session=turn.session,
        turn=turn.turn,
        seq=turn.seq,
        role=turn.role,
        repo=turn.cwd or "",
    )


def of_record(record: Record, vectors: Vectors) -> Row:
    """The row of one record whose name certifies its bytes."""
    file = print_record(record).decode()
    spans, vector = _passages(chunk_record(record), vectors)
    at = file.index("\n---\n", 3) + len("\n---\n")
    return Row(
        id=record.id,
        kind="record",
        digest=record.digest[:_DIGEST],
        text=file[at:],
        frame=file[:at],
        path=record.path,
        spans=spans,
        vectors=vector,
        ts=record.created,
        category=record.category.value,
        channel=record.channel.value,
    )


def of_retraction(id: str, now: str) -> Row:
    """Says that a published record has been retired since. It holds nothing of it but its name."""
    return Row(id=GONE + id, kind="retraction", digest="", text="", frame="", path="", ts=now)


def turn_of(row: Row) -> Turn:
    """The turn in a row. Raises `Corrupt` when the row is not one, or is another than it says."""
    try:
        told = json.loads(row.frame)
        at = 0
        for block in told["blocks"]:
            size = block["text"]
            if type(size) is int:
                words = row.text[at : at + size]
                if len(words) != size:
                    raise ValueError("lengths that do not fit")
                block["text"] = words
                at += size + 1
        turn = parse_turn(_dump(told).encode("utf-8", "surrogatepass") if at else row.frame.encode())
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Corrupt(f"a row is no turn: {type(error).__name__}") from None
    if turn_id(turn) != row.id:
        raise Corrupt("a row holds another turn than it is named for")
    return turn


def record_of(row: Row) -> Record:
    """The record in a row. Raises `Corrupt` unless its name certifies it."""
    try:
        record = parse_record((row.frame + row.text).encode(), row.path)
    except (RecordFlaw, UnicodeEncodeError):
        raise Corrupt("a row is no record") from None
    if record.id != row.id or not record.intact:
        raise Corrupt("a row holds another record than it is named for")
    return record


def _passages(chunks: Sequence[Chunk], vectors: Vectors) -> tuple[tuple[tuple[int, int, int], ...], memoryview]:
    """The spans of passages; and their vectors, one behind the other, if all of them are known."""
    spans = tuple((chunk.block, chunk.start, chunk.end) for chunk in chunks)
    known = vectors([chunk.content for chunk in chunks]) if chunks else {}
    if not chunks or any(chunk.content not in known for chunk in chunks):
        return spans, memoryview(b"")
    return spans, memoryview(b"".join(known[chunk.content].cast("B") for chunk in chunks))


def _valid(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\\ud" not in text  # an escaped surrogate in a line


def _dump(told: object) -> str:
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))
