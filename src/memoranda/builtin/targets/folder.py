"""A published memory in a folder: a mounted disk, a shared drive, a stick.

A version is taken by linking its manifest to a name that must not exist yet, which one of two writers can do.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Iterator, Mapping

from memoranda.builtin.targets.layout import CARD, VERSIONS, in_order, manifests, version
from memoranda.model.errors import Conflict, Denied, NotFound, Offline
from memoranda.model.share import Head

_TEMP = ".tmp-"


def make(address: str, variables: Mapping[str, str]) -> FolderTarget:
    return FolderTarget(Path(address.removeprefix("file://")).expanduser())


class FolderTarget:
    """See `ports.ShareTarget`. Folders are 0700 and files 0600, whatever the umask."""

    def __init__(self, root: Path) -> None:
        self._root = Path(os.path.realpath(root))

    @property
    def address(self) -> str:
        return str(self._root)

    def head(self) -> Head | None:
        with self._reached():
            try:
                found = manifests(os.listdir(self._root / VERSIONS))
            except (FileNotFoundError, NotADirectoryError):
                if not self._root.parent.is_dir():
                    raise Offline(f"{self._root.parent} is not there", "is the disk mounted?") from None
                return None
            if not found:
                return None
            path = VERSIONS + found[0]
            return Head(_commit(path, (self._root / path).read_bytes()), path)

    def read(self, path: str, head: Head, into: Path) -> None:
        with self._reached():
            try:
                shutil.copyfile(self._root / path, into)
            except FileNotFoundError:
                raise NotFound(f"{path} is not at {self._root}", "was it moved while it was read?") from None

    def commit(self, files: Mapping[str, Path], head: Head | None, note: str) -> Head:
        if self.head() != head:
            raise Conflict(f"{self._root} has moved on")
        made = ""
        with self._reached():
            for path, file in in_order(files):
                temp = self._sent(path, file)
                try:
                    if path == CARD:
                        os.replace(temp, self._root / path)
                    else:
                        os.link(temp, self._root / path)
                except FileExistsError:
                    raise Conflict(f"{self._root} has moved on") from None
                finally:
                    with suppress(FileNotFoundError):
                        os.unlink(temp)
                _sync(temp.parent)
                made = path if path.startswith(VERSIONS) else made
            return Head(_commit(made, files[made].read_bytes()), made)

    def _sent(self, path: str, file: Path) -> Path:
        """The file under a name of its own beside its place, on the disk."""
        folder = self._root
        for part in ("", *path.split("/")[:-1]):
            folder = folder / part
            with suppress(FileExistsError):
                folder.mkdir(mode=0o700)
        temp = folder / f"{_TEMP}{os.getpid()}-{os.urandom(6).hex()}"
        handle = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "wb") as new, file.open("rb") as old:
            shutil.copyfileobj(old, new, 1 << 20)
            new.flush()
            os.fsync(new.fileno())
        return temp

    @contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except PermissionError as error:
            raise Denied(f"{self._root}: {error.strerror}", "ask its owner for the right to it") from error
        except OSError as error:
            raise Offline(f"{self._root}: {error.strerror}", "is the disk there, and not full?") from error


def _commit(path: str, manifest: bytes) -> str:
    """The version and what is in it: a folder that was made anew counts from one again."""
    return f"{version(path)}-{sha256(manifest).hexdigest()[:16]}"


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
