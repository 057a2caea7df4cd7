"""What an anchor is held against: the outside as a protocol, so that checking needs no git and no store."""

from __future__ import annotations

from typing import Protocol

from memoranda.model.locator import FileLocator, TurnLocator


class Unseen(Exception):
    """The place cannot be looked at here (no checkout of that repository, no such store): the verdict is unknown."""


class World(Protocol):
    """Reads what stands at a place now. Implementations cache for one recall, never longer."""

    def file(self, locator: FileLocator) -> bytes | None:
        """The bytes of the file in its checkout, None when it is gone. Raises `Unseen` when there is no checkout."""

    def turn(self, locator: TurnLocator) -> str | None:
        """The stored text of the turn's blocks joined by newline, None when gone. Raises `Unseen` without a store."""

    def record(self, id: str) -> str | None:
        """The full digest of the record's bytes, None when gone."""
