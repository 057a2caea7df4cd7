"""Publishing a memory, and reading one that was published."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Callable, Iterable

from memoranda.memory.store import Store
from memoranda.memory.times import now
from memoranda.model.errors import Invalid, Unavailable
from memoranda.model.record import Channel

if TYPE_CHECKING:
    from memoranda.memory.receipts import Receipt
    from memoranda.model.share import Pushed


class Sharing:
    """Part of `Memory`."""

    _store: Store

    if TYPE_CHECKING:

        def embed(self, seconds: float | None = None) -> int: ...

    def push(
        self,
        target: str,
        *,
        create: bool = False,
        yes: bool = False,
        ask: Callable[[str], bool] | None = None,
        allow: Iterable[str] = (),
        embed_seconds: float | None = None,
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
            self.embed(embed_seconds)
        copy = targets.known(target, store.settings)
        source = Published(store)
        wish = Wish(create, yes, ask, allowed)
        pushed = push(source, copy, source.stamp(), lambda: Gate(store.screeners()), wish, now())
        receipts.write(store, pushed, now())
        return pushed

    def receipts(self) -> tuple[Receipt, ...]:
        """What was pushed from here, by target; asks nobody."""
        from memoranda.memory import receipts

        return receipts.read(self._store)
