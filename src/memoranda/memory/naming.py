"""Names that a caller gives for things in an answer, as the index calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable, Sequence

from memoranda.model.errors import NotFound
from memoranda.model.locator import TurnLocator, parse_locator

if TYPE_CHECKING:
    from memoranda.memory.store import Store


def documents(names: Iterable[str], stores: Sequence[Store]) -> tuple[str, ...]:
    """The document of each record id, prefix or turn locator. Raises `NotFound` for one that is in none of them."""
    return tuple(_document(name, stores) for name in names)


def _document(name: str, stores: Sequence[Store]) -> str:
    if not name.startswith("turn:"):
        for store in stores[:-1]:
            try:
                return store.catalog.find(name)
            except NotFound:
                continue
        return stores[-1].catalog.find(name)
    locator = parse_locator(name)
    assert isinstance(locator, TurnLocator)
    for store in stores:
        turns = store.turns_at(locator)
        if turns:
            return str(TurnLocator(harness=locator.harness, session=locator.session, turn=turns[0].turn))
    raise NotFound(f"no turn {name!r} was captured", "memoranda sessions lists what was")
