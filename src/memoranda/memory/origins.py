"""Where received records came from: read from this memory's own `received` events, which name no content.

target  the digest of the record here
cause   "<remote> <commit> <digest of theirs> <channel theirs claims>"
"""

from __future__ import annotations

import re
from typing import Iterable

from memoranda.model.event import Event
from memoranda.model.record import Record
from memoranda.model.values import dataclass

_is_digest = re.compile(r"[0-9a-f]{64}").fullmatch


@dataclass(frozen=True, slots=True)
class Origin:
    """One record of theirs: the repository and the commit it was seen at, its digest there and the channel that it
    claims."""

    remote: str
    commit: str
    digest: str
    channel: str

    @property
    def id(self) -> str:
        return f"mem_{self.digest[:12]}"

    def __str__(self) -> str:
        return f"{self.remote} {self.commit} {self.digest} {self.channel}"


class Origins:
    """What was received so far; grows while something is being received."""

    def __init__(self, events: Iterable[Event]) -> None:
        self._here: dict[str, str] = {}  # digest there -> digest here
        self._names: dict[str, str] = {}  # id there -> digest here
        self._first: dict[str, Origin] = {}  # digest here -> where it was first received from
        self._last: dict[str, str] = {}  # remote -> commit
        for event in events:
            origin = parse_origin(event)
            if origin is not None:
                self.add(origin, event.target)

    def add(self, origin: Origin, here: str) -> None:
        self._here[origin.digest] = here
        self._names[origin.id] = here
        self._first.setdefault(here, origin)
        self._last[origin.remote] = origin.commit

    def here(self, digest: str) -> str | None:
        """The digest of the record here that the record there with this digest became."""
        return self._here.get(digest)

    def named(self, id: str) -> str | None:
        """The same by the name it has there."""
        return self._names.get(id)

    def last(self, remote: str) -> str | None:
        """The commit of a remote at which something was received last."""
        return self._last.get(remote)

    def of(self, record: Record) -> Origin | None:
        """Where a record here was first received from."""
        return self._first.get(record.digest)


def parse_origin(event: Event) -> Origin | None:
    """The origin that an event names, None for any other event."""
    parts = event.cause.split(" ")
    if event.kind != "received" or len(parts) != 4 or not _is_digest(parts[2]):
        return None
    return Origin(*parts)
