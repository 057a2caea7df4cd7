"""Putting files aside that are not as we wrote them. Nothing is deleted here whose words are not kept elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

from memoranda.model.errors import Conflict
from memoranda.truth.files import (
    LOST,
    create,
    explained,
    lost_name,
    make_folders,
    read_capped,
    require_writable,
    sync_folder,
)
from memoranda.truth.folder import Folder
from memoranda.truth.lock import WriteLock


class Aside:
    """Moves for `adopt`, each under the write lock and only while the file is still the one that was read."""

    def __init__(self, folder: Folder, lock: WriteLock) -> None:
        self._folder = folder
        self._lock = lock

    def put(self, path: str, data: bytes) -> str:
        """Move a file to lost+found/; where it is now. Raises `Conflict` when its bytes are no longer `data`."""
        root = self._folder.root
        with self._lock.hold():
            self._require(path, data)
            with explained(root / path):
                make_folders(root, LOST, self._folder.private)
                place = lost_name(path)
                os.rename(root / path, root / place)
                self._synced(path)
                sync_folder(str(root / LOST), root)
        return place

    def restore(self, path: str, edited: bytes, original: bytes) -> str:
        """Put the original bytes back where they were edited; where the edited file is now. Raises as `put`."""
        with self._lock.hold():
            place = self.put(path, edited)
            create(self._folder.root, path, original, self._folder.private)
        return place

    def discard(self, path: str, data: bytes) -> None:
        """Remove a file every word of which a record holds. Raises as `put`."""
        with self._lock.hold():
            self._require(path, data)
            with explained(self._folder.root / path):
                os.unlink(self._folder.root / path)
                self._synced(path)

    def _require(self, path: str, data: bytes) -> None:
        root = self._folder.root
        require_writable(root)
        try:
            here = read_capped(root / path, len(data))
        except OSError:
            here = None
        if here != data:
            raise Conflict(f"{path} was changed since it was read", "look at it and adopt it again")

    def _synced(self, path: str) -> None:
        sync_folder(str(Path(self._folder.root / path).parent), self._folder.root)
