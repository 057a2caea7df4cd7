"""A published memory, read like any other: through a copy in the user's cache that follows the target.

What stands at the target is asked once at the beginning of a reading; the copy is brought to it, and nobody may change
the copy until the reading is over. So an answer is of one version, and a version that is here already costs the one
question and nothing else. All of it is a stranger's word (foreign), and nothing can be written here.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Iterable, Iterator, Sequence

from memoranda.index import Index
from memoranda.index.vectors import VectorCache
from memoranda.memory.pending import PendingText
from memoranda.memory.store import Store
from memoranda.memory.times import now
from memoranda.model.errors import Conflict, Invalid, NotFound, Offline, Unavailable
from memoranda.model.problem import Problem
from memoranda.model.record import Authority, Door
from memoranda.model.settings import Settings
from memoranda.model.share import Head, Stamp
from memoranda.model.values import replace
from memoranda.ports import discover
from memoranda.share import arrive
from memoranda.share.copy import Copy
from memoranda.share.hold import Hold
from memoranda.truth import arrived
from memoranda.truth.folder import MARK
from memoranda.truth.handed import Handed
from memoranda.truth.lock import WriteLock
from memoranda.truth.records import RecordStore

_TOGETHER = 4096


class RemoteStore(Store):
    """The rooms of a copy, wired. `notices` say how current it is."""

    def __init__(self, copy: Copy, settings: Settings, door: Door) -> None:
        copy.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        arrived.made(copy.root / "memory")
        super().__init__(copy.root / "memory", replace(settings, commit=False), door)
        self.copy, self.address = copy, copy.target.address
        self.lock = _Shut(self.address)
        self.records = RecordStore(self.folder, self.lock)
        self._instead: Store | None = None
        self._reached = False
        self.problems: tuple[Problem, ...] = ()
        self._hold = Hold(copy.root / "lock", settings.lock_seconds)
        # Vectors that came from others never meet those that this user's model made.
        self._vectors = copy.root / "vectors"
        self.index = Index(
            self.folder.root / ".index",
            discover.load("index_backends", self.settings.backend),
            self._open_embedder if self.settings.embedder else None,
            self._vectors,
            self.settings.lock_seconds,
        )

    @property
    def name(self) -> str:
        return self.address

    @cached_property
    def own(self) -> bool:
        return False

    @cached_property
    def handed(self) -> Handed:
        """What is read here comes back through this user's agents: their own memory must know it again."""
        return Handed(self.settings.state, self.settings.home)

    # -- reading

    def fresh(self) -> Store:
        """Ask the target when nobody has yet: whatever is read first, it is what stands there now."""
        if not self._reached:
            self._reach()
        return super().fresh()

    def ready(self) -> Store:
        """Ask the target, bring the copy to what it says, and hold it until `hand_out`.

        Raises `NotFound` when nothing is there, `Denied`, and `Offline` when nobody answers and there is no copy yet.
        """
        self._reach()
        self._hold.read()
        return super().ready()

    def _reach(self) -> None:
        self._hold.let_go()
        self._reached, self.notices = True, ()
        was = arrive.state(self.copy.root)
        try:
            head = self.copy.target.head()
            if head is None:
                raise NotFound(
                    f"there is no memory at {self.name}",
                    f"is the address right? to make one: memoranda push {self.name} --create",
                )
            if was.commit != head.commit:
                self._follow(head)
        except Offline as error:
            if not was.commit:
                raise Offline(f"{error.message}, and there is no copy of it here yet", error.hint) from None
            when = f"as it was seen at {was.checked}" if was.checked else "as it was last seen"
            self.notices = (f"{error.message}: answered from the copy here, {when}",)
        if not arrive.state(self.copy.root).rows:
            self.notices = (*self.notices, f"{self.name} is empty: nothing has been pushed to it")

    def hand_out(self, texts: Iterable[tuple[str, str, Authority]]) -> None:
        """The reading is over."""
        super().hand_out(texts)
        self._hold.let_go()

    def instead(self) -> Store | None:
        """This user's own memory, None without one: what answers when nobody else does."""
        if self._instead is None and (self.settings.home / MARK).exists():
            self._instead = Store(self.settings.home.resolve(), self.settings, self.door)
        return self._instead

    def close(self) -> None:
        super().close()
        self._hold.let_go()
        if self._instead is not None:
            self._instead.close()

    def _follow(self, head: Head) -> None:
        """Take in what is new, words and vectors, so that whoever reads next need not."""
        with self._hold.change():
            if arrive.state(self.copy.root).commit == head.commit:  # another process was first
                return
            came = _Came(self._vectors, self.copy.contents(head).stamp)
            self.problems = arrive.arrive(self.copy, head, self.screeners(), came.keep, now())
            came.flush()
            self.fresh().index.sync(self, self.wanted)
            with suppress(Unavailable, Conflict):
                self.index.embed(PendingText(self), self.settings.embed_seconds)


class _Shut(WriteLock):
    """The write lock of a memory in which nobody here may write."""

    shut = True

    def __init__(self, address: str) -> None:
        super().__init__(Path(os.devnull), 0.0)
        self._address = address

    @contextmanager
    def hold(self) -> Iterator[None]:
        raise Invalid(f"{self._address} is only read from here", "write into your own memory and push it")
        yield


class _Came:
    """Vectors that came, gathered and put by many at once; none unless all of a row's are as wide as they should be."""

    def __init__(self, folder: Path, stamp: Stamp) -> None:
        self._cache = VectorCache(folder, stamp.embedder, stamp.dims) if stamp.dims else None
        self._bytes = stamp.dims * 4
        self._waiting: dict[str, memoryview] = {}

    def keep(self, hashes: Sequence[str], vectors: memoryview) -> None:
        whole = vectors.cast("B")
        if self._cache is None or len(whole) != len(hashes) * self._bytes:
            return
        for number, content in enumerate(hashes):
            self._waiting[content] = whole[number * self._bytes : (number + 1) * self._bytes]
        if len(self._waiting) >= _TOGETHER:
            self.flush()

    def flush(self) -> None:
        if self._cache is not None and self._waiting:
            self._cache.put(self._waiting)
        self._waiting = {}
