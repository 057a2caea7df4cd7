"""What was handed out: hashed runs of words of every text that recall gave to a reader, kept in the user's state.

It is how our own words are known again when they come back through an agent. It holds hashes and never text, is cut
to its newer half when it grows past `MOST_BYTES`, and losing it loses nothing but that. One line a text:

    base64 of  kind (1: record, 2: turn), key (6 bytes), authority (1), seconds since 1970 (4), hashes (4 each)

The key is a record id's twelve digits, or a hash of a passage's place.
"""

from __future__ import annotations

import hashlib
import os
import struct
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from contextlib import suppress
from pathlib import Path
from typing import Iterable, Iterator

from memoranda.model.errors import MemorandaError
from memoranda.model.record import Authority
from memoranda.model.shingles import shingles
from memoranda.model.values import dataclass
from memoranda.truth.files import make_private_folder, read_capped, replace
from memoranda.truth.identity import state_folder

MOST_BYTES = 1 << 20
_NAME = "handed.b64"
_HEAD = struct.Struct("<B6sBI")
_RECORD, _TURN = 1, 2


@dataclass(frozen=True, slots=True)
class Handout:
    """One text that was handed out. `source` is a record id, "" for a passage of a turn; `at` seconds since 1970."""

    source: str
    key: bytes
    authority: Authority
    at: int
    hashes: frozenset[int]


class Handed:
    """The log beside one memory's identity. Nothing here raises: a log that cannot be read or written is empty."""

    def __init__(self, state: Path, root: Path) -> None:
        self._folder = state_folder(state, root)
        self._known: tuple[tuple[int, int, int], list[Handout]] | None = None

    def note(self, texts: Iterable[tuple[str, str, Authority]], at: int) -> None:
        """Keep what was handed out at `at`: (record id or place of a passage, text, authority). The first time of a
        text is the one that is kept."""
        there = {handout.key for handout in self.all()}
        lines = b""
        for source, text, authority in texts:
            kind, key = _key(source)
            hashes = sorted(shingles(text))
            if hashes and key not in there:
                there.add(key)
                row = _HEAD.pack(kind, key, authority, at) + struct.pack(f"<{len(hashes)}I", *hashes)
                lines += b64encode(row) + b"\n"
        if lines:
            with suppress(OSError, MemorandaError):
                self._append(lines)

    def all(self) -> list[Handout]:
        """Everything that is remembered, oldest first."""
        path = self._folder / _NAME
        try:
            facts = os.stat(path)
            stamp = (facts.st_size, facts.st_mtime_ns, facts.st_ino)
            if self._known is None or self._known[0] != stamp:
                self._known = (stamp, list(_parse(read_capped(path, 4 * MOST_BYTES) or b"")))
        except OSError:
            return []
        return self._known[1]

    def forget(self, sources: Iterable[str]) -> None:
        """Drop what was taken from these records or passages, as erasing them must."""
        gone = {_key(source)[1] for source in sources}
        with suppress(OSError, MemorandaError):
            data = read_capped(self._folder / _NAME, 4 * MOST_BYTES) or b""
            kept = [line for line in data.splitlines(True) if not any(h.key in gone for h in _parse(line))]
            replace(self._folder, _NAME, b"".join(kept), private=True)

    def _append(self, lines: bytes) -> None:
        make_private_folder(self._folder)
        path = self._folder / _NAME
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
        fd = os.open(path, flags, 0o600)
        try:
            os.write(fd, lines)  # one call, so that two writers never mix their lines; not synced: it may be lost
            facts = os.fstat(fd)
        finally:
            os.close(fd)
        size, known = facts.st_size, self._known
        if known is not None and known[0][0] + len(lines) == size:  # nobody else wrote: no need to read it all again
            self._known = ((size, facts.st_mtime_ns, facts.st_ino), [*known[1], *_parse(lines)])
        if size > MOST_BYTES:
            rows = (read_capped(path, 4 * MOST_BYTES) or b"").splitlines(True)
            while rows and sum(map(len, rows)) > MOST_BYTES // 2:
                rows = rows[len(rows) // 4 + 1 :]
            replace(self._folder, _NAME, b"".join(rows), private=True)


def _key(source: str) -> tuple[int, bytes]:
    if source.startswith("mem_") and len(source) == 16:
        with suppress(ValueError):
            return _RECORD, bytes.fromhex(source[4:])
    return _TURN, hashlib.blake2b(source.encode("utf-8", "surrogatepass"), digest_size=6).digest()


def _parse(data: bytes) -> Iterator[Handout]:
    for line in data.splitlines():
        try:
            row = b64decode(line, validate=True)
            kind, key, authority, at = _HEAD.unpack_from(row)
            count = (len(row) - _HEAD.size) // 4
            hashes = frozenset(struct.unpack_from(f"<{count}I", row, _HEAD.size))
            source = f"mem_{key.hex()}" if kind == _RECORD else ""
            yield Handout(source, key, Authority(authority), at, hashes)
        except (NotBase64, struct.error, ValueError):
            continue
