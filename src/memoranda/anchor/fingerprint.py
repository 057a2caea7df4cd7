"""What stands at a place, as bytes to hash (docs/format.md, "Locators and anchors"); `take` makes an anchor of it."""

from __future__ import annotations

from typing import Mapping, Sequence

from memoranda.anchor.text import cut, joined, lines_of, sha, text_of
from memoranda.model.errors import Invalid, NotFound, Unavailable
from memoranda.model.locator import Anchor, EvidenceLocator, FileLocator, Locator, RecordLocator, TurnLocator
from memoranda.model.world import Unseen, World


def take(locator: Locator, world: World) -> Anchor:
    """The anchor for what stands at `locator` now.

    Raises `NotFound` when nothing stands there, `Invalid` for lines, spans or kinds that cannot be taken, and
    `Unavailable` when the place cannot be looked at from here.
    """
    if isinstance(locator, EvidenceLocator):
        return _exhibit(locator, world)
    try:
        content = read(locator, world)
    except Unseen as error:
        if isinstance(locator, TurnLocator):
            raise NotFound(f"{locator}: {error}", "memoranda capture takes it in") from None
        symbol = isinstance(locator, FileLocator) and locator.symbol is not None
        hint = "or anchor its lines: #L10-L24" if symbol else "run this inside its checkout"
        raise Unavailable(f"{locator} cannot be looked at here: {error}", hint) from None
    if content is None:
        raise NotFound(f"nothing stands at {locator}", "check the path, the lines and the session id")
    return Anchor(locator, content, world.commit(locator) if isinstance(locator, FileLocator) else "")


def _exhibit(locator: EvidenceLocator, world: World) -> Anchor:
    """Evidence carries its own fingerprint; that the place is there is all there is to see."""
    try:
        flaw = world.evidence(locator)
    except Unseen as error:
        raise NotFound(f"{locator} cannot be cited: {error}", "take it in first: memoranda evidence add FILE") from None
    if flaw is not None:
        raise NotFound(f"{locator} cannot be cited: {flaw}", "take it in again: memoranda evidence add FILE")
    return Anchor(locator)


def name_of(locator: Locator) -> str:
    """How a reason calls the place: a file by its path and lines, without the repository's key."""
    if isinstance(locator, FileLocator):
        return str(FileLocator(locator.path, None, locator.lines, locator.symbol))
    return str(locator)


def read(locator: Locator, world: World) -> str | None:
    """The fingerprint (64 hex) of what stands there now, None when nothing does. Raises `Unseen`, `Invalid`."""
    if isinstance(locator, FileLocator):
        data = world.file(locator)
        return None if data is None else of_file(data, locator, world)
    if isinstance(locator, TurnLocator):
        text = world.turn(locator)
        return None if text is None else sha(_span(text, locator).encode("utf-8", "surrogatepass"))
    if isinstance(locator, RecordLocator):
        return world.record(locator.id)
    assert isinstance(locator, EvidenceLocator)
    raise Invalid("evidence carries its own fingerprint")


def of_file(data: bytes, locator: FileLocator, world: World) -> str:
    """The fingerprint of the anchored part of a file. Raises `Invalid` when it has no such part, `Unseen`."""
    text = text_of(data)
    if text is None:
        if locator.lines is not None or locator.symbol is not None:
            raise Invalid(f"{name_of(locator)} is not text, so it has no lines", "anchor the whole file")
        return sha(data)
    if locator.lines is None and locator.symbol is None:
        return sha(text.encode())
    lines = lines_of(text)
    if locator.symbol is not None:
        return sha(joined(_symbol(data, locator, world)))
    assert locator.lines is not None
    if locator.lines[1] > len(lines):
        raise Invalid(f"{name_of(locator)}: the file has only {len(lines)} lines")
    return sha(joined(cut(lines, locator.lines)))


def _symbol(data: bytes, locator: FileLocator, world: World) -> Sequence[str]:
    """The lines of the one symbol that is called so."""
    found = called(data, locator, world)
    if len(found) == 1:
        return next(iter(found.values()))
    if not found:
        raise Invalid(f"{name_of(locator)}: there is no such symbol", "name a function, class or method of the file")
    raise Invalid(f"{name_of(locator)} may be {', '.join(sorted(found)[:5])}", "give its whole name, or lines")


def called(data: bytes, locator: FileLocator, world: World) -> Mapping[str, Sequence[str]]:
    """Whole name -> lines of the symbols whose name is the locator's, or else ends in it.

    What is defined more than once under one whole name (overloads, a property with its setter, code for several
    systems) is one symbol: the lines of all, in their order. Raises `Unseen`.
    """
    asked, lines = locator.symbol or "", lines_of(text_of(data) or "")
    found: dict[str, list[str]] = {}
    for name, place in world.symbols(locator, data):
        if f".{name}".endswith(f".{asked}"):
            found.setdefault(name, []).extend(cut(lines, place))
    return {asked: found[asked]} if asked in found else found


def _span(text: str, locator: TurnLocator) -> str:
    if locator.char is None:
        return text
    start, end = locator.char
    if end > len(text):
        raise Invalid(f"{locator}: the turn has only {len(text)} characters")
    return text[start:end]
