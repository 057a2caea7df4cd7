"""Which memory is whose: kept in the user's state, outside every memory, since a memory can be copied.

Per memory one folder of the state, named by the hash of the memory's path:

    identity.json   the writer id, whether the memory was made here, and which file memory.toml was then
    trusted.jsonl   digests of records and events that were written or trusted here, a line each, only appended to

The fingerprint of memory.toml (inode and time of change of its bytes) tells a copy or a replacement from the memory
itself: then the writer is renewed and the memory is no longer ours. The digests stay with the path: they name exact
bytes, so nothing new can hide behind them. A folder that was moved takes both along.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Iterable

from memoranda.model import values
from memoranda.model.errors import Conflict, NotFound
from memoranda.model.values import dataclass
from memoranda.truth import places
from memoranda.truth.files import append, explained, make_private_folder, replace
from memoranda.truth.folder import MARK
from memoranda.truth.lock import WriteLock

_is_writer = re.compile(r"w[0-9a-f]{12}").fullmatch
_is_digest = re.compile(r"[0-9a-f]{64}").fullmatch


@dataclass(frozen=True, slots=True)
class _Identity:
    writer: str
    root: str
    device: int
    inode: int
    mtime_ns: int
    own: bool

    def same_file(self, other: _Identity) -> bool:
        return (self.inode, self.mtime_ns) == (other.inode, other.mtime_ns)


def writer_id(state: Path, root: Path) -> str:
    """This clone's writer id, `w` and 12 hex. Made at the first call, renewed when the folder is a copy.

    Raises `NotFound` when there is no memory at `root`, `Unavailable`.
    """
    return _known(state, root).writer


def _known(state: Path, root: Path) -> _Identity:
    """The identity of the memory at `root`. Nothing is written or locked for one that is known and unchanged, so that
    a memory can be read where nothing can be written; the file is only ever replaced whole."""
    known = _load(state_folder(state, root))
    if known and known.same_file(_look(root)):
        return known
    with _lock(state).hold():
        return _settle(state, root)


class Ledger:
    """What of one memory is trusted here. Reading it costs one small file, once."""

    def __init__(self, state: Path, root: Path) -> None:
        self._state = state
        self._root = root
        self._digests: set[str] | None = None

    @property
    def own(self) -> bool:
        """True when this memory was made here and is still that folder. Says nothing about what others put into it."""
        return _known(self._state, self._root).own

    def adopt_as_own(self) -> None:
        """Note that this memory was made here."""
        with _lock(self._state).hold():
            identity = _settle(self._state, self._root)
            if not identity.own:
                fresh = values.replace(identity, own=True)
                _save(state_folder(self._state, self._root), fresh)

    def knows(self, digest: str) -> bool:
        """True when the record or event with this full digest was written or trusted here."""
        if self._digests is None:
            self._digests = self._load()
        return digest in self._digests

    def trust(self, digests: Iterable[str]) -> None:
        """Add full digests, durable when this returns."""
        wanted = [digest for digest in dict.fromkeys(digests) if not self.knows(digest)]
        if not all(map(_is_digest, wanted)):
            raise Conflict("only full digests can be trusted", "a digest is 64 hex digits")
        if not wanted or self._digests is None:
            return
        lines = "".join(f'{{"digest":"{digest}"}}\n' for digest in wanted)
        with _lock(self._state).hold():
            _settle(self._state, self._root)
            append(state_folder(self._state, self._root), {"trusted.jsonl": lines.encode()}, private=True)
        self._digests.update(wanted)

    def _load(self) -> set[str]:
        _known(self._state, self._root)
        path = state_folder(self._state, self._root) / "trusted.jsonl"
        with explained(path):  # a line that is being written has no newline yet and does not count
            lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
        return {digest for line in lines if (digest := _digest(line))}


def _digest(line: bytes) -> str:
    try:
        row = json.loads(line)
        digest = row["digest"] if isinstance(row, dict) else ""
    except (ValueError, KeyError):
        return ""
    return digest if isinstance(digest, str) and _is_digest(digest) else ""


def _lock(state: Path) -> WriteLock:
    make_private_folder(state)
    make_private_folder(state / "memories")
    return WriteLock(state / "memories" / ".lock")


def state_folder(state: Path, root: Path) -> Path:
    """Where the user's state of the memory at `root` is kept; it need not be there yet."""
    return Path(places.state_folder(str(state), str(root)))


def _settle(state: Path, root: Path) -> _Identity:
    """The identity of the memory at `root`, made or renewed as needed. The state's lock is held."""
    place = state_folder(state, root)
    here = _look(root)
    known = _load(place)
    if known and known.same_file(here):
        return known
    if known is None:
        moved = _moved_from(state, here)
        if moved is not None:
            with explained(place):
                os.rename(moved[0], place)
            here = values.replace(here, writer=moved[1].writer, own=moved[1].own)
    make_private_folder(place)
    _save(place, here)
    return here


def _moved_from(state: Path, here: _Identity) -> tuple[Path, _Identity] | None:
    """The entry of a folder that is no longer at its path and whose memory.toml is the very file we look at."""
    for place in sorted((state / "memories").iterdir()):
        known = _load(place)
        if known and known.same_file(here) and known.device == here.device and not os.path.lexists(known.root):
            return place, known
    return None


def _look(root: Path) -> _Identity:
    """A new identity for what lies at `root`."""
    try:
        facts = os.stat(root / MARK)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound(f"there is no memory at {root}", "run `memoranda init`") from None
    real = os.path.realpath(root)
    return _Identity(f"w{os.urandom(6).hex()}", real, facts.st_dev, facts.st_ino, facts.st_mtime_ns, False)


def _load(place: Path) -> _Identity | None:
    """None when there is none, or what is there is damaged (then it is as if the folder were new)."""
    try:
        identity = _Identity(**json.loads((place / "identity.json").read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return identity if isinstance(identity.writer, str) and _is_writer(identity.writer) else None


def _save(place: Path, identity: _Identity) -> None:
    text = json.dumps(values.as_dict(identity), ensure_ascii=True, indent=1) + "\n"
    replace(place, "identity.json", text.encode(), private=True)
