"""A disk on which case and composition of letters do not count, as on macOS: run as a program, it mounts itself.

usage: folding.py BACKING MOUNTPOINT

Names are kept decomposed (NFD) with the case they were made with; any case and form of them finds them, and O_EXCL
finds them there. What else a file system does is left to the one below. Needs mfusepy and libfuse.
"""

from __future__ import annotations

import os
import sys
from typing import Any
from unicodedata import normalize

import mfusepy


def same(name: str) -> str:
    return normalize("NFD", normalize("NFD", name).casefold())


class Folding(mfusepy.Operations):  # type: ignore[misc, unused-ignore]
    use_ns = True

    def __init__(self, root: str) -> None:
        self.root = root

    def _at(self, path: str) -> str:
        """Where a path really lies: each part as it was made, or as it would be."""
        place = self.root
        for part in path.strip("/").split("/"):
            if not part:
                continue
            exact = os.path.join(place, normalize("NFD", part))
            if not os.path.lexists(exact):
                wanted = same(part)
                for name in os.listdir(place) if os.path.isdir(place) else ():
                    if same(name) == wanted:
                        exact = os.path.join(place, name)
                        break
            place = exact
        return place

    def access(self, path: str, amode: int) -> int:
        if not os.access(self._at(path), amode):
            raise mfusepy.FuseOSError(13)
        return 0

    def getattr(self, path: str, fh: int | None = None) -> dict[str, Any]:
        found = os.lstat(self._at(path))
        names = ("st_mode", "st_nlink", "st_uid", "st_gid", "st_size", "st_ino", "st_blocks")
        times = {f"st_{which}time": getattr(found, f"st_{which}time_ns") for which in "amc"}
        return {name: getattr(found, name) for name in names} | times

    def readdir(self, path: str, fh: int) -> list[str]:
        return [".", "..", *os.listdir(self._at(path))]

    def mkdir(self, path: str, mode: int) -> int:
        os.mkdir(self._at(path), mode)
        return 0

    def rmdir(self, path: str) -> int:
        os.rmdir(self._at(path))
        return 0

    def unlink(self, path: str) -> int:
        os.unlink(self._at(path))
        return 0

    def rename(self, old: str, new: str) -> int:
        source, target = self._at(old), self._at(new)
        if source == target:  # another case of its own name
            target = os.path.join(os.path.dirname(target), normalize("NFD", os.path.basename(new)))
        os.rename(source, target)
        return 0

    def link(self, target: str, source: str) -> int:
        os.link(self._at(source), self._at(target))
        return 0

    def symlink(self, target: str, source: str) -> int:
        os.symlink(source, self._at(target))
        return 0

    def readlink(self, path: str) -> str:
        return os.readlink(self._at(path))

    def chmod(self, path: str, mode: int) -> int:
        os.chmod(self._at(path), mode)
        return 0

    def chown(self, path: str, uid: int, gid: int) -> int:
        os.chown(self._at(path), uid, gid)
        return 0

    def utimens(self, path: str, times: tuple[int, int] | None = None) -> int:
        os.utime(self._at(path), ns=times)
        return 0

    def create(self, path: str, mode: int, fi: Any = None) -> int:
        return os.open(self._at(path), os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)

    def open(self, path: str, flags: int) -> int:
        return os.open(self._at(path), flags & ~(os.O_CREAT | os.O_EXCL))

    def read(self, path: str, size: int, offset: int, fh: int) -> bytes:
        return os.pread(fh, size, offset)

    def write(self, path: str, data: bytes, offset: int, fh: int) -> int:
        return os.pwrite(fh, data, offset)

    def truncate(self, path: str, length: int, fh: int | None = None) -> int:
        os.truncate(fh if fh is not None else self._at(path), length)
        return 0

    def fsync(self, path: str, datasync: int, fh: int) -> int:
        os.fsync(fh)
        return 0

    def release(self, path: str, fh: int) -> int:
        os.close(fh)
        return 0

    def statfs(self, path: str) -> dict[str, int]:
        found = os.statvfs(self._at(path))
        names = (
            "f_bavail",
            "f_bfree",
            "f_blocks",
            "f_bsize",
            "f_favail",
            "f_ffree",
            "f_files",
            "f_frsize",
            "f_namemax",
        )
        return {name: getattr(found, name) for name in names}


if __name__ == "__main__":
    mfusepy.FUSE(Folding(os.path.realpath(sys.argv[1])), sys.argv[2], foreground=True, nothreads=True, hard_remove=True)
