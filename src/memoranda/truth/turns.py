"""Turns files: appended to and never altered, read as a stream in bounded memory."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from stat import S_ISREG
from typing import BinaryIO, Callable, Iterator, Sequence

from memoranda.model.errors import Invalid, NotFound
from memoranda.model.outcome import Screened
from memoranda.model.problem import Problem
from memoranda.model.turn import Turn
from memoranda.model.world import TurnFile
from memoranda.truth.files import TEMP_PREFIX, append, explained, open_new, require_writable, sync, sync_folder
from memoranda.truth.folder import Folder, sorted_entries
from memoranda.truth.lines import parse_turn, print_turn
from memoranda.truth.lock import WriteLock
from memoranda.truth.names import harness_name, session_name
from memoranda.truth.sums import Sums

#: A longer line is neither written nor read; reading one costs about three times this in memory.
LINE_BYTES = 128 * 1024 * 1024
_CHUNK_BYTES = 1024 * 1024
#: Sessions whose file is kept at hand from one batch to the next; the others are looked for again.
_REMEMBERED = 10_000
_SUFFIX = ".turns.jsonl"
_month = re.compile(r"\d{4}-\d\d", re.ASCII).match
_is_path = re.compile(r"turns/[a-z0-9_-]+/[a-z0-9_-]+/\d{4}-\d\d/[^/]+\.turns\.jsonl", re.ASCII).fullmatch


class TurnStore:
    """The turns of one memory. `writer` is this clone's id; only files below it are appended to."""

    def __init__(self, folder: Folder, writer: str, lock: WriteLock, sums: Sums | None = None) -> None:
        self.folder = folder
        self.writer = writer
        self.lock = lock
        self._sums = sums
        self._paths: dict[tuple[str, str], str] = {}

    def append(self, turns: Sequence[Screened[Turn]]) -> list[TurnFile]:
        """Keep turns of one or several sessions, durable when this returns; the files they went to.

        Each turn has its `seq`, `captured` and a known place. A session's file is named for the month of its first
        turn here. On an error nothing of the batch is left behind (past 128 files: of the last group of 128).
        Raises `Invalid`, `Busy`, `Unavailable`.
        """
        pieces: dict[str, list[bytes]] = {}
        months: dict[str, list[str]] = {}
        if len(self._paths) >= _REMEMBERED:
            self._paths.clear()
        for screened in turns:
            turn = screened.value
            line = print_turn(turn)
            if turn.seq < 0 or not turn.captured or len(line) > LINE_BYTES:
                raise Invalid("a turn without seq or time of capture, or longer than 128 MiB, cannot be kept")
            pieces.setdefault(self._place(turn, months), []).append(line)
        with self.lock.hold():
            joined = {path: b"".join(lines) for path, lines in pieces.items()}
            facts = append(self.folder.root, joined, self.folder.private)
            if self._sums is not None:
                self._sums.note(joined, {path: fact.st_size for path, fact in facts.items()})
        return [_turn_file(path, fact) for path, fact in facts.items()]

    def files(self) -> Iterator[TurnFile]:
        """Every turns file of every writer, newest month first, then by path."""
        folders = [
            f"turns/{harness}/{writer}/{month}"
            for harness in self._names("turns")
            for writer in self._names(f"turns/{harness}")
            for month in self._names(f"turns/{harness}/{writer}")
        ]
        folders.sort()
        folders.sort(key=lambda folder: folder.rpartition("/")[2], reverse=True)
        for folder in folders:
            _, harness, writer, _ = folder.split("/")
            if not _is_path(f"{folder}/s{_SUFFIX}"):
                continue
            for entry in sorted_entries(self.folder.root, folder):  # on the way of every recall
                name = entry.name
                if not name.endswith(_SUFFIX) or name == _SUFFIX or not entry.is_file(follow_symlinks=False):
                    continue
                try:
                    facts = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                yield TurnFile(f"{folder}/{name}", harness, writer, facts.st_size, facts.st_mtime_ns)

    def read(self, path: str, start: int = 0) -> Iterator[tuple[Turn, int] | Problem]:
        """Turns of a file from byte `start` on, each with the offset after its line; a broken line is a problem.

        One line at a time is in memory. Raises `NotFound` when the file is gone, `Unavailable`.
        """
        if not _is_path(path):
            raise Invalid(f"{path[:80]!r} is not a turns file")
        place = self.folder.root / path
        with explained(place):
            try:
                file = place.open("rb", buffering=_CHUNK_BYTES)
            except FileNotFoundError:
                raise NotFound(f"{path} is gone", "run `memoranda check`") from None
        with file:
            file.seek(start)
            offset, ahead = start, 0
            while line := file.readline(LINE_BYTES + 1):
                ahead += 1
                if not line.endswith(b"\n"):
                    length, whole = _skip_line(file, len(line))
                    offset += length
                    if whole or length > LINE_BYTES:
                        yield self._problem(path, start, ahead, f"a line of {length} bytes", "it was skipped")
                    else:
                        hint = "the next capture moves what is there to lost+found"
                        yield self._problem(path, start, ahead, "the last line is cut short", hint)
                    continue
                offset += len(line)
                try:
                    turn = parse_turn(line)
                except ValueError as error:
                    yield self._problem(path, start, ahead, str(error), "restore the file from a backup")
                    continue
                yield turn, offset

    def rewrite(self, path: str, changed: Callable[[Turn], Screened[Turn] | None]) -> int:
        """Put other turns in place of those for which `changed` gives one; how many there were.

        The only exception to invariant 2, for redaction. Lines that stay keep their bytes, broken ones too. The new
        file takes the old one's place in one step, while the write lock keeps every writer out. The caller writes the
        events first and makes the index anew. Raises `Invalid`, `Busy`, `Unavailable`.
        """
        if not _is_path(path):
            raise Invalid(f"{path[:80]!r} is not a turns file")
        place, count = self.folder.root / path, 0
        with self.lock.hold(), explained(place):
            require_writable(self.folder.root)
            temp = f"{place.parent}/{TEMP_PREFIX}{os.getpid()}-{os.urandom(6).hex()}"
            fd = open_new(temp, self.folder.private)
            try:
                with place.open("rb", buffering=_CHUNK_BYTES) as old, os.fdopen(fd, "wb", _CHUNK_BYTES) as new:
                    for line in old:
                        other = _other(line, changed)
                        count += other is not None
                        new.write(line if other is None else other)
                    new.flush()
                    sync(new.fileno(), self.folder.root, path)
                if count:
                    os.replace(temp, place)
                    sync_folder(str(place.parent), self.folder.root)
                    if self._sums is not None:
                        self._sums.note_whole(self.folder.root, path)
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(temp)
        return count

    def session_files(self, harness: str, session: str) -> list[str]:
        """The files that hold a session, over all writers, sorted. Found by name alone."""
        return list(self.session_sizes(session, self.months(harness)))

    def session_sizes(self, session: str, months: Sequence[str]) -> dict[str, int]:
        """The files that hold a session in these folders of `months`, in their order, with their sizes in bytes."""
        name, root = session_name(session) + _SUFFIX, str(self.folder.root)
        sizes: dict[str, int] = {}
        for month in months:
            with suppress(OSError):
                facts = os.stat(f"{root}/{month}/{name}")
                if S_ISREG(facts.st_mode):
                    sizes[f"{month}/{name}"] = facts.st_size
        return sizes

    def months(self, harness: str) -> list[str]:
        """The folders that hold an agent's turns, of all writers, sorted. Who asks for many sessions lists them once:
        a writer that holds the lock is the only one to add one."""
        base = f"turns/{harness_name(harness)}"
        return [f"{base}/{writer}/{month}" for writer in self._names(base) for month in self._names(f"{base}/{writer}")]

    def _place(self, turn: Turn, months: dict[str, list[str]]) -> str:
        """The file of a turn's session. `months` are those of each agent as far as they were asked for."""
        key = (turn.harness, turn.session)
        path = self._paths.get(key)
        if path is None:
            if turn.harness not in months:
                months[turn.harness] = self.months(turn.harness)
            mine = f"turns/{harness_name(turn.harness)}/{self.writer}/"
            own = [month for month in months[turn.harness] if month.startswith(mine)]
            known = list(self.session_sizes(turn.session, own))
            month = turn.ts[:7] if _month(turn.ts) else turn.captured[:7]
            path = known[0] if known else f"{mine}{month}/{session_name(turn.session)}{_SUFFIX}"
            self._paths[key] = path
        return path

    def _names(self, folder: str) -> list[str]:
        entries = sorted_entries(self.folder.root, folder)
        return [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]

    def _problem(self, path: str, start: int, ahead: int, message: str, hint: str) -> Problem:
        return Problem(path, message, hint, self._lines_before(path, start) + ahead)

    def _lines_before(self, path: str, start: int) -> int:
        """Counted only when a problem has to be named."""
        count, left = 0, start
        with explained(path), open(self.folder.root / path, "rb") as file:
            while left > 0 and (chunk := file.read(min(left, _CHUNK_BYTES))):
                count += chunk.count(b"\n")
                left -= len(chunk)
        return count


def _other(line: bytes, changed: Callable[[Turn], Screened[Turn] | None]) -> bytes | None:
    try:
        other = changed(parse_turn(line))
    except ValueError:
        return None
    return None if other is None else print_turn(other.value)


def _skip_line(file: BinaryIO, length: int) -> tuple[int, bool]:
    """Read on to the end of a line; its whole length, and whether it ends in a newline."""
    while piece := file.readline(_CHUNK_BYTES):
        length += len(piece)
        if piece.endswith(b"\n"):
            return length, True
    return length, False


def _turn_file(path: str, facts: os.stat_result) -> TurnFile:
    _, harness, writer, _, _ = path.split("/")
    return TurnFile(path, harness, writer, facts.st_size, facts.st_mtime_ns)
