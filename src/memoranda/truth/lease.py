"""Leases: who may work for long on something that several processes share.

The write lock is held for milliseconds; a job of minutes takes a lease instead. A lease is advisory until something is
written: then its token is checked under the write lock, so that a holder who slept past its time, while another took
over, is refused however late it wakes.

1. Every taking of a name gets a higher token than any before; the file is never deleted, so no token comes twice.
2. What `fenced` lets through was written by the holder of the newest token, before its time was over.
3. The time is only a hint for when to stop waiting. A clock that jumps can end a lease early or late; it can never let
   two holders write.
"""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Callable, Iterator

from memoranda.model.errors import Busy, Conflict, Invalid
from memoranda.model.values import dataclass
from memoranda.truth.files import explained, make_folders, read_capped, replace
from memoranda.truth.folder import Folder
from memoranda.truth.lock import WriteLock

FOLDER = ".leases"
_BYTES = 4096
_is_name = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}").fullmatch


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Lease:
    """What a holder was given. `until` is UTC ISO with microseconds; `token` grows with every taking of `name`."""

    name: str
    holder: str
    token: int
    until: str


class Leases:
    """The leases of one memory. Use the memory's own write lock, so that checking and writing are one step."""

    def __init__(self, folder: Folder, lock: WriteLock, clock: Callable[[], datetime] = _now) -> None:
        self._folder = folder
        self._lock = lock
        self._clock = clock

    def take(self, name: str, holder: str, lease_seconds: float) -> Lease:
        """The lease, with a new token. Raises `Busy` naming the holder while another's time runs, `Invalid`."""
        if not _is_name(name) or lease_seconds <= 0:
            raise Invalid("a lease has a name of [a-z0-9_-] and a time above zero")
        with self._lock.hold():
            last = self._read(name)
            if last and last.holder and self._runs(last):
                raise Busy(f"{name} is leased to {last.holder} until {last.until}", "try again after that")
            return self._write(name, holder, (last.token if last else 0) + 1, lease_seconds)

    def renew(self, lease: Lease, lease_seconds: float) -> Lease:
        """The same lease with its time counted from now, even if it had run out, as long as nobody took it since.

        Raises `Conflict` when somebody did.
        """
        with self._lock.hold():
            self._require_newest(lease)
            return self._write(lease.name, lease.holder, lease.token, lease_seconds)

    def release(self, lease: Lease) -> None:
        """Let go, so that others need not wait. Harmless when it was lost meanwhile."""
        with self._lock.hold():
            last = self._read(lease.name)
            if last and last.token == lease.token and last.holder:
                self._write(lease.name, "", lease.token, 0.0)

    @contextmanager
    def fenced(self, lease: Lease) -> Iterator[None]:
        """Hold the write lock with a lease that is good at that moment. Raises `Conflict` when it is not."""
        with self._lock.hold():
            last = self._require_newest(lease)
            if not self._runs(last):
                raise Conflict(f"the lease on {lease.name} ran out at {last.until}", "renew it, or take it again")
            yield

    def _require_newest(self, lease: Lease) -> Lease:
        last = self._read(lease.name)
        if last is None or last.token != lease.token or not last.holder:
            now = f"token {last.token}" if last else "nothing"
            raise Conflict(
                f"the lease on {lease.name} (token {lease.token}) is no longer held: the newest is {now}",
                "take it again and look at what was written since",
            )
        return last

    def _runs(self, lease: Lease) -> bool:
        return self._clock() < datetime.fromisoformat(lease.until)

    def _read(self, name: str) -> Lease | None:
        path = self._folder.root / FOLDER / f"{name}.json"
        with explained(path):
            try:
                data = read_capped(path, _BYTES)
            except FileNotFoundError:
                return None
        try:
            row = json.loads(data or b"")
            datetime.fromisoformat(row["until"])
            return Lease(name, str(row["holder"]), int(row["token"]), row["until"])
        except (ValueError, KeyError, TypeError):
            raise Conflict(f"{FOLDER}/{name}.json is damaged", "stop all writers, then delete that file") from None

    def _write(self, name: str, holder: str, token: int, lease_seconds: float) -> Lease:
        until = (self._clock() + timedelta(seconds=lease_seconds)).isoformat()
        row = {"holder": holder, "token": token, "until": until}
        with explained(self._folder.root / FOLDER):
            make_folders(self._folder.root, FOLDER, self._folder.private)
        replace(self._folder.root / FOLDER, f"{name}.json", json.dumps(row).encode() + b"\n", self._folder.private)
        return Lease(name, holder, token, until)
