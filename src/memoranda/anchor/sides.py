"""The old source of an anchor beside the new one, for whoever has to judge what a change means for a record.

The old text comes out of git's history and counts only if its fingerprint is the anchor's: nothing here can show a text
that was not anchored.
"""

from __future__ import annotations

from typing import Iterator, Sequence

from memoranda.anchor.fingerprint import called
from memoranda.anchor.text import changed_part, cut, joined, lines_of, onto, sha, text_of, windows
from memoranda.model.locator import Anchor, FileLocator, parse_anchor, parse_locator
from memoranda.model.query import Side, Verdict
from memoranda.model.values import replace
from memoranda.model.world import Lineage, Unseen, World

#: Lines of either side that are shown when one record is looked at.
LINES = 40


def sides(verdicts: Sequence[Verdict], world: World, lines: int = LINES) -> tuple[Side, ...]:
    """A side for each anchor into a file that changed or is gone, in their order, each of at most `lines` lines."""
    broken = [verdict for verdict in verdicts if verdict.state in ("changed", "gone")]
    pairs = [(verdict, parse_anchor(verdict.anchor)) for verdict in broken if verdict.anchor.startswith("file:")]
    known = world.lineages([anchor for _, anchor in pairs], versions=True) if pairs else ()
    return tuple(
        _side(verdict, anchor, lineage or Lineage(), world, lines)
        for (verdict, anchor), lineage in zip(pairs, known, strict=True)
    )


def _side(verdict: Verdict, anchor: Anchor, known: Lineage, world: World, lines: int) -> Side:
    place = anchor.locator
    assert isinstance(place, FileLocator)
    old, source = _before(anchor, place, known, world)
    renamed = parse_locator(verdict.now) if verdict.now else place
    assert isinstance(renamed, FileLocator)
    here = replace(place, path=renamed.path)
    new, where = _after(here, known, anchor, world)
    if place.lines is None and place.symbol is None and old and new:
        old, new = changed_part(old, new)
    before, after = ("\n".join(text[:lines]) for text in (old, new))
    return Side(verdict.anchor, before, source, after, str(where) if new else "", len(old) > lines or len(new) > lines)


def _before(anchor: Anchor, place: FileLocator, known: Lineage, world: World) -> tuple[Sequence[str], str]:
    """What was anchored, and where git still has it."""
    versions: list[tuple[str, bytes]] = [(f"commit {anchor.commit[:12]}", known.then)] if known.then else []
    versions += [("an earlier commit", data) for data in known.held]
    versions += [(f"branch {name}", data) for name, data in known.apart]
    for source, data in versions:
        lines = lines_of(text_of(data) or "")
        for part in _parts(data, lines, anchor, place, world):
            if sha(joined(part)) == anchor.sha256 or (part is lines and sha(_whole(data)) == anchor.sha256):
                return part, source
    return (), ""


def _parts(
    data: bytes, lines: Sequence[str], anchor: Anchor, place: FileLocator, world: World
) -> Iterator[Sequence[str]]:
    """The parts of a version that may be what was anchored."""
    if place.lines is not None:
        yield cut(lines, place.lines)
        for found in windows(lines, place.lines[1] - place.lines[0] + 1, anchor.sha256):
            yield cut(lines, found)
    elif place.symbol is not None:
        try:
            yield from called(data, place, world).values()
        except Unseen:
            return
    else:
        yield lines


def _whole(data: bytes) -> bytes:
    text = text_of(data)
    return data if text is None else text.encode()


def _after(place: FileLocator, known: Lineage, anchor: Anchor, world: World) -> tuple[Sequence[str], FileLocator]:
    """What stands there now instead, and where."""
    try:
        data = world.file(place)
        text = None if data is None else text_of(data)
        if data is None or text is None:
            return (), place
        lines = lines_of(text)
        if place.symbol is not None:
            return next(iter(called(data, place, world).values()), ()), place
    except Unseen:
        return (), place
    if place.lines is None:
        return lines, place
    then = lines_of(text_of(known.then or b"") or "")
    if sha(joined(cut(then, place.lines))) != anchor.sha256:
        return cut(lines, place.lines), place
    heirs = onto(lines, then, place.lines)
    return (cut(lines, heirs), replace(place, lines=heirs)) if heirs else ((), place)
