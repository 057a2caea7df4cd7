"""Evidence: bytes that were seen or heard, what was read out of them, and what is kept beside them."""

from __future__ import annotations

from enum import StrEnum
from typing import Sequence

from memoranda.model.fragment import Extent, Fragment
from memoranda.model.values import dataclass, field


class Retention(StrEnum):
    """What becomes of the bytes; fixed when they are taken in."""

    KEEP = "keep"
    WINDOW = "window"
    DISCARD = "discard"


@dataclass(frozen=True, slots=True)
class Segment:
    """The smallest piece of text that has a place: a spoken word, a line of a page or picture, a paragraph.

    `place` is empty where the media has none: then the text's own place counts (`char=`). `gap` says that what
    follows begins anew (a pause, a paragraph): passages are rather cut there.
    """

    text: str
    place: Fragment = field(default_factory=Fragment)
    gap: bool = False


@dataclass(frozen=True, slots=True)
class Extract:
    """What one extractor read out of one exhibit. Disposable: the same bytes and stamp give the same extract.

    `stamp` names extractor, version and model. `notes` say what was left out (a page that is broken, say), never
    quoting the media. `about` is text that has no place and is looked at by the door, not searched (titles, comments);
    `raw` are plain characters in the bytes themselves, where only a credential of a certain form means anything.
    Neither is kept.
    """

    stamp: str
    media_type: str
    extent: Extent
    segments: tuple[Segment, ...] = ()
    notes: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    raw: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """A piece cut out of an exhibit and encoded anew: a file by name in the folder that was given, and what it is."""

    name: str
    media_type: str
    facts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Exhibit:
    """What is written beside the bytes. `until` is the last day (UTC, YYYY-MM-DD) of a window, else ""."""

    sha256: str
    size: int
    media_type: str
    name: str
    origin: str
    principal: str
    created: str
    retention: Retention
    until: str
    screened: str
    extent: Extent

    def over(self, today: str) -> str:
        """Why its bytes may go, "" while they may not. `today` is YYYY-MM-DD (UTC)."""
        if self.retention is Retention.DISCARD:
            return "discard"
        over = self.retention is Retention.WINDOW and self.until and self.until < today
        return f"window ended {self.until}" if over else ""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of an extract as it is searched: `number` counts from 0, `locator` names the place of all its words."""

    number: int
    locator: str
    text: str


def joined(segments: Sequence[Segment]) -> tuple[str, list[int]]:
    """Segments as one text, and where each begins: spoken words on one line, anything else a line each."""
    parts, starts, at = [], [], 0
    for segment in segments:
        starts.append(at)
        spoken = segment.place.time is not None and segment.place.box is None
        parts.append(segment.text + (" " if spoken and not segment.gap else "\n"))
        at += len(parts[-1])
    return "".join(parts), starts
