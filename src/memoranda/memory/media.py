"""What is wired together for evidence: the write line's shelf, reading again, and cutting pieces out."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Iterable, Sequence

from memoranda.extract import run
from memoranda.index.extracts import stamp_of
from memoranda.memory.shelf import place_of
from memoranda.memory.store import Store
from memoranda.model.errors import Invalid, MemorandaError, NotFound
from memoranda.model.evidence import Cut, Exhibit, Extract, Retention, Segment
from memoranda.model.fragment import Fragment, parse_fragment
from memoranda.model.locator import EvidenceLocator
from memoranda.model.outcome import Refused, Screened
from memoranda.model.problem import Problem
from memoranda.model.record import Channel
from memoranda.ports import Screener
from memoranda.remember.exhibit import Claim
from memoranda.screen.exhibits import examine
from memoranda.truth.evidence import fingerprint

#: Origins a person may give a file: where it came from, or that it is their own word.
_ORIGINS = (Channel.MEDIA, Channel.WEB, Channel.EMAIL, Channel.TOOL, Channel.CONNECTOR, Channel.DIRECT_SESSION)
_MOST_DAYS = 36_500


def claim(store: Store, name: str, origin: str, retention: str, days: int | None) -> Claim:
    """What a caller says of a file, as far as their door may say it. Raises `Invalid`."""
    try:
        kept = Retention(retention or Retention.WINDOW)
    except ValueError:
        raise Invalid("there is no such retention", f"use one of {', '.join(Retention)}") from None
    if origin and origin not in _ORIGINS:
        raise Invalid("there is no such origin", f"use one of {', '.join(_ORIGINS)}")
    if origin not in ("", Channel.MEDIA) and store.door.channel is not Channel.DIRECT_SESSION:
        raise Invalid("only a person can say where media come from", "leave the origin out: it counts as media")
    if days is not None and (kept is not Retention.WINDOW or not 1 <= days <= _MOST_DAYS):
        raise Invalid("days are those of a window, at least 1", "use --retention window --days 30")
    until = ""
    if kept is Retention.WINDOW:
        last = datetime.now(UTC) + timedelta(days=days or store.settings.evidence_days)
        until = last.strftime("%Y-%m-%d")
    return Claim(name, origin or Channel.MEDIA, store.door.principal or "", kept, until)


class Bench:
    """The write line's `Shelf` over one memory."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def project(self) -> bool:
        return self._store.project

    def screeners(self) -> Sequence[Screener]:
        return self._store.screeners()

    def fingerprint(self, source: Path) -> tuple[str, int]:
        return fingerprint(source)

    def kept(self, sha256: str) -> Exhibit | None:
        return self._store.evidence.facts(sha256) if self._store.evidence.size(sha256) is not None else None

    def look(self, source: Path) -> tuple[Extract, tuple[str, ...]]:
        reader = run.reader_for(source)
        return run.extract(source, reader, run.limits_for(reader.media_type, source.stat().st_size))

    def shelve(self, source: Path, exhibit: Screened[Exhibit], extract: Screened[Extract]) -> Exhibit:
        store = self._store
        written = store.evidence.add(source, exhibit)
        store.event("added", place_of(written.sha256), str(written.retention))
        store.extracts.put(written.sha256, extract)
        store.catch_up()
        return written


def read_again(store: Store, exhibits: Iterable[Exhibit], always: bool) -> tuple[int, tuple[Problem, ...]]:
    """Extract anew what has no extract of today's extractor; it passes the door again before it is kept."""
    stamps, read, problems = store.extract_stamps(), 0, []
    for exhibit in exhibits:
        place = store.evidence.path(exhibit.sha256)
        if store.evidence.size(exhibit.sha256) is None:
            continue
        try:
            reader = run.reader_for(place)
            if not always and stamps.get(exhibit.sha256) == stamp_of(exhibit.sha256, reader.stamp):
                continue
            extract, _ = run.extract(place, reader, run.limits_for(reader.media_type, exhibit.size))
        except MemorandaError as error:
            problems.append(Problem(place_of(exhibit.sha256), f"{exhibit.name}: {error.message}", error.hint))
            continue
        passed = examine(exhibit, extract, store.screeners())
        if isinstance(passed, Refused):
            store.extracts.drop(exhibit.sha256)
            hint = f"memoranda evidence drop {exhibit.sha256[:12]}"
            problems.append(Problem(place_of(exhibit.sha256), f"{exhibit.name}: today it is {passed.message}", hint))
            continue
        store.extracts.put(exhibit.sha256, passed[1])
        read += 1
    return read, tuple(problems)


def cut(store: Store, exhibit: Exhibit, locator: EvidenceLocator, scratch: Path) -> Cut:
    """The piece as a file in `scratch`. Raises `Invalid`, `NotFound`, `Unavailable`."""
    place = store.evidence.path(exhibit.sha256)
    if store.evidence.size(exhibit.sha256) is None:
        raise NotFound(f"the bytes of {exhibit.name} are gone: {store.farewell(exhibit.sha256)}")
    limits = run.limits_for(exhibit.media_type, exhibit.size)
    return run.cut(place, run.reader_for(place), locator.fragment, scratch, limits)


def scratch_folder() -> tempfile.TemporaryDirectory[str]:
    """A private folder for a piece on its way out; what is cut passed the door as a part of the whole."""
    return tempfile.TemporaryDirectory(prefix="memoranda-")


def words_in(extract: Extract, text: str) -> str:
    """The words whose places touch a fragment ("" is the whole), a segment a line."""
    fragment = parse_fragment(text) if text else Fragment()
    return "\n".join(segment.text for segment in extract.segments if _touches(segment, fragment))


def _touches(segment: Segment, wanted: Fragment) -> bool:
    place = segment.place
    if wanted.page is not None and place.page != wanted.page:
        return False
    if wanted.other and place.other != wanted.other:
        return False
    if wanted.time is not None and place.time is not None:
        ends = wanted.time.end is None or place.time.start < wanted.time.end
        if not (ends and (place.time.end is None or place.time.end > wanted.time.start)):
            return False
    a_span, b_span = wanted.chars, place.chars
    if a_span is not None and b_span is not None and not (b_span[0] < a_span[1] and a_span[0] < b_span[1]):
        return False
    if wanted.box is not None and place.box is not None and not wanted.box.percent:
        a, b = wanted.box, place.box
        return a.x < b.x + b.w and b.x < a.x + a.w and a.y < b.y + b.h and b.y < a.y + a.h
    return True
