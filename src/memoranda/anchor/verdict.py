"""Whether anchors still hold: a cheap look first, and for files that do not, what git knows of them, all at once."""

from __future__ import annotations

from typing import NamedTuple, Sequence

from memoranda.anchor.fingerprint import called, name_of, of_file, read
from memoranda.anchor.text import ALIKE, alike, cut, distinct, joined, lines_of, onto, sha, shifted, text_of, windows
from memoranda.model.errors import Invalid
from memoranda.model.locator import Anchor, EvidenceLocator, FileLocator, TurnLocator, parse_anchor
from memoranda.model.query import Verdict
from memoranda.model.values import replace
from memoranda.model.world import Lineage, Unseen, World


class _Lost(NamedTuple):
    """A file anchor that does not hold where it was taken; `data` is what the file is now, None when it is gone."""

    text: str
    anchor: Anchor
    place: FileLocator
    data: bytes | None
    reason: str


def state(anchor: str, world: World) -> Verdict:
    """What became of one anchor; see `states`."""
    return states((anchor,), world)[0]


def states(anchors: Sequence[str], world: World) -> tuple[Verdict, ...]:
    """What became of each anchor: fresh, moved, changed, gone, unknown, or redacted (a cited turn was rewritten by us).

    A file's text that stands elsewhere, word for word, is *moved*, and the verdict says where it is `now`. Where a
    checkout never held what was anchored on another branch, the verdict is *unknown*.
    """
    found: dict[str, Verdict] = {}
    lost: list[_Lost] = []
    for text in sorted(set(anchors)):  # those of one file one after the other, so that it is taken apart once
        looked = world.looked(text) or _look(text, world)
        if isinstance(looked, Verdict):
            found[text] = looked
        else:
            lost.append(looked)
    if lost:
        known = world.lineages([one.anchor for one in lost])
        found.update((one.text, _judge(one, lineage, world)) for one, lineage in zip(lost, known, strict=True))
    world.note([found[text] for text in dict.fromkeys(anchors)])
    return tuple(found[text] for text in anchors)


def _look(text: str, world: World) -> Verdict | _Lost:
    try:
        anchor = parse_anchor(text)
    except Invalid as error:
        return Verdict(text, "unknown", f"malformed anchor: {error.message}")
    place = anchor.locator
    try:
        if isinstance(place, EvidenceLocator):
            flaw = world.evidence(place)
            return Verdict(text, "fresh") if flaw is None else Verdict(text, "gone", flaw)
        if isinstance(place, FileLocator) and place.symbol is not None:
            return _symbol(text, anchor, place, world)
        now = read(place, world)
    except Unseen as error:
        return Verdict(text, "unknown", str(error))
    except Invalid as error:  # lines, a symbol or a span that are no longer there
        if isinstance(place, FileLocator):
            return _Lost(text, anchor, place, world.file(place), error.message)
        return _redacted(text, anchor, world) or Verdict(text, "changed", error.message)
    if now == anchor.sha256:
        return Verdict(text, "fresh")
    gone = now is None
    reason = f"{name_of(place)} is gone" if gone else f"{name_of(place)} changed"
    if isinstance(place, FileLocator):
        return _Lost(text, anchor, place, None if gone else world.file(place), reason)
    return _redacted(text, anchor, world) or Verdict(text, "gone" if gone else "changed", reason)


def _redacted(text: str, anchor: Anchor, world: World) -> Verdict | None:
    """A turn that newer screening rules cut did not change its mind."""
    rule = world.rewritten(anchor.locator) if isinstance(anchor.locator, TurnLocator) else ""
    return Verdict(text, "redacted", f"{anchor.locator} was cut by a screening rule ({rule})") if rule else None


def _symbol(text: str, anchor: Anchor, place: FileLocator, world: World) -> Verdict | _Lost:
    """A symbol holds wherever it stands in its file, whatever others' names end so. Raises `Unseen`."""
    data = world.file(place)
    found = [] if data is None else _bodies(data, place, world)
    if anchor.sha256 in found:
        return Verdict(text, "fresh")
    what = "is gone" if data is None else "changed" if found else "is no symbol of the file any more"
    return _Lost(text, anchor, place, data, f"{name_of(place)} {what}")


def _bodies(data: bytes, place: FileLocator, world: World) -> list[str]:
    return [sha(joined(lines)) for lines in called(data, place, world).values()]


