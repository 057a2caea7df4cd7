"""Reads JSON lines from a file that may be growing, in fixed memory, and takes up again at the byte.

Promises of this file:

1. Never more than one line and one chunk are held. A line over `LINE_LIMIT` is passed over and named, not read.
2. A position is taken up only if what stood before it still stands there (`Position.before`); if not, reading starts
   anew and `restarted` says so.
3. Bytes after the last line break are read only when they are whole JSON objects; a torn line waits for next time.
4. Only what was there when the file was opened is read, so a file that grows cannot hold the reader.
5. Nothing in a line can stop the lines after it.

Knows nothing of agents, turns or stores.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Callable, Iterator, NamedTuple

from memoranda.model.values import dataclass

# The longest line that is parsed, in bytes. One emoji makes Python hold four bytes for each character, and a line is
# held as bytes, as text and as values at once: 16 MiB stays under 300 MB. Twice the longest real line known is 2 MB.
LINE_LIMIT = 16 << 20
CHUNK = 1 << 20
UNPACKED_LIMIT = 16 << 30  # what is read of a compressed file, in bytes as they were before: no history comes near it
FINGERPRINT_BYTES = 4096

_SPACE = re.compile(r"[ \t\n\r]*")
_BOM = b"\xef\xbb\xbf"
_DECODER = json.JSONDecoder(strict=False)  # raw control characters inside strings are let through, as found


@dataclass(frozen=True, slots=True)
class Position:
    """A place between two records: bytes and line breaks before it, and the fingerprint of what stood there.

    `taken` counts the objects before it on its own line (a last line was whole, and was then written on). `before` is
    the SHA-256 over the first and the last 4 KiB (or less) of the bytes before `offset`, "" at 0: of the content
    alone, so a file that was moved, copied or restored is still recognised.
    """

    offset: int = 0
    line: int = 0
    taken: int = 0
    before: str = ""


class Line(NamedTuple):
    """One line: its number from 1, the offset after it, its objects (two may share a line), what is wrong with it.

    `taken` objects of this line were read at an earlier time.
    """

    number: int
    end: int
    objects: list[dict[str, Any]]
    flaw: str = ""
    taken: int = 0


class JsonLines:
    """The lines of `path` from `position` to the end as it was when opened. Use as a context manager, iterate once.

    Blank lines count but are not yielded. Raises `OSError` when the file cannot be opened or read, and for anything
    but a regular file. `position` is where reading stands, after the last line yielded; `unfinished` counts the
    bytes of a torn last line, known at the end.
    """

    def __init__(
        self,
        path: Path,
        position: Position | None = None,
        limit: int = LINE_LIMIT,
        unpack: Callable[[BinaryIO], BinaryIO] | None = None,
    ) -> None:
        """With `unpack`, what it gives is read in place of the file's bytes: from the beginning to its end, and without
        a position to take up again."""
        self._limit = limit
        self._file = _open(path)
        self.size = os.fstat(self._file.fileno()).st_size
        self._packed = unpack is not None
        if unpack is not None:
            self._file, self.size = unpack(self._file), UNPACKED_LIMIT
        wanted = position or Position()
        self.restarted = not self._holds(wanted)
        start = Position() if self.restarted else wanted
        self._offset, self._line, self._taken = start.offset, start.line, start.taken
        self.unfinished = 0

    def __enter__(self) -> JsonLines:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    @property
    def offset(self) -> int:
        """Bytes read so far, from the beginning of the file."""
        return self._offset

    @property
    def position(self) -> Position:
        """Where reading stands. Costs two short reads."""
        return Position(self._offset, self._line, self._taken, self._fingerprint(self._offset))

    def __iter__(self) -> Iterator[Line]:
        for raw, length, broken in self._pieces():
            if not broken:
                yield from self._tail(raw, length)
                return
            self._offset += length
            self._line += 1
            taken, self._taken = self._taken, 0
            if raw is None:
                yield Line(self._line, self._offset, [], f"line of {length} bytes is over the limit of {self._limit}")
            elif raw and not raw.isspace():
                yield Line(self._line, self._offset, *_parse(raw, self._offset == length), taken)

    def _tail(self, raw: bytes | None, length: int) -> Iterator[Line]:
        """The bytes after the last line break: taken when they are whole objects, otherwise left for next time."""
        if raw is not None and raw.rstrip().endswith(b"}"):
            objects, flaw = _parse(raw, self._offset == 0)
            if objects and not flaw:
                taken, self._taken = self._taken, self._taken + len(objects)
                self._offset += length
                yield Line(self._line + 1, self._offset, objects, "", taken)
                return
        self.unfinished = length

    def _pieces(self) -> Iterator[tuple[bytes | None, int, bool]]:
        """(bytes or None when over the limit, length with its line break, whether a line break ended it)."""
        read, held, held_bytes = self._offset, list[bytes](), 0
        while read < self.size:
            if not self._packed:
                self._file.seek(read)  # `position` may have moved it
            chunk = self._file.read(min(CHUNK, self.size - read))
            if not chunk:  # cut while being read
                break
            read += len(chunk)
            first, *rest = chunk.split(b"\n")
            held_bytes += len(first)
            if held_bytes <= self._limit:
                held.append(first)
            else:
                held.clear()
            if not rest:
                continue
            yield (b"".join(held) if held_bytes <= self._limit else None), held_bytes + 1, True
            last = rest.pop()
            for piece in rest:
                yield (piece if len(piece) <= self._limit else None), len(piece) + 1, True
            held, held_bytes = [last], len(last)
        if held_bytes:
            yield (b"".join(held) if held_bytes <= self._limit else None), held_bytes, False

    def _holds(self, position: Position) -> bool:
        if position.offset == 0:
            return True
        return 0 < position.offset <= self.size and self._fingerprint(position.offset) == position.before

    def _fingerprint(self, offset: int) -> str:
        if offset == 0:
            return ""
        self._file.seek(0)
        head = self._file.read(min(FINGERPRINT_BYTES, offset))
        start = max(0, offset - FINGERPRINT_BYTES)
        self._file.seek(start)
        return hashlib.sha256(head + self._file.read(offset - start)).hexdigest()


def _open(path: Path) -> BinaryIO:
    """Opened for reading, never through a link at its end and never a pipe or device, which could block."""
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{path} is not a regular file")
    return os.fdopen(descriptor, "rb", buffering=0)


def _parse(raw: bytes, first: bool) -> tuple[list[dict[str, Any]], str]:
    """The objects of one line, and what was wrong with it ("" when nothing was)."""
    if first and raw.startswith(_BOM):
        raw = raw[len(_BOM) :]
    flaw = ""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text, flaw = raw.decode(errors="replace"), "invalid UTF-8, read with replacement characters"
    objects: list[dict[str, Any]] = []
    at = _skip(text, 0)
    while at < len(text):
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):  # ValueError also stands for a number of absurd length
            return objects, "not JSON" if not objects else "more than JSON objects on the line"
        if isinstance(value, dict):
            objects.append(value)
        else:
            flaw = flaw or "not a JSON object"
        at = _skip(text, at)
    return objects, flaw


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
