"""Evidence on disk: bytes stored once under their SHA-256, never edited, and a small TOML file of facts beside them.

What this file promises:

1. A blob appears under its name only whole, synced, and with the bytes that the name says.
2. The bytes come before the facts, the facts before the event: whoever finds facts finds bytes, unless a drop said
   otherwise.
3. Only what passed the screen is written; the value's type says so.

Bytes are copied outside the write lock, which is held only to publish them: a film must not keep others waiting.
"""

from __future__ import annotations

import errno
import hashlib
import mmap
import os
import re
import stat
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any, Iterator

from memoranda.model.errors import Conflict, Corrupt, Invalid, NotFound
from memoranda.model.evidence import Exhibit, Retention
from memoranda.model.fragment import Extent
from memoranda.model.outcome import Screened
from memoranda.model.problem import Problem
from memoranda.model.values import replace
from memoranda.truth import files
from memoranda.truth.folder import Folder, sorted_entries
from memoranda.truth.lock import WriteLock

FACTS_BYTES = 256 * 1024
_BLOCK_BYTES = 4 * 1024 * 1024
_ALIGNED = 4096  # what unbuffered writes have to be a multiple of
_is_hash = re.compile(r"[0-9a-f]{64}").fullmatch
_OPTIONAL = ("principal", "until")
_ESCAPES = {'"': '\\"', "\\": "\\\\"}


