"""What earlier looks at anchored files found, so that a file that is as it was is not read again.

A verdict of *fresh* rests on the bytes of one file alone, and holds as long as its stamp: size, both times, inode. Any
other verdict on a file also rests on what git knows, and holds as long as the checkout's state too. A file that
changed just before it was looked at is looked at again, since its times may tick too coarsely to show the next change.
The folder lies in the user's cache and may be deleted at any time.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Mapping, NamedTuple

from memoranda.model.errors import MemorandaError
from memoranda.truth.files import make_private_folder, replace

FORMAT = 1
ABSENT = "absent"
#: Anchors that are remembered at most, and new ones after which a handle that stays open writes them down.
_MOST, OFTEN = 20_000, 256
#: Times of files tick coarsely (10 ms on Linux, 2 s on FAT).
_TICK_NS = 3_000_000_000
_BYTES = 64 << 20


class Seen(NamedTuple):
    """A look: at which files of which checkout (where it was, and where it moved), their stamps, and the checkout's
    state ("" where it plays no part)."""

    repo: str
    top: str
    paths: str
    stamps: str
    checkout: str
    state: str
    reason: str
    now: str


class Looked:
    """The last look at each anchored file, by anchor, kept in one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._entries: dict[str, Seen] | None = None
        self._new = 0

    def get(self, anchor: str) -> Seen | None:
        """What the last look at an anchor found."""
        return self._all().get(anchor)

    def put(self, anchor: str, seen: Seen) -> None:
        """Remember a look."""
        entries = self._all()
        if entries.pop(anchor, None) != seen:
            self._new += 1
        entries[anchor] = seen

    def save(self, at_least: int = 1) -> None:
        """Write down what is new, if it is that much. What cannot be written is looked at again another time."""
        if self._new < at_least:
            return
        self._new = 0
        kept = dict(list(self._all().items())[-_MOST:])
        text = json.dumps({"format": FORMAT, "looked": kept}, ensure_ascii=True, separators=(",", ":"))
        with suppress(MemorandaError, OSError):
            make_private_folder(self._path.parent)
            replace(self._path.parent, self._path.name, text.encode() + b"\n", private=True)

    def _all(self) -> dict[str, Seen]:
        if self._entries is None:
            self._entries = _load(self._path)
        return self._entries


def stamp(path: str) -> str:
    """Changes whenever the file may have; "absent" when there is none."""
    try:
        facts = os.stat(path)
    except OSError:
        return ABSENT
    return f"{facts.st_size}.{facts.st_mtime_ns}.{facts.st_ctime_ns}.{facts.st_ino}"


def sure(path: str) -> str:
    """A file's stamp if the next change is certain to change it, "" when it was changed only just now."""
    found = stamp(path)
    if found == ABSENT:
        return found
    _, modified, changed, _ = found.split(".")
    return found if time.time_ns() - max(int(modified), int(changed)) > _TICK_NS else ""


def _load(path: Path) -> dict[str, Seen]:
    """Nothing when there is no such file, or it is damaged, or of another format."""
    try:
        with path.open("rb") as file:
            found: Mapping[str, Any] = json.loads(file.read(_BYTES))
        if found["format"] != FORMAT:
            return {}
        return {k: Seen(*v) for k, v in found["looked"].items() if all(isinstance(part, str) for part in v)}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}
