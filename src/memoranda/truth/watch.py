"""Whether anything under a memory was touched, asked of the kernel: free where a look costs 8 us a file.

Linux alone (inotify(7)), and there on file systems of this machine: a change made elsewhere to a shared one would not
be told. Everywhere else, and whenever the kernel cannot say, the answer is "perhaps", and everything is looked at.
What is written through a memory map is not told either; nothing that edits text files does that.
"""

from __future__ import annotations

import os
import select
import struct
import sys
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Callable, Iterable

#: File systems on which every change passes through this kernel.
_LOCAL = {"ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "tmpfs", "overlay", "zfs", "bcachefs"}

# <sys/inotify.h>
_MODIFY, _ATTRIB, _MOVED, _CREATE, _DELETE, _GONE = 0x2, 0x4, 0xC0, 0x100, 0x200, 0xC00
_FOLDER, _LOST = 0x40000000, 0xE000  # about a folder; an overflow, a watch that ended, a disk that was taken away
_ONLY_FOLDERS, _NO_LINKS = 0x1000000, 0x2000000
_TOUCHED = _MODIFY | _ATTRIB | _MOVED | _CREATE | _DELETE | _GONE
_NONBLOCK, _CLOEXEC = os.O_NONBLOCK, getattr(os, "O_CLOEXEC", 0)
_HEAD = struct.Struct("iIII")

#: More folders than this are not watched: a user has 8,192 watches by default on older kernels.
MOST_FOLDERS = 2000


class Watch:
    """Watches the folders under `root` that `below` names, all the way down, and `root` itself without what is in them.

    The order is: `arm`, then look at everything, and from then on `quiet` tells whether another look is needed.
    """

    def __init__(self, root: Path, below: Iterable[str]) -> None:
        self._root, self._below = str(root), tuple(below)
        self._handle = -1
        self._whole = False  # every folder there is, is watched
        self._missing: list[str] = []
        self._armed = False

    def arm(self) -> None:
        """From now on, notice what is touched. Without the means, `quiet` stays False."""
        if self._handle < 0 and not self._begin():
            return
        known = self._drained() is not None and self._whole and not any(map(os.path.isdir, self._missing))
        self._armed = self._handle >= 0 and (known or self._follow())

    def quiet(self) -> bool:
        """True when nothing was touched since `arm`; then it may be asked again. False until the next `arm`."""
        if self._armed:
            self._armed = self._drained() is False
        return self._armed

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
        self._handle, self._armed = -1, False

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()

    def _begin(self) -> bool:
        if not _local(self._root):
            return False
        calls = _calls()
        self._handle = calls[0](_NONBLOCK | _CLOEXEC) if calls else -1
        self._whole = False
        return self._handle >= 0

    def _drained(self) -> bool | None:
        """Read what was told: whether there was anything; None when it cannot be read, and watching is over."""
        told = False
        while True:
            try:
                data = os.read(self._handle, 65536)
            except BlockingIOError:
                return told
            except OSError:
                self.close()
                return None
            at, told = 0, True
            while at < len(data):
                watch, mask, _, length = _HEAD.unpack_from(data, at)
                at += _HEAD.size + length
                if watch < 0 or mask & (_FOLDER | _GONE | _LOST):
                    self._whole = False

    def _follow(self) -> bool:
        """Watch every folder there is. A folder that appears while this runs touches one that is watched already."""
        calls = _calls()
        assert calls is not None
        todo, seen = [self._root], set[str]()
        self._missing = []
        while todo:
            folder = todo.pop()
            seen.add(folder)
            if len(seen) > MOST_FOLDERS:
                self.close()
                return False
            if calls[1](self._handle, os.fsencode(folder), _TOUCHED | _ONLY_FOLDERS | _NO_LINKS) < 0:
                if os.path.isdir(folder) and not os.path.islink(folder):  # no watch left, or it may not be read
                    self.close()
                    return False
                self._missing.append(folder)
                continue
            if folder == self._root:
                todo += (f"{folder}/{name}" for name in self._below)
                continue
            with suppress(OSError), os.scandir(folder) as entries:
                todo += (f"{folder}/{entry.name}" for entry in entries if entry.is_dir(follow_symlinks=False))
        self._whole = True
        return True


class Bell:
    """Rings when something is touched in one of a few folders, not below them. `wait` sleeps in the kernel until then.

    Where the kernel does not tell, it rings after `DEAF_SECONDS`: whoever listens looks then, as if it had rung.
    """

    DEAF_SECONDS = 2.0

    def __init__(self, folders: Iterable[str]) -> None:
        """Folders that are not there are left out; of more than `MOST_FOLDERS` none is watched."""
        wanted = sorted(set(folders))
        calls = _calls()
        self._handle = calls[0](_NONBLOCK | _CLOEXEC) if calls and len(wanted) <= MOST_FOLDERS else -1
        for folder in wanted:
            if calls is None or self._handle < 0:
                break
            there = calls[1](self._handle, os.fsencode(folder), _TOUCHED | _ONLY_FOLDERS) >= 0
            if (not there and os.path.isdir(folder)) or (not _local(folder) and os.path.isdir(folder)):
                self.close()  # one that cannot be heard would be missed for good
                break

    def wait(self, seconds: float) -> bool:
        """Whether it rang before the time was over."""
        if self._handle < 0:
            time.sleep(min(seconds, self.DEAF_SECONDS))
            return True
        poll = select.poll()
        poll.register(self._handle, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
        self._handle = -1


@cache
def _calls() -> tuple[Callable[[int], int], Callable[[int, bytes, int], int]] | None:
    """inotify_init1 and inotify_add_watch of the C library; None where there is none."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        import ctypes

        library: Any = ctypes.CDLL(None, use_errno=True)
        begin, add = library.inotify_init1, library.inotify_add_watch
    except (ImportError, OSError, AttributeError):
        return None
    add.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_uint32)
    return begin, add


def _local(path: str) -> bool:
    """Whether a folder lies on a file system that only this kernel changes (proc(5), mountinfo)."""
    try:
        device = os.stat(path).st_dev
        name = f"{os.major(device)}:{os.minor(device)}"
        kinds = {}
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as mounts:
            for line in mounts:
                before, _, after = line.partition(" - ")
                kinds[before.split(" ", 3)[2]] = after.split(" ", 1)[0]
    except (OSError, IndexError, AttributeError):
        return False
    return kinds.get(name) in _LOCAL