class EvidenceStore:
    """The evidence of one memory."""

    def __init__(self, folder: Folder, lock: WriteLock) -> None:
        self.folder = folder
        self.lock = lock

    def path(self, sha256: str) -> Path:
        """Where the bytes of that hash lie, or would."""
        return self.folder.root / _place(sha256)

    def size(self, sha256: str) -> int | None:
        """The size of the bytes that are here, None when they are not."""
        try:
            facts = os.lstat(self.path(sha256))
        except (FileNotFoundError, NotADirectoryError):
            return None
        return facts.st_size if stat.S_ISREG(facts.st_mode) else None

    def facts(self, sha256: str) -> Exhibit | None:
        """What is written beside the bytes, whether they are still here or not. Raises `Corrupt`, `Unavailable`."""
        place = f"{_place(sha256)}.toml"
        with files.explained(place):
            try:
                data = files.read_capped(self.folder.root / place, FACTS_BYTES)
            except (FileNotFoundError, NotADirectoryError):
                return None
        try:
            return parse_facts(data or b"", sha256)
        except ValueError as error:
            raise Corrupt(f"{place} is damaged: {error}", "restore it from a backup") from None

    def find(self, prefix: str) -> Exhibit:
        """The exhibit whose hash begins so (at least six digits). Raises `NotFound`, `Invalid` when several do."""
        digits = prefix.removeprefix("evidence:").removeprefix("sha256:").partition("#")[0].lower()
        if not re.fullmatch(r"[0-9a-f]{6,64}", digits):
            raise Invalid(f"{prefix[:80]!r} names no evidence", "give sha256: and at least six hex digits")
        found = [sha for sha in self.hashes(digits[:2]) if sha.startswith(digits)]
        if len(found) > 1:
            raise Invalid(f"{digits} names {len(found)} exhibits", "give more digits")
        exhibit = self.facts(found[0]) if found else None
        if exhibit is None:
            raise NotFound(f"there is no evidence {digits[:12]}", "memoranda evidence list")
        return exhibit

    def hashes(self, beginning: str = "") -> Iterator[str]:
        """The hashes that have facts here, sorted; with `beginning` (two digits) those below one folder."""
        folders = [e.name for e in sorted_entries(self.folder.root, "evidence/sha256") if len(e.name) == 2]
        for folder in folders:
            if folder.startswith(beginning):
                for entry in sorted_entries(self.folder.root, f"evidence/sha256/{folder}"):
                    if entry.name.endswith(".toml") and _is_hash(entry.name[:-5]):
                        yield entry.name[:-5]

    def all(self) -> tuple[list[Exhibit], list[Problem]]:
        """Every exhibit by hash, and the facts that cannot be read."""
        exhibits, problems = [], []
        for sha in self.hashes():
            try:
                found = self.facts(sha)
            except Corrupt as error:
                problems.append(Problem(f"{_place(sha)}.toml", error.message, error.hint))
                continue
            exhibits += [found] if found is not None else []
        return exhibits, problems

    def add(self, source: Path, screened: Screened[Exhibit]) -> Exhibit:
        """Keep a copy of the bytes at `source`, durable with their facts when this returns.

        They are hashed on the way and compared with the hash that was looked at. Raises `Conflict` when the source
        changed since, `Busy`, `Unavailable`; then nothing is left behind.
        """
        exhibit = replace(screened.value, screened=screened.rules)
        root, place = self.folder.root, _place(exhibit.sha256)
        files.require_writable(root)
        with files.explained(root / place):
            folder = files.make_folders(root, place.rpartition("/")[0], self.folder.private)
            self._sweep()
            if self.size(exhibit.sha256) is None:
                self._copy(source, exhibit, f"{folder}/{exhibit.sha256}")
            with self.lock.hold():
                self._write_facts(exhibit)
        return exhibit

    def drop(self, sha256: str) -> bool:
        """Delete the bytes; their facts stay, so that it can be said what is gone. False when they were not here."""
        place = self.path(sha256)
        files.require_writable(self.folder.root)
        with self.lock.hold(), files.explained(place):
            try:
                os.unlink(place)
            except FileNotFoundError:
                return False
            files.sync_folder(str(place.parent), self.folder.root)
        return True

    def _copy(self, source: Path, exhibit: Exhibit, final: str) -> None:
        root = self.folder.root
        temp = f"{root}/evidence/{files.TEMP_PREFIX}{os.getpid()}-{os.urandom(6).hex()}"
        fd = files.open_new(temp, self.folder.private)
        try:
            try:
                digest = copy_hashed(source, fd)
                if digest != exhibit.sha256:
                    raise Conflict(f"{exhibit.name} changed while it was read", "try again when nobody writes it")
                files.sync(fd, root, exhibit.sha256)
            finally:
                os.close(fd)
            with self.lock.hold():
                if self.size(exhibit.sha256) is None:
                    os.rename(temp, final)
                    files.sync_folder(final.rpartition("/")[0], root)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temp)

    def _write_facts(self, exhibit: Exhibit) -> None:
        """New, or in place of those of bytes that were dropped and come back."""
        place = f"{_place(exhibit.sha256)}.toml"
        data = print_facts(exhibit)
        folder = str((self.folder.root / place).parent)
        temp = f"{self.folder.root}/evidence/{files.TEMP_PREFIX}{os.getpid()}-{os.urandom(6).hex()}"
        fd = files.open_new(temp, self.folder.private)
        try:
            try:
                files.write_all(fd, data)
                files.sync(fd, self.folder.root, place)
            finally:
                os.close(fd)
            os.replace(temp, self.folder.root / place)
            files.sync_folder(folder, self.folder.root)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temp)

    def _sweep(self) -> None:
        """Copies that a killed process left unfinished: their source lies elsewhere, so they are deleted."""
        for entry in sorted_entries(self.folder.root, "evidence"):
            pid = entry.name.removeprefix(files.TEMP_PREFIX).partition("-")[0]
            if entry.name.startswith(files.TEMP_PREFIX) and pid.isdigit() and not _lives(int(pid)):
                with suppress(FileNotFoundError):
                    os.unlink(entry.path)


def fingerprint(source: Path) -> tuple[str, int]:
    """SHA-256 and size of a regular file, read as a stream. Raises `NotFound`, `Invalid`, `Unavailable`."""
    with files.explained(source):
        try:
            if not stat.S_ISREG(os.stat(source).st_mode):
                raise Invalid(f"{source} is no regular file", "evidence is a file")
            with source.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest(), file.tell()
        except FileNotFoundError:
            raise NotFound(f"{source} is not there", "check the path") from None


def copy_hashed(source: Path, fd: int) -> str:
    """Copy a file to a descriptor in fixed memory; the SHA-256 of what was written.

    Whole blocks go past the page cache where the system lets them: 1,074 MB took 1.9 s instead of 11 (ext4, a
    busy machine), and nothing else is pushed out of memory.
    """
    digest = hashlib.sha256()
    buffer = memoryview(mmap.mmap(-1, _BLOCK_BYTES))  # begins at a page, as unbuffered writing wants it
    direct = _direct(fd, True)
    with source.open("rb", buffering=0) as file:
        while count := file.readinto(buffer):
            block = buffer[:count]
            digest.update(block)
            if direct and count % _ALIGNED:
                direct = _direct(fd, False)
            try:
                files.write_all(fd, block)
            except OSError as error:
                if not direct or error.errno != errno.EINVAL or os.lseek(fd, 0, os.SEEK_CUR) % _BLOCK_BYTES:
                    raise
                direct = _direct(fd, False)
                files.write_all(fd, block)
    return digest.hexdigest()


