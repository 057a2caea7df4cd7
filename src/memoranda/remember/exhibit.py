"""The write line for evidence: fingerprint → known? → extract → screen → bytes → facts → event → extract → index.

What this file promises:

1. Nothing of an exhibit is on disk before all that was read out of it has passed the door; one credential in it and
   nothing ever is.
2. The same bytes are kept once, whatever they are called.
3. A stop after any step leaves nothing, or bytes with their facts: taking it in again goes on from there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, Sequence

from memoranda.model.errors import Invalid
from memoranda.model.evidence import Exhibit, Extract, Retention
from memoranda.model.outcome import Refused, Screened
from memoranda.model.values import dataclass
from memoranda.ports import Screener
from memoranda.screen.exhibits import examine

_NAME_CHARS = 200


@dataclass(frozen=True, slots=True)
class Claim:
    """What is said of a file that is to be taken in. `origin` is a channel, `until` the last day of a window."""

    name: str
    origin: str
    principal: str
    retention: Retention
    until: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """An exhibit is durable on disk. `known` says that its bytes were already here, `notes` what could not be read."""

    exhibit: Exhibit
    known: bool
    segments: int = 0
    fences: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def word(self) -> str:
        return "known" if self.known else "kept"


class Shelf(Protocol):
    """What the line needs of one memory."""

    @property
    def project(self) -> bool: ...

    def screeners(self) -> Sequence[Screener]: ...

    def fingerprint(self, source: Path) -> tuple[str, int]:
        """SHA-256 and size of a file, streamed."""

    def kept(self, sha256: str) -> Exhibit | None:
        """The exhibit of that hash if its bytes are here."""

    def look(self, source: Path) -> tuple[Extract, tuple[str, ...]]:
        """What an extractor reads in a file, and the fences it stood behind. Raises `Invalid`, `Unavailable`."""

    def shelve(self, source: Path, exhibit: Screened[Exhibit], extract: Screened[Extract]) -> Exhibit:
        """Bytes, facts and event are durable, in this order, and the extract searchable, when this returns."""


def take_in(source: Path, claim: Claim, shelf: Shelf, now: str) -> Kept | Refused:
    """Take one file through the door. `now` is UTC ISO with seconds.

    Raises `Invalid` in a project memory, `NotFound`, `Unavailable`, `Conflict` when the file changes meanwhile.
    """
    if shelf.project:
        raise Invalid("a project memory holds no evidence", "take it into the personal memory: leave --project out")
    sha256, size = shelf.fingerprint(source)
    known = shelf.kept(sha256)
    if known is not None:
        return Kept(known, True)
    try:
        extract, fences = shelf.look(source)
    except Invalid as error:
        return Refused(f"rejected: {error.message}; nothing was kept", error.hint)
    exhibit = Exhibit(
        sha256=sha256,
        size=size,
        media_type=extract.media_type,
        name=_named(claim.name),
        origin=claim.origin,
        principal=claim.principal,
        created=now,
        retention=claim.retention,
        until=claim.until,
        screened="",
        extent=extract.extent,
    )
    passed = examine(exhibit, extract, shelf.screeners())
    if isinstance(passed, Refused):
        return passed
    written = shelf.shelve(source, *passed)
    return Kept(written, False, len(extract.segments), fences, extract.notes)


def _named(name: str) -> str:
    """A file's own name, on one line and not without end."""
    folded = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    return folded[:_NAME_CHARS] or "unnamed"
