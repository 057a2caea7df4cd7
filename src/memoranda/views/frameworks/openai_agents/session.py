"""The OpenAI Agents SDK's `Session`: a conversation kept as turns, which recall finds afterwards.

It is the SDK's protocol by its form alone, so nothing of the SDK is imported. History is never altered: what is popped
or cleared is marked so by a turn of its own, and stays recallable.
"""

from __future__ import annotations

from datetime import UTC, datetime
from threading import RLock
from typing import TYPE_CHECKING, Any, Awaitable, Callable, Sequence
from uuid import uuid4

from memoranda.model.errors import Invalid
from memoranda.ports.reading import identifier
from memoranda.views.frameworks.openai_agents.items import (
    CLEARED,
    HARNESS,
    POPPED,
    Item,
    item_of,
    living,
    mark_of,
    turn_of,
)
from memoranda.views.frameworks.voice import agents_only

if TYPE_CHECKING:
    from memoranda.memory.memory import Memory
    from memoranda.model.turn import Turn

__all__ = ["HARNESS", "AgentsSession"]

Away = Callable[..., Awaitable[Any]]


class AgentsSession:
    """One conversation, for `Runner.run(agent, text, session=...)`.

    `session_id` is 1 to 200 characters without control characters; who gives the same id goes on with the same
    conversation. `away` runs a call where it does not keep the event loop waiting: `asyncio.to_thread`. The memory
    stays its caller's to close, and is used by nobody else meanwhile. Raises `Invalid` for an id that can name no
    session, for a memory that is open as a person's, and for a project memory.
    """

    def __init__(
        self, session_id: str, memory: Memory, *, away: Away | None = None, session_settings: Any = None
    ) -> None:
        if identifier(session_id) is None:
            raise Invalid("a session id is 1 to 200 characters without control characters")
        if memory.kind == "project":
            raise Invalid("a project memory holds no turns", "keep conversations in the personal memory")
        self.session_id, self.session_settings = session_id, session_settings
        self._memory, self._away, self._lock = agents_only(memory), away, RLock()
        self._tools: dict[str, str] = {}

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """The items of the conversation in order; the last `limit` of them, or as many as `session_settings` say."""
        if limit is None:
            limit = getattr(self.session_settings, "limit", None)
        found: list[Any] = await self._do(self._items)
        return found if limit is None else found[-limit:] if limit > 0 else []

    async def add_items(self, items: Sequence[Any]) -> None:
        """Keep items, all or none; durable when this returns."""
        await self._do(self._add, list(items))

    async def pop_item(self) -> Any:
        """Take the last item out of the conversation and return it; None when there is none."""
        return await self._do(self._pop)

    async def clear_session(self) -> None:
        """Begin the conversation anew. What was said before stays in the memory and is recalled."""
        await self._do(self._clear)

    async def _do(self, work: Callable[..., Any], *given: Any) -> Any:
        return work(*given) if self._away is None else await self._away(work, *given)

    def _items(self) -> list[Item]:
        with self._lock:
            return [item_of(turn) for turn in self._living()]

    def _add(self, items: Sequence[Any]) -> None:
        with self._lock:
            self._memory.say([self._turn(item) for item in items])

    def _pop(self) -> Item | None:
        with self._lock:
            turns = self._living()
            if not turns:
                return None
            self._memory.say([mark_of(self.session_id, _name(), _now(), POPPED, turns[-1].turn)])
            return item_of(turns[-1])

    def _clear(self) -> None:
        with self._lock:
            if self._living():
                self._memory.say([mark_of(self.session_id, _name(), _now(), CLEARED)])

    def _living(self) -> list[Turn]:
        return living(self._memory.conversation(HARNESS, self.session_id))

    def _turn(self, item: Any) -> Turn:
        call, name = item.get("call_id"), item.get("name")
        if isinstance(call, str) and isinstance(name, str):
            self._tools[call] = name
        tool = name if isinstance(name, str) else self._tools.get(call) if isinstance(call, str) else None
        return turn_of(item, self.session_id, _name(), _now(), tool)


def _name() -> str:
    """A new turn's id: two who add at once must not name two turns alike."""
    return uuid4().hex


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
