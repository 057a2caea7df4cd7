"""Events: what happened to records, hash-chained per writer, never holding content."""

from __future__ import annotations

from typing import Mapping

from memoranda.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a writer's chain.

    `n` counts from 0 over the writer's whole chain, `prev` is the SHA-256 (64 hex) of the line before without its
    newline ("" for the first), `target` a full record digest or a locator, `seen` the highest `n` this writer had
    read of every other writer. `digest` is the SHA-256 of this line, set when read.
    """

    n: int
    prev: str
    ts: str
    kind: str
    target: str
    principal: str = ""
    cause: str = ""
    seen: Mapping[str, int] | None = None
    writer: str = ""
    digest: str = ""
