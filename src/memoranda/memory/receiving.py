"""The part of the SDK that takes in what others share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable

from memoranda.memory import handing
from memoranda.memory.times import now

if TYPE_CHECKING:
    from memoranda.memory.receive import Receipt
    from memoranda.memory.store import Store


class Receiving:
    """Part of `Memory`."""

    _store: Store

    def receive(
        self,
        address: str,
        *,
        branch: str | None = None,
        dry_run: bool = False,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> Receipt:
        """Take in a teammate's records from a git repository, through the door, as foreign.

        `address` is `https://host/path`, `ssh://user@host/path`, `user@host:path`, or the path of a folder in a
        repository; `branch` a branch of it, left out whatever it has checked out. What is committed counts. Nothing
        that arrives enters core, and nothing of this memory is replaced or retired by it without a person. The same
        again brings nothing new; interrupting is safe. With `dry_run` nothing is written.

        Raises `Invalid`, `NotFound` where there is no memory, `Unavailable` when it cannot be fetched, `Busy`, and
        `Corrupt` when the bounds that a memory.toml sets cannot be read.
        """
        from memoranda.memory.receive import receive

        store = self._store.fresh()
        if not dry_run:
            store.recover()
        receipt = receive(store, address, branch, dry_run, now(), progress)
        store.hand_out(handing.of_receipt(store, receipt))
        return receipt