def _direct(fd: int, on: bool) -> bool:
    """Switch unbuffered writing on or off; whether it is on now."""
    flag = getattr(os, "O_DIRECT", 0)
    if not flag:
        return False
    import fcntl

    flags = fcntl.fcntl(fd, fcntl.F_GETFL)
    try:
        fcntl.fcntl(fd, fcntl.F_SETFL, flags | flag if on else flags & ~flag)
    except OSError:
        return False
    return on


def print_facts(exhibit: Exhibit) -> bytes:
    """The facts as TOML: docs/format.md, section *Evidence*."""
    extent = exhibit.extent
    rows = [
        ("format", "1"),
        ("sha256", _quote(exhibit.sha256)),
        ("bytes", str(exhibit.size)),
        ("media_type", _quote(exhibit.media_type)),
        ("name", _quote(exhibit.name)),
        ("origin", _quote(exhibit.origin)),
        ("principal", _quote(exhibit.principal)),
        ("created", _quote(exhibit.created)),
        ("retention", _quote(exhibit.retention)),
        ("until", _quote(exhibit.until)),
        ("screened", _quote(exhibit.screened)),
        ("microseconds", str(extent.micros or "")),
        ("width", str(extent.width or "")),
        ("height", str(extent.height or "")),
        ("chars", str(extent.chars or "")),
        ("pages", _runs(extent.pages) if extent.pages else ""),
        (
            "other",
            "[" + ", ".join(f"[{_quote(k)}, {_quote(v)}]" for k, v in extent.other) + "]" if extent.other else "",
        ),
    ]
    wanted = ((key, value) for key, value in rows if value and (value != '""' or key not in _OPTIONAL))
    return "".join(f"{key} = {value}\n" for key, value in wanted).encode()


def parse_facts(data: bytes, sha256: str) -> Exhibit:
    """Raises `ValueError` saying what is wrong."""
    try:
        row = tomllib.loads(data.decode())
        if row["sha256"] != sha256:
            raise ValueError("it names another hash")
        extent = Extent(
            micros=_number(row, "microseconds"),
            width=_number(row, "width"),
            height=_number(row, "height"),
            pages=tuple((int(w), int(h)) for w, h, count in row.get("pages", ()) for _ in range(min(count, 100_000))),
            chars=_number(row, "chars"),
            other=tuple((str(k), str(v)) for k, v in row.get("other", ())),
        )
        words = {key: str(row.get(key, "")) for key in ("principal", "until")}
        return Exhibit(
            sha256=sha256,
            size=_number(row, "bytes"),
            media_type=str(row["media_type"]),
            name=str(row["name"]),
            origin=str(row["origin"]),
            created=str(row["created"]),
            retention=Retention(row["retention"]),
            screened=str(row["screened"]),
            extent=extent,
            **words,
        )
    except KeyError as error:
        raise ValueError(f"{error.args[0]} is missing") from None
    except (TypeError, UnicodeDecodeError) as error:
        raise ValueError(type(error).__name__) from None


def _place(sha256: str) -> str:
    if not _is_hash(sha256):
        raise Invalid(f"{sha256[:80]!r} is no SHA-256", "64 lower-case hex digits")
    return f"evidence/sha256/{sha256[:2]}/{sha256}"


def _number(row: dict[str, Any], key: str) -> int:
    value = row.get(key, 0)
    if type(value) is not int or value < 0:
        raise ValueError(f"{key} is not a number from 0")
    return value


def _runs(pages: tuple[tuple[int, int], ...]) -> str:
    """Page sizes as [width, height, how many], runs together: a book has one size a thousand times."""
    runs: list[list[int]] = []
    for width, height in pages:
        if runs and runs[-1][:2] == [width, height]:
            runs[-1][2] += 1
        else:
            runs.append([width, height, 1])
    return str(runs)


def _quote(text: str) -> str:
    """A TOML basic string on one line."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(char: str) -> str:
    if char in _ESCAPES or char.isprintable():
        return _ESCAPES.get(char, char)
    if 0xD800 <= ord(char) <= 0xDFFF:  # half of a pair, as in a file name that is no UTF-8
        return "\ufffd"
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
