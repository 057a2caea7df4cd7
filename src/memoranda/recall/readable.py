"""What the read line needs of a memory. `memory` gives the real one; nothing here writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Collection, Mapping, Protocol, Sequence

from memoranda.model.index import Search
from memoranda.model.locator import TurnLocator
from memoranda.model.query import IndexState, Ranked
from memoranda.model.record import Authority, Record
from memoranda.model.standing import Standing
from memoranda.model.turn import Turn
from memoranda.model.world import World
from memoranda.ports import Screener

if TYPE_CHECKING:  # named only: most memories hold no evidence
    from memoranda.model.evidence import Exhibit, Passage


class Indexed(Protocol):
    """The index as recall asks it."""

    def query_vector(self, text: str) -> memoryview | None:
        """The question's vector, None when there is no model. May raise `Unavailable` or `Conflict`."""

    def state(self) -> IndexState:
        """Whether the index holds everything."""


class Placed(Protocol):
    """Where a record's file lies, relative to the memory."""

    @property
    def path(self) -> str: ...


class Links(Protocol):
    """The small derived map: records by id, and which records cite a turn (locator without span -> ids)."""

    @property
    def entries(self) -> Mapping[str, Placed]: ...

    @property
    def cites(self) -> Mapping[str, Collection[str]]: ...


class Readable(Protocol):
    """One memory, read-only. What it says of a record holds for the moment it is asked."""

    @property
    def name(self) -> str: ...

    @property
    def index(self) -> Indexed: ...

    @property
    def catalog(self) -> Links: ...

    @property
    def newest(self) -> str:
        """The latest time that a trusted event or record names (UTC ISO), "" for none."""

    def rankings(self, search: Search) -> Mapping[str, Sequence[Ranked]]:
        """One ranking per signal, best first."""

    def same_names(self) -> Sequence[Sequence[str]]:
        """Groups of names that mean one thing, as records in effect say that are no outside voice."""

    def read(self, id: str) -> Record | None:
        """The record from its file now; None when missing, broken, or when two files claim the id."""

    def standing(self, record: Record) -> Standing:
        """What trusted events say of it."""

    def authority(self, record: Record) -> Authority:
        """Its authority at reading: foreign for what was not trusted here."""

    def held(self, record: Record) -> bool:
        """True while it waits for a person."""

    def in_effect(self, record: Record) -> bool:
        """False for held, retired and rejected records."""

    def superseders(self, id: str) -> Sequence[str]:
        """The ids of records in effect that name this one as superseded, sorted."""

    def turns_at(self, locator: TurnLocator) -> Sequence[Turn] | None:
        """The turns a locator names from their file now, by seq; None when the session is not here."""

    def passage(self, locator: str, number: int) -> tuple[Exhibit, Passage] | None:
        """A passage of an exhibit whose bytes are here, None when it is no longer the one under that locator."""

    def world(self) -> World:
        """What anchors are held against; caches for one recall."""

    def screeners(self) -> Sequence[Screener]:
        """Who looks at a hand-edited record before it is shown."""
