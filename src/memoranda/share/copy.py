"""What is known here of one target: the newest version it was seen at, and what is in its data files.

A folder of the user's cache. Everything in it came from immutable files and is kept under the commit or the name it
came from, so that it is fetched once; deleting the folder costs requests and nothing else.

    commits/<commit>/memory.lance/_versions/<manifest>   of the newest commit alone
    commits/<commit>/contents.json                       what that version says of itself
    ids/<part>.gz                                        the list of each data file
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Iterator

from memoranda.model.errors import Corrupt
from memoranda.model.share import Contents, Head, Part, Stamp
from memoranda.model.values import as_dict
from memoranda.ports.sharing import TABLE, RowTable, ShareTarget
from memoranda.share import ids as lists


class Copy:
    """The local knowledge of one target. Several processes may hold one: files appear whole, under final names."""

    def __init__(self, cache: Path, target: ShareTarget, table: RowTable) -> None:
        self.target, self.table = target, table
        self.root = cache / "shared" / sha256(target.address.encode()).hexdigest()[:24]

    def contents(self, head: Head) -> Contents:
        """What the version at `head` says of itself; one request when it is new here."""
        folder = self._folder(head)
        with suppress(FileNotFoundError, ValueError, KeyError, TypeError):
            return _read(json.loads((folder / "contents.json").read_text()))
        self.table_folder(head)
        return self._noted(head)

    def table_folder(self, head: Head) -> Path:
        """A folder that mirrors the table at `head`: its manifest, no data."""
        folder = self._folder(head) / TABLE
        place = self._folder(head) / head.manifest
        if not place.exists():
            self._fetch(head.manifest, head, place)
        return folder

    def ids(self, head: Head, contents: Contents) -> dict[str, str]:
        """Every id that is published, with its digest: one request for each data file that is new here."""
        found: dict[str, str] = {}
        for part in contents.parts:
            path = lists.path_of(part.name)
            place = self.root / path
            if not place.exists():
                self._fetch(path, head, place)
            try:
                found.update(lists.unpack(place.read_bytes()))
            except Corrupt:
                place.unlink(missing_ok=True)
                raise
        return found

    def data(self, head: Head, part: Part) -> Path:
        """Fetch a data file to where the table looks for it."""
        place = self.table_folder(head) / "data" / part.name
        if not place.exists():
            self._fetch(f"{TABLE}/data/{part.name}", head, place)
        return place

    def keep(self, head: Head, manifest: Path, new: dict[str, Path]) -> None:
        """After a push of ours: what was sent need not be fetched."""
        for path, file in new.items():
            self._written(self.root / path, file.read_bytes())
        self._written(self._folder(head) / head.manifest, manifest.read_bytes())
        self._noted(head)

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A new folder for what is being prepared, gone afterwards. What others left there when they died goes, too."""
        place = self.root / "scratch"
        self._make(place)
        for old in place.iterdir():
            pid = old.name.partition("-")[0]
            if pid.isdigit() and not _alive(int(pid)):
                shutil.rmtree(old, ignore_errors=True)
        mine = place / f"{os.getpid()}-{os.urandom(4).hex()}"
        mine.mkdir(mode=0o700)
        try:
            yield mine
        finally:
            shutil.rmtree(mine, ignore_errors=True)

    def _make(self, folder: Path) -> None:
        """A folder of the copy; nobody else may look into any of it."""
        if not self.root.is_dir():
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def _noted(self, head: Head) -> Contents:
        folder = self._folder(head)
        contents = self.table.describe(folder / TABLE, head.manifest.rpartition("/")[2])
        self._written(folder / "contents.json", json.dumps(_plain(contents)).encode())
        for other in folder.parent.iterdir():
            if other != folder:
                shutil.rmtree(other, ignore_errors=True)
        return contents

    def _written(self, place: Path, data: bytes) -> None:
        self._make(place.parent)
        temp = place.with_name(f".tmp-{os.getpid()}-{os.urandom(4).hex()}")
        temp.write_bytes(data)
        os.replace(temp, place)

    def _folder(self, head: Head) -> Path:
        return self.root / "commits" / sha256(head.commit.encode()).hexdigest()[:16]

    def _fetch(self, path: str, head: Head, place: Path) -> None:
        self._make(place.parent)
        temp = place.with_name(f".tmp-{os.getpid()}-{os.urandom(4).hex()}-{place.name[-40:]}")
        try:
            self.target.read(path, head, temp)
            os.replace(temp, place)
        finally:
            temp.unlink(missing_ok=True)


def _plain(contents: Contents) -> dict[str, object]:
    parts = [[part.name, part.rows] for part in contents.parts]
    return {"version": contents.version, "stamp": as_dict(contents.stamp), "parts": parts}


def _read(told: dict[str, object]) -> Contents:
    stamp, parts = told["stamp"], told["parts"]
    if not isinstance(stamp, dict) or not isinstance(parts, list) or not isinstance(told["version"], int):
        raise ValueError("not what is written here")
    return Contents(told["version"], Stamp(**stamp), tuple(Part(name, rows) for name, rows in parts))


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
