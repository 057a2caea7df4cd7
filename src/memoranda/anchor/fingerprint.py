"""The two functions, and how each kind of place is read (docs/format.md, "Locators and anchors")."""

from __future__ import annotations

from memoranda.anchor.text import distinct, joined, lines_of, sha, text_of, windows
from memoranda.model.errors import Invalid, NotFound, Unavailable
from memoranda.model.locator import (
    Anchor,
    EvidenceLocator,
    FileLocator,
    Locator,
    RecordLocator,
    TurnLocator,
    parse_anchor,
)
from memoranda.model.query import Verdict
from memoranda.model.world import Unseen, World


def take(locator: Locator, world: World) -> Anchor:
    """The anchor for what stands at `locator` now.

    Raises `NotFound` when nothing stands there, `Invalid` for lines, spans or kinds that cannot be taken, and
    `Unavailable` when the place cannot be looked at from here.
    """
    if isinstance(locator, EvidenceLocator):
        return _exhibit(locator, world)
    try:
        content = _read(locator, world)
    except Unseen as error:
        if isinstance(locator, TurnLocator):
            raise NotFound(f"{locator}: {error}", "memoranda capture takes it in") from None
        raise Unavailable(f"{locator} cannot be looked at here: {error}", "run this inside its checkout") from None
    if content is None:
        raise NotFound(f"nothing stands at {locator}", "check the path, the lines and the session id")
    return Anchor(locator, content)


def state(anchor: str, world: World) -> Verdict:
    """What became of an anchor: fresh, moved, changed, gone, unknown, or redacted (a cited turn was rewritten by us)."""
    try:
        parsed = parse_anchor(anchor)
    except Invalid as error:
        return Verdict(anchor, "unknown", f"malformed anchor: {error.message}")
    try:
        if isinstance(parsed.locator, EvidenceLocator):
            flaw = world.evidence(parsed.locator)
            return Verdict(anchor, "fresh") if flaw is None else Verdict(anchor, "gone", flaw)
        now = _read(parsed.locator, world)
    except Unseen as error:
        return Verdict(anchor, "unknown", str(error))
    except Invalid as error:  # lines or a span that are no longer there
        return _elsewhere(anchor, parsed, world) or Verdict(anchor, "changed", error.message)
    if now is None:
        return Verdict(anchor, "gone", f"{_name(parsed.locator)} is gone")
    if now == parsed.sha256:
        return Verdict(anchor, "fresh")
    return _elsewhere(anchor, parsed, world) or Verdict(anchor, "changed", f"{_name(parsed.locator)} changed")


def _elsewhere(anchor: str, parsed: Anchor, world: World) -> Verdict | None:
    """*moved* when the very lines stand elsewhere in their file."""
    if not isinstance(parsed.locator, FileLocator) or parsed.locator.lines is None:
        return None
    place = _shifted(world.file(parsed.locator) or b"", parsed.locator, parsed.sha256)
    return Verdict(anchor, "moved", f"{_name(parsed.locator)} stands at {place} now") if place else None


def _exhibit(locator: EvidenceLocator, world: World) -> Anchor:
    """Evidence carries its own fingerprint; that the place is there is all there is to see."""
    try:
        flaw = world.evidence(locator)
    except Unseen as error:
        raise NotFound(f"{locator} cannot be cited: {error}", "take it in first: memoranda evidence add FILE") from None
    if flaw is not None:
        raise NotFound(f"{locator} cannot be cited: {flaw}", "take it in again: memoranda evidence add FILE")
    return Anchor(locator)


def _name(locator: Locator) -> str:
    """How a reason calls the place: a file by its path and lines, without the repository's key."""
    if isinstance(locator, FileLocator):
        return str(FileLocator(locator.path, None, locator.lines, locator.symbol))
    return str(locator)


def _read(locator: Locator, world: World) -> str | None:
    """The fingerprint (64 hex) of what stands there now, None when nothing does."""
    if isinstance(locator, FileLocator):
        data = world.file(locator)
        return None if data is None else sha(_file_text(data, locator))
    if isinstance(locator, TurnLocator):
        text = world.turn(locator)
        return None if text is None else sha(_span(text, locator).encode("utf-8", "surrogatepass"))
    if isinstance(locator, RecordLocator):
        return world.record(locator.id)
    assert isinstance(locator, EvidenceLocator)
    raise Invalid("evidence carries its own fingerprint")


def _file_text(data: bytes, locator: FileLocator) -> bytes:
    """The anchored part of a file."""
    if locator.symbol is not None:
        raise Invalid(f"{locator} names a symbol, which cannot be fingerprinted yet", "anchor its lines: #L10-L24")
    text = text_of(data)
    if text is None:
        if locator.lines is not None:
            raise Invalid(f"{_name(locator)} is not text, so it has no lines", "anchor the whole file")
        return data
    if locator.lines is None:
        return text.encode()
    first, last = locator.lines
    lines = lines_of(text)
    if last > len(lines):
        raise Invalid(f"{_name(locator)}: the file has only {len(lines)} lines")
    return joined(lines[first - 1 : last])


def _shifted(data: bytes, locator: FileLocator, sha256: str) -> str:
    """The lines at which the anchored text stands now in its file, "" when that cannot be said.

    It stands there once, and is too long to do so by chance: else it may be another piece that reads the same.
    """
    text = text_of(data)
    if text is None or locator.lines is None:
        return ""
    first, last = locator.lines
    lines, count = lines_of(text), last - first + 1
    starts = windows(lines, count, sha256)
    if starts is None or len(starts) != 1:
        return ""
    at = starts[0]
    if not distinct(lines[at - 1 : at - 1 + count]):
        return ""
    return f"L{at}" if count == 1 else f"L{at}-L{at + count - 1}"


def _span(text: str, locator: TurnLocator) -> str:
    if locator.char is None:
        return text
    start, end = locator.char
    if end > len(text):
        raise Invalid(f"{locator}: the turn has only {len(text)} characters")
    return text[start:end]
