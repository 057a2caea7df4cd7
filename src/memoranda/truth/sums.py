"""What this clone has appended, by hash: finds every bit that turns and events lost since.

Records carry their digest in their name and an event line the hash of the one before; turns, and the last event of a
chain, carry none. So each append leaves a line in the user's state, outside the memory:

    sums.jsonl   {"path":…,"start":…,"end":…,"sha256":…}   the bytes from start to end of a file, as they were written

It is a note and no truth: written after the append is durable, not synced, and whatever it does not cover is simply
not looked at. A later line counts where two overlap (a rescan rewrites a file whole).
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Iterator, Mapping

from memoranda.model.problem import Problem
from memoranda.truth.files import make_private_folder

_NAME = "sums.jsonl"
_CHUNK_BYTES = 1 << 20
_RESTORE = "restore the file from a backup"

#: (start, end, sha256 in hex) of the pieces of one file.
Pieces = list[tuple[int, int, str]]


class Sums:
    """The sums of one memory. `place` is its folder in the user's state."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def note(self, pieces: Mapping[str, bytes], ends: Mapping[str, int]) -> None:
        """Remember what was just appended: bytes by path, and how long each file is now."""
        self._add((path, ends[path] - len(data), ends[path], _hex(data)) for path, data in pieces.items())

    def note_whole(self, root: Path, path: str) -> None:
        """Remember a file that was written anew."""
        with suppress(OSError):
            size = os.stat(root / path).st_size
            self._add([(path, 0, size, _hash(root / path, 0, size) or "")])

    def flaws(self, root: Path, prefix: str) -> Iterator[Problem]:
        """Pieces below `prefix` that are not as they were written, one problem each. Files that are gone are left to
        others."""
        for path, pieces in sorted(self._load(prefix).items()):
            try:
                size = os.stat(root / path).st_size
            except OSError:
                continue
            for start, end, told in sorted(pieces):
                if end > size:
                    yield Problem(path, f"{end - size} bytes that were written here are cut off", _RESTORE)
                    break
                found = _hash(root / path, start, end)
                if found is not None and found != told:
                    first = _line(root / path, start)
                    last = max(first, _line(root / path, end) - 1)
                    lines = f"line {first}" if first == last else f"lines {first} to {last}"
                    yield Problem(path, f"{lines}: not what was written here", _RESTORE, first)

    def _load(self, prefix: str) -> dict[str, Pieces]:
        found: dict[str, Pieces] = {}
        try:
            lines = (self._place / _NAME).read_bytes().split(b"\n")
        except OSError:
            return found
        for line in lines:
            with suppress(ValueError, KeyError, TypeError):
                row = json.loads(line)
                path, start, end, told = str(row["path"]), int(row["start"]), int(row["end"]), str(row["sha256"])
                if path.startswith(prefix):
                    kept = [one for one in found.get(path, ()) if one[1] <= start or one[0] >= end]
                    found[path] = [*kept, (start, end, told)]
        return found

    def _add(self, rows: Iterator[tuple[str, int, int, str]] | list[tuple[str, int, int, str]]) -> None:
        keys = ("path", "start", "end", "sha256")
        text = "".join(json.dumps(dict(zip(keys, row, strict=True)), separators=(",", ":")) + "\n" for row in rows)
        with suppress(OSError):  # a note that could not be made only means that less is looked at
            make_private_folder(self._place)
            handle = os.open(self._place / _NAME, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                os.write(handle, text.encode())
            finally:
                os.close(handle)


def _hex(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _hash(path: Path, start: int, end: int) -> str | None:
    """The hash of a part of a file; None when it cannot be read."""
    found, left = hashlib.sha256(), end - start
    try:
        with path.open("rb") as file:
            file.seek(start)
            while left > 0 and (chunk := file.read(min(left, _CHUNK_BYTES))):
                found.update(chunk)
                left -= len(chunk)
    except OSError:
        return None
    return found.hexdigest()


def _line(path: Path, offset: int) -> int:
    """The number, from 1, of the line that begins at a byte. Counted only when a problem has to be named."""
    with path.open("rb") as file:
        return file.read(offset).count(b"\n") + 1
