"""What a transcript reader is made of, so that a new one needs thirty lines: a walk, a stream, and a few values.

A reader brings a `Parser`: it is given one JSON object after another and says which turn it is, if any. Everything
else (resuming, batches, broken lines, counting) is done here, the same for every agent.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Callable, Iterable, Iterator, Mapping, Protocol, Sequence

from memoranda.model.problem import Problem
from memoranda.model.turn import Turn
from memoranda.model.values import replace
from memoranda.ports.jsonl import JsonLines, Line, Position
from memoranda.ports.protocols import Batch, Source

HEAD_BYTES = 64 << 10  # what `claims` is shown of a file
BATCH_BYTES = 4 << 20  # of the source; with its line at most, what a batch can make us hold
BATCH_TURNS = 2000
NAMED_FLAWS = 20  # broken lines named one by one in a batch; the rest are counted
RECENT_TURNS = 256  # turns whose form is remembered where records are written anew
RECENT_CALLS = 128  # tool calls whose name is remembered for their results; more than any agent runs at once

# Unicode White_Space, written out: str.strip() would take U+001C to U+001F with it.
_WHITE = "".join(map(chr, (*range(9, 14), 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B))))
_WHITE += "\u2028\u2029\u202f\u205f\u3000"
_ID = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]{1,200}")
TITLE_CHARS = 200
_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z")


class Parser(Protocol):
    """Turns records of one history into turns, in order. All it remembers fits into `state`, as JSON."""

    skipped: Counter[str]

    def take(self, record: dict[str, Any], place: str) -> Turn | Sequence[Turn] | None:
        """The turn of one record (or several, where a record says several things), or None after counting it in
        `skipped`.

        `place` is the record's line number ("7", or "7.2" for a second record on that line): a stable id for
        records that bring none.
        """

    def state(self) -> Mapping[str, Any]:
        """What is needed to go on after the last record."""


def stream(source: Source, cursor: str | None, start: Callable[[Mapping[str, Any]], Parser]) -> Iterator[Batch]:
    """Read a history of JSON lines from `cursor`. `start` makes a parser from a state ({} at the beginning).

    Yields at least one batch. Raises `OSError` when the file cannot be read.
    """
    position, state = _resume(cursor)
    with JsonLines(source.path, position) as lines:
        parser = start({} if lines.restarted else state)
        restarted, begun = lines.restarted, lines.offset
        turns, problems = list[Turn](), list[Problem]()
        for line in lines:
            _take(line, parser, turns, problems, source.key)
            if lines.offset - begun >= BATCH_BYTES or len(turns) >= BATCH_TURNS:
                yield _batch(lines, parser, turns, problems, begun=begun, restarted=restarted)
                turns, problems, restarted, begun = [], [], False, lines.offset
        if lines.unfinished:
            parser.skipped["unfinished last line"] += 1
        yield _batch(lines, parser, turns, problems, begun=begun, restarted=restarted)


def _take(line: Line, parser: Parser, turns: list[Turn], problems: list[Problem], key: str) -> None:
    """The records of one line. A record that the parser stumbles over is a problem of that record alone."""
    flaw = line.flaw
    for n, record in enumerate(line.objects, line.taken + 1):
        place = str(line.number) if n == 1 else f"{line.number}.{n}"
        try:
            turn = parser.take(record, place)
        except (TypeError, ValueError, KeyError, AttributeError, IndexError, RecursionError) as error:
            flaw = flaw or f"record of an unknown shape ({type(error).__name__})"
        else:
            if isinstance(turn, Turn):
                turns.append(turn)
            elif turn is not None:
                turns.extend(turn)
    if flaw:
        parser.skipped["broken line"] += 1
        if len(problems) < NAMED_FLAWS:
            problems.append(Problem(key, flaw, "the other lines are read", line.number))


def _batch(
    lines: JsonLines, parser: Parser, turns: list[Turn], problems: list[Problem], *, begun: int, restarted: bool
) -> Batch:
    at = lines.position
    cursor = {"v": 1, "at": [at.offset, at.line, at.taken, at.before], "state": dict(parser.state())}
    skipped = dict(parser.skipped)
    parser.skipped.clear()
    text = json.dumps(cursor, separators=(",", ":"))  # ASCII: a cursor is stored where no lone surrogate may go
    return Batch(turns, text, lines.offset - begun, skipped, tuple(problems), restarted)


def _resume(cursor: str | None) -> tuple[Position, Mapping[str, Any]]:
    """A cursor of ours taken apart; anything else starts at the beginning, which is always right."""
    try:
        value = json.loads(cursor or "{}")
        if value["v"] == 1 and isinstance(value["state"], dict):
            offset, line, taken, before = value["at"]
            return Position(int(offset), int(line), int(taken), str(before)), value["state"]
    except (ValueError, KeyError, TypeError):
        pass
    return Position(), {}


def whole(
    source: Source, cursor: str | None, turns: Callable[[Counter[str], list[Problem]], Iterable[Turn]]
) -> Iterator[Batch]:
    """Read a history that its agent writes anew as a whole, or none at all when its bytes are as they were.

    `turns` gives every turn it holds, counting what is left out and naming flaws; a stop starts it anew, which
    identities make harmless. Yields at least one batch. Raises `OSError` when the file cannot be read.
    """
    mark = digest(source.path)
    if cursor == mark:
        yield Batch((), mark)
        return
    skipped, problems = Counter[str](), list[Problem]()
    held, size = list[Turn](), 0
    for turn in turns(skipped, problems):
        held.append(turn)
        size += sum(len(block.text) for block in turn.blocks)
        if size >= BATCH_BYTES or len(held) >= BATCH_TURNS:
            yield Batch(held, "", size)
            held, size = [], 0
    yield Batch(held, mark, size, dict(skipped), tuple(problems[:NAMED_FLAWS]))


def packed(
    source: Source, cursor: str | None, parser: Parser, unpack: Callable[[BinaryIO], BinaryIO]
) -> Iterator[Batch]:
    """Read a history of JSON lines that its agent has compressed, as `whole` does. Nothing unpacked is written.

    `unpack` gives the bytes as they were, of the open file. Raises what it raises, and `OSError`.
    """

    def turns(skipped: Counter[str], problems: list[Problem]) -> Iterator[Turn]:
        with JsonLines(source.path, unpack=unpack) as lines:
            for line in lines:
                found = list[Turn]()
                _take(line, parser, found, problems, str(source.path))
                yield from found
            if lines.unfinished or lines.offset >= lines.size:
                parser.skipped["unfinished last line"] += 1
        skipped.update(parser.skipped)

    yield from whole(source, cursor, turns)


def digest(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def walk(root: Path, suffixes: tuple[str, ...] = (".jsonl",)) -> Iterator[tuple[str, os.stat_result]]:
    """(path, stat) of every regular file below `root` whose name ends so. Links below `root` are not followed.

    Folders that vanish or may not be read are passed over. `root` itself may be a link: somebody put it there.
    """
    waiting = [os.path.realpath(root)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    elif entry.name.endswith(suffixes) and entry.is_file(follow_symlinks=False):
                        yield entry.path, entry.stat(follow_symlinks=False)
        except OSError:
            continue


def source(path: str, found: os.stat_result, harness: str, priority: int = 0) -> Source:
    """The source of a plain file: its path is the key; size, mtime and inode are the stamp."""
    stamp = f"{found.st_size}:{found.st_mtime_ns}:{found.st_ino}"
    return Source(path, Path(path), harness, stamp, found.st_mtime, found.st_size, priority)


def named(path: Path, harness: str, priority: int = 0) -> Source | None:
    """The source of a file that somebody named; None unless it is a regular file. Its real path is the key."""
    real = os.path.realpath(path)
    try:
        found = os.stat(real)
    except OSError:
        return None
    return source(real, found, harness, priority) if stat.S_ISREG(found.st_mode) else None


def first_records(head: bytes, limit: int = 20) -> list[dict[str, Any]]:
    """The objects of the first lines of a file, as far as they are JSON; for telling whose it is."""
    records: list[dict[str, Any]] = []
    for raw in head.removeprefix(b"\xef\xbb\xbf").split(b"\n")[:limit]:
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            records.append(value)
    return records


class Calls:
    """The names of the latest tool calls by id, so that a result can say whose it is. Bounded; the last name wins."""

    def __init__(self, known: object = None) -> None:
        self.names: dict[str, str] = dict(known) if isinstance(known, dict) else {}

    def add(self, call: str | None, name: str | None) -> None:
        """Remember a call; the oldest is forgotten beyond `RECENT_CALLS`."""
        if call is None or name is None:
            return
        self.names.pop(call, None)
        self.names[call] = name
        if len(self.names) > RECENT_CALLS:
            del self.names[next(iter(self.names))]


class Versions:
    """Tells turns that are new from turns said again, where an agent writes a record anew when it has changed.

    The first form of a turn keeps its id; another form under the same id is another turn, `<id>@<8 hex of its text>`.
    Bounded: beyond `RECENT_TURNS` the oldest is forgotten, and what comes again then is dropped when it is stored.
    """

    def __init__(self, known: object = None) -> None:
        self.known: dict[str, str] = dict(known) if isinstance(known, dict) else {}

    def admit(self, turn: Turn) -> Turn | None:
        """The turn under the id it is kept by, or None when it was said just so before."""
        mark = hashlib.sha256(turn.text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        before = self.known.get(turn.turn)
        if before is not None and before != mark:
            turn = replace(turn, turn=f"{turn.turn}@{mark}")
            before = self.known.get(turn.turn)
        if before is not None:
            return None
        self.known[turn.turn] = mark
        if len(self.known) > RECENT_TURNS:
            del self.known[next(iter(self.known))]
        return turn


def blank(text: str) -> bool:
    """True when nothing but white space (Unicode White_Space) is there."""
    return not text.strip(_WHITE)


def compact(value: object) -> str:
    """JSON without spaces, keys in the order of the source, letters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def identifier(value: object) -> str | None:
    """The value if it can name something in a locator: 1 to 200 characters, no control characters. Else None."""
    return value if isinstance(value, str) and _ID.fullmatch(value) else None


