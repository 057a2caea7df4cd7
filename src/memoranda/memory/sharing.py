"""Publishing a memory, and reading one that was published."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterable, Sequence

from memoranda.memory import settings as environment
from memoranda.memory.store import Store
from memoranda.memory.times import now
from memoranda.model.errors import Conflict, Invalid, NotFound, Offline, Unavailable
from memoranda.model.record import Channel, Door
from memoranda.model.settings import Settings

if TYPE_CHECKING:
    from memoranda.memory.memory import Memory
    from memoranda.memory.receipts import Receipt
    from memoranda.memory.scrub import Scrub
    from memoranda.model.problem import Problem
    from memoranda.model.share import Pushed

Progress = Callable[[str, int, int], None]


class Sharing:
    """Part of `Memory`."""

    _store: Store

    if TYPE_CHECKING:

        def embed(self, seconds: float | None = None, progress: Progress | None = None) -> int: ...

    @classmethod
    def shared(cls, address: str, *, settings: Settings | None = None, door: Door | None = None) -> Memory:
        """A published memory, to read from. The target is asked when something is asked of it, at every recall anew.

        Raises `Invalid` for what is no address, `Unavailable` naming the extra that is not installed.
        """
        from memoranda.memory import targets
        from memoranda.memory.remote import RemoteStore

        chosen = settings or environment.load()
        make: Any = cls
        memory: Memory = make(RemoteStore(targets.known(address, chosen), chosen, door or Door(Channel.AGENT, None)))
        return memory

    def _asked(self, also: Sequence[Memory]) -> list[Store]:
        """The memories of one recall, ready to be read. One that nobody answers for, and of which there is no copy
        here, is left out and named; when none is left, this user's own memory answers. Raises `Offline` without one.
        """
        ready: list[Store] = []
        missing: list[Offline] = []
        for store in (self._store, *(memory._store for memory in also)):
            store.notices = ()
            try:
                ready.append(store.ready())
            except Offline as error:
                missing.append(error)
        if not missing:
            return ready
        said = [f"not searched: {error.message}" for error in missing]
        if not ready:
            own = self._store.instead()
            if own is None:
                raise missing[0]
            ready.append(own.ready())
            said.append("these hits are from your own memory")
        ready[0].notices = (*ready[0].notices, *said)
        return ready

    def push(
        self,
        target: str,
        *,
        create: bool = False,
        yes: bool = False,
        ask: Callable[[str], bool] | None = None,
        allow: Iterable[str] = (),
        embed_seconds: float | None = None,
        progress: Progress | None = None,
    ) -> Pushed:
        """Publish what may leave and is not at `target` yet, as one commit; again, it sends what came since.

        `create` agrees to make a memory where none is (private), `yes` to add to one that holds nothing of this one;
        without them `ask` is asked, if given. `allow` names rules of personal details that a person says may leave.
        Passages get their vectors first, within `embed_seconds` (None: all of them). Raises `NotFound`, `Conflict`,
        `Busy`, `Offline`, `Denied`, and `Unavailable` when the gate cannot be sure; then nothing has left.
        """
        from memoranda.memory import receipts, targets
        from memoranda.memory.publishing import Published
        from memoranda.share.gate import Gate
        from memoranda.share.push import Wish, push

        store = self._store.fresh()
        allowed = frozenset(allow)
        if allowed and store.door.channel is not Channel.DIRECT_SESSION:
            raise Invalid("only a person can say that personal details may leave", "run the command yourself")
        store.quick_sync()
        with suppress(Unavailable):
            self.embed(embed_seconds, progress)
        copy = targets.known(target, store.settings)
        source = Published(store)
        wish = Wish(create, yes, ask, allowed)
        pushed = push(source, copy, source.stamp(), lambda: Gate(store.screeners()), wish, now())
        receipts.write(store, pushed, now())
        return pushed

    def scrub(self, *, apply: bool = True, keep: Iterable[str] = ()) -> Scrub:
        """Take out of the turns kept here what would keep them from leaving; with `apply` False only look.

        Words that are cut out are gone here for good. `keep` names rules that stay, as `push(allow=…)` lets them
        leave. Nothing that was published is reached. Raises `Busy`, `Unavailable`.
        """
        from memoranda.memory.scrub import scrub

        return scrub(self._store.fresh(), frozenset(keep), apply)

    def receipts(self) -> tuple[Receipt, ...]:
        """What was pushed from here, by target; asks nobody."""
        from memoranda.memory import receipts

        return receipts.read(self._store)

    def pull(self, folder: Path | str) -> tuple[int, tuple[Problem, ...]]:
        """Rebuild the files of a published memory in a new folder; how many rows there were, and what was left out.

        Turns go to the files they came from, in their order, so that a file of which every turn was published is the
        same to the byte. What is rebuilt is a stranger's memory until it is trusted. Raises `Conflict` for a folder
        that is there, `NotFound`, `Offline`, `Denied`.
        """
        from memoranda.memory.pulling import rebuild
        from memoranda.memory.remote import RemoteStore

        if not isinstance(self._store, RemoteStore):
            raise Invalid("only a published memory is pulled", "memoranda pull <address> <folder>")
        copy = self._store.copy
        head = copy.target.head()
        if head is None:
            raise NotFound(f"there is no memory at {self._store.name}", "is the address right?")
        place = Path(folder)
        if place.exists():
            raise Conflict(f"{place} is there already", "name a folder that is not")
        return rebuild(copy, head, place, self._store.screeners())
