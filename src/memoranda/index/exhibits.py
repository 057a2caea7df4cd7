"""Cuts extracts into passages: what is indexed, what recall shows, and the exact place of its words.

Same extract, same passages: the cache can be thrown away and the same locators come back.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Iterator, Mapping, Sequence

from memoranda.index.chunk import date_words, pieces
from memoranda.model.evidence import Exhibit, Extract, Passage, Segment, joined
from memoranda.model.fragment import Fragment, hull
from memoranda.model.index import Chunk

#: A passage is closed where the media pauses once it holds this many characters, and anywhere before it holds so many:
#: half a minute of speech or a paragraph of a page, so that what is opened is little more than what was found.
_CLOSE_CHARS, _MOST_CHARS = 120, 400


def passages(sha256: str, extract: Extract) -> Sequence[Passage]:
    """The passages of an extract in reading order, each with the locator of all its words."""
    found: list[Passage] = []
    for segments, whole in _runs(extract.segments):
        text = joined(segments)[0].rstrip()
        for start, end in pieces(text):
            place = whole
            if len(segments) == 1 and whole.chars is not None:
                place = Fragment(
                    page=whole.page, chars=(whole.chars[0] + start, whole.chars[0] + end), other=whole.other
                )
            locator = f"evidence:sha256:{sha256}" + (f"#{place}" if place != Fragment() else "")
            found.append(Passage(len(found), locator, text[start:end]))
    return found


def chunks(exhibit: Exhibit, extract: Extract) -> Mapping[str, list[Chunk]]:
    """The pieces of an exhibit by document, which is the locator of a passage; places that are equal share one."""
    family = exhibit.media_type.partition("/")[0]
    title = f"{date_words(exhibit.created)} {exhibit.name} {family}"
    found: dict[str, list[Chunk]] = {}
    for passage in passages(exhibit.sha256, extract):
        found.setdefault(passage.locator, []).append(
            Chunk(
                key=f"{passage.locator}#{passage.number}.0",
                doc=passage.locator,
                kind="evidence",
                text=passage.text,
                content=sha256(passage.text.encode("utf-8", "surrogatepass")).hexdigest(),
                title=title,
                ts=exhibit.created,
                block=passage.number,
                end=len(passage.text),
                tier=1,
            )
        )
    return found


def _runs(segments: Sequence[Segment]) -> Iterator[tuple[list[Segment], Fragment]]:
    """Segments that belong together, with the smallest place around them."""
    run: list[Segment] = []
    whole, size = Fragment(), 0
    for segment in segments:
        around = hull((whole, segment.place)) if run else segment.place
        if run and (around is None or size + len(segment.text) > _MOST_CHARS):
            yield run, whole
            run, size, around = [], 0, segment.place
        run.append(segment)
        whole, size = around or Fragment(), size + len(segment.text) + 1
        if segment.gap and size >= _CLOSE_CHARS:
            yield run, whole
            run, size = [], 0
    if run:
        yield run, whole