def _judge(lost: _Lost, lineage: Lineage | None, world: World) -> Verdict:
    """The verdict on a file that does not hold its anchor where it was taken."""
    known = lineage or Lineage()
    if lost.data is not None:
        place = found_in(lost.data, lost.place, lost.anchor, known, world)
        if place is not None:
            return _moved(lost, place)
    renamed = ""
    for path in known.went if lost.data is None else ():
        other = replace(lost.place, path=path)
        data = _file(other, world)
        if data is None:
            continue
        renamed = renamed or path
        place = found_in(data, other, lost.anchor, known, world)
        if place is not None:
            return _moved(lost, place)
    if lost.data is None and not renamed:
        same = _strays(lost, known, world)
        if len(same) == 1:
            return _moved(lost, same[0])
    return _elsewhere(lost, known, world) or _broken(lost, known, renamed)


def _moved(lost: _Lost, place: FileLocator) -> Verdict:
    if place.path != lost.place.path:
        return Verdict(lost.text, "moved", f"{name_of(lost.place)} is {name_of(place)} now", str(place))
    lines = name_of(place).partition("#")[2]
    return Verdict(lost.text, "moved", f"{name_of(lost.place)} stands at {lines} now", str(place))


def _broken(lost: _Lost, known: Lineage, path: str) -> Verdict:
    if path:
        reason = f"{name_of(lost.place)} was renamed to {name_of(FileLocator(path))} and reads differently there"
        return Verdict(lost.text, "changed", reason, str(replace(lost.place, path=path, lines=None, symbol=None)))
    if lost.data is None:
        return Verdict(lost.text, "gone", lost.reason)
    place = heir(lost.data, known, lost.anchor)
    if place is None or place == lost.place:
        return Verdict(lost.text, "changed", lost.reason)
    lines = name_of(place).partition("#")[2]
    return Verdict(lost.text, "changed", f"{name_of(lost.place)} changed and stands at {lines} now", str(place))


def heir(data: bytes, known: Lineage, anchor: Anchor) -> FileLocator | None:
    """The lines that took the place of anchored ones, None when they were taken out, or what is there is another thing.

    The text as it was comes from git, and its fingerprint proves it: an anchor needs to carry no words.
    """
    place = anchor.locator
    now, then = text_of(data), text_of(known.then or b"")
    if not isinstance(place, FileLocator) or place.lines is None or now is None or not then:
        return None
    old, new = lines_of(then), lines_of(now)
    if sha(joined(cut(old, place.lines))) != anchor.sha256:
        return None
    lines = onto(new, old, place.lines)
    if lines is None or alike(cut(old, place.lines), cut(new, lines)) < ALIKE:
        return None
    return replace(place, lines=lines)


def _elsewhere(lost: _Lost, known: Lineage, world: World) -> Verdict | None:
    """*unknown* where the history that is checked out never held what was anchored: it stands on another branch."""
    if known.part or any(holds(data, lost.place, lost.anchor, world) for data in known.held):
        return None
    for branch, data in known.apart:
        if holds(data, lost.place, lost.anchor, world):
            return Verdict(lost.text, "unknown", f"{name_of(lost.place)} stands on {branch}, which is not checked out")
    if known.part is False:
        reason = (
            f"{name_of(lost.place)} was taken at {lost.anchor.commit[:12]}, which is no part of what is checked out"
        )
        return Verdict(lost.text, "unknown", reason)
    return None


def holds(data: bytes, place: FileLocator, anchor: Anchor, world: World) -> bool:
    """Whether a version of a file holds what was anchored, at its lines or at others."""
    try:
        if place.symbol is not None:
            return anchor.sha256 in _bodies(data, place, world)
        if of_file(data, place, world) == anchor.sha256:
            return True
    except (Invalid, Unseen):
        pass  # a shorter file may hold the lines higher up
    text = text_of(data) if place.lines else None
    if text is None or place.lines is None:
        return False
    return bool(windows(lines_of(text), place.lines[1] - place.lines[0] + 1, anchor.sha256))


def found_in(data: bytes, place: FileLocator, anchor: Anchor, known: Lineage, world: World) -> FileLocator | None:
    """Where in a file the anchored text stands, None when it does not or that cannot be said."""
    if place.lines is None:
        return place if holds(data, place, anchor, world) else None
    now, then = text_of(data), text_of(known.then or b"")
    if now is None:
        return None
    lines = shifted(lines_of(now), lines_of(then) if then else None, place.lines, anchor.sha256)
    return None if lines is None else replace(place, lines=lines)


def _strays(lost: _Lost, known: Lineage, world: World) -> list[FileLocator]:
    """Files with the same text that git did not call renamed; a short one may read the same by chance."""
    found = []
    for path in known.alike:
        other = replace(lost.place, path=path)
        data = _file(other, world)
        text = None if data is None else text_of(data)
        if data is None or (text is not None and not distinct(text.split("\n"))):
            continue
        place = found_in(data, other, lost.anchor, known, world)
        if place is not None:
            found.append(place)
    return found


def _file(place: FileLocator, world: World) -> bytes | None:
    try:
        return world.file(place)
    except Unseen:
        return None
