"""Find turns in a turns file by seq without reading the file: lines stand in order of seq, so bisect by byte.

Keeps nothing and needs no index. A file that is not in order (edited by hand) may answer short, never wrongly: every
line given out carries the seq that was asked for.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Iterator

from memoranda.model.turn import Turn
from memoranda.truth.lines import parse_turn

_SEQ = re.compile(rb'"seq":(0|[1-9][0-9]*),')
_HEAD = 4096
_CHUNK = 1 << 20
_TITLE = b'],"title":'  # a key of the line itself: inside a text its quotes would be escaped


def between(path: Path, first: int, last: int) -> Iterator[Turn]:
    """The turns of a file whose seq lies in first..last, in file order; broken lines are left to `check`."""
    for line in span(path, first, last):
        with suppress(ValueError):
            yield parse_turn(line + b"\n")


def with_id(path: Path, turn: str) -> Iterator[Turn]:
    """The turns of a file with this id. Looks at every line's head and parses only those that hold the id."""
    needle = json.dumps(turn, ensure_ascii=False).encode("utf-8", "surrogatepass")
    escaped = json.dumps(turn).encode()
    with path.open("rb") as stream:
        for line in stream:
            head = line[:_HEAD]
            if (needle in head or escaped in head) and line.endswith(b"\n"):
                with suppress(ValueError):
                    found = parse_turn(line)
                    if found.turn == turn:
                        yield found


def span(path: Path, first: int, last: int) -> Iterator[bytes]:
    """The lines (without newline) whose seq lies in first..last, in file order."""
    with path.open("rb") as stream:
        stream.seek(0, 2)
        stream.seek(_bisect(stream, stream.tell(), first))
        for line in stream:
            seq = seq_of(line)
            if seq is None or seq < first:
                continue
            if seq > last or not line.endswith(b"\n"):
                return
            yield line[:-1]


def seq_of(line: bytes) -> int | None:
    """The seq of a printed turn line, from its head; None for what is not one."""
    match = _SEQ.search(line, 0, _HEAD)
    return int(match[1]) if match else None


def last_seq(path: Path) -> int:
    """The highest seq of a file, -1 for none; reads its end only."""
    with path.open("rb") as stream:
        stream.seek(0, 2)
        end = stream.tell()
        step = 64 * 1024
        while end:
            start = max(0, end - step)
            stream.seek(_line_start(stream, start))
            found = [seq for seq in map(seq_of, stream) if seq is not None]
            if found:
                return max(found)
            if start == 0:
                return -1
            step *= 4
    return -1


def last_turn(path: Path) -> Turn | None:
    """The last turn of a file; reads its end only. None when there is none."""
    last = last_seq(path)
    found = list(between(path, last, last)) if last >= 0 else []
    return found[-1] if found else None


def last_title(path: Path) -> str:
    """The last title that a turn of the file bears, "" for none. Looks at bytes and parses no turn."""
    with path.open("rb") as stream:
        found, tail = b"", b""
        while chunk := stream.read(_CHUNK):
            chunk = tail + chunk
            at = chunk.rfind(_TITLE)
            if at >= 0:
                found = chunk[at + len(_TITLE) :][:_HEAD]
            tail = chunk[-_HEAD:]
    try:
        title = json.JSONDecoder().raw_decode(found.decode("utf-8", "ignore"))[0] if found else ""
    except ValueError:
        return ""
    return title if isinstance(title, str) else ""


def _bisect(stream: BinaryIO, size: int, wanted: int) -> int:
    """A line start at or before the first line with seq >= wanted."""
    low, high = 0, size  # the line that starts at `low` has a seq below `wanted`, or `low` is 0
    while high - low > 64 * 1024:
        middle = (low + high) // 2
        start = _line_start(stream, middle)
        if start >= high:
            high = middle
            continue
        stream.seek(start)
        seq = seq_of(stream.readline(_HEAD))
        if seq is None or seq >= wanted:
            high = middle
        else:
            low = start
    return low


def _line_start(stream: BinaryIO, offset: int) -> int:
    """Where the first line at or after `offset` begins."""
    if offset == 0:
        return 0
    stream.seek(offset - 1)
    stream.readline()
    return stream.tell()
