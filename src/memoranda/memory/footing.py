"""What `Store` holds anchors against: the world as it is now, and what earlier looks at it found."""

from __future__ import annotations

import hashlib
import os
from functools import cached_property
from typing import TYPE_CHECKING, Sequence

from memoranda.memory.looked import Looked
from memoranda.memory.outside import Outside
from memoranda.memory.shelf import Shelf
from memoranda.model.locator import TurnLocator

if TYPE_CHECKING:
    from memoranda.model.settings import Settings
    from memoranda.model.turn import Turn
    from memoranda.truth.tree import Checkouts


class Footing(Shelf):
    """Part of `Store`."""

    settings: Settings
    checkouts: Checkouts

    if TYPE_CHECKING:

        @property
        def project(self) -> bool: ...

        def turns_at(self, locator: TurnLocator) -> Sequence[Turn] | None: ...

    def world(self, anew: bool = False) -> Outside:
        """The world of one recall; `anew` asks git again, whatever an earlier look found."""
        top = self.folder.root.parent if self.project else None
        turns, exhibits = self.turns_at, self.exhibit_flaw
        return Outside(self.checkouts, top, turns, self._digest, exhibits, self._rewritten, self.looked_at, anew)

    @cached_property
    def looked_at(self) -> Looked:
        """Earlier looks at anchored files, in the user's cache."""
        key = hashlib.sha256(os.path.realpath(self.folder.root).encode("utf-8", "surrogateescape")).hexdigest()[:16]
        return Looked(self.settings.cache / "anchors" / f"{key}.json")

    def _digest(self, id: str) -> str | None:
        entry = self.catalog.entries.get(id)
        return entry.digest if entry else None

    def _rewritten(self, locator: TurnLocator) -> str:
        """The rule by which a rescan cut one of these turns into what it is now, "" for none."""
        now = {}
        for turn in self.turns_at(locator) or ():
            place = str(TurnLocator(turn.harness, turn.session, turn=turn.turn))
            now[place] = hashlib.sha256(turn.text.encode("utf-8", "surrogatepass")).hexdigest()
        for event in reversed(self.all_events()):
            if event.kind == "rescanned" and event.target in now and self.trusted(event.digest):
                _, _, after = event.cause.partition(" -> ")
                digest, _, rule = after.partition(" ")
                if digest == now[event.target]:
                    return rule or "changed"
        return ""