def string(value: object) -> str | None:
    """The value if it is a string that says something, else None."""
    return value if isinstance(value, str) and value else None


def utc(value: object) -> str:
    """A time as "YYYY-MM-DDTHH:MM:SS[.f]Z", from ISO 8601 with any offset or from epoch milliseconds; "" if neither."""
    try:
        if isinstance(value, str):
            if _UTC.fullmatch(value):
                datetime.fromisoformat(value[:19])
                return value
            moment = datetime.fromisoformat(value)
            if moment.tzinfo is None:
                return ""
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            moment = datetime.fromtimestamp(value / 1000, UTC)
        else:
            return ""
        return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return ""


def titled(turn: Turn, title: str | None) -> Turn:
    """The turn bearing the title that its session has from here on, as the agent gave it; on one line."""
    text = " ".join((title or "").split())[:TITLE_CHARS]
    return replace(turn, extra=(*turn.extra, ("title", text))) if text else turn


def data_uri(media: object, payload: object) -> str:
    """Base64 bytes as the `data:` URI they are elsewhere; what is stored in its place is decided by the screen."""
    kind = media if isinstance(media, str) and re.fullmatch(r"[\w.+-]+/[\w.+-]+", media, re.ASCII) else ""
    body = "".join(payload.split()) if isinstance(payload, str) else ""
    return f"data:{kind or 'application/octet-stream'};base64,{body}"
