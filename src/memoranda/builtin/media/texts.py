"""Paragraphs as segments whose places are code points of all of them together, and pieces of that text again."""

from __future__ import annotations

from pathlib import Path
from typing import Iterable, Sequence

from memoranda.model.errors import Invalid
from memoranda.model.evidence import Cut, Extract, Segment
from memoranda.model.fragment import Fragment

#: More text than this is not read (a book has about a million characters).
MOST_CHARS = 20_000_000


def by_chars(paragraphs: Iterable[str]) -> tuple[tuple[Segment, ...], int]:
    """Segments with `char=` places in the text of all paragraphs joined by one newline, and its length."""
    segments, at = [], 0
    for paragraph in paragraphs:
        text = " ".join(paragraph.split())
        if not text:
            continue
        if at + len(text) > MOST_CHARS:
            raise Invalid(f"it holds more than {MOST_CHARS:,} characters")
        segments.append(Segment(text, Fragment(chars=(at, at + len(text))), gap=True))
        at += len(text) + 1
    return tuple(segments), max(0, at - 1)


def cut_text(extract: Extract, fragment: Fragment, scratch: Path) -> Cut:
    """The words that a fragment names, as a new text file."""
    if fragment.time is not None or fragment.box is not None:
        raise Invalid(f"#{fragment} cannot be cut out of text", "use char= or page=")
    text = _chosen(extract.segments, fragment)
    (scratch / "cut.txt").write_text(text + "\n", encoding="utf-8")
    return Cut("cut.txt", "text/plain", (("characters", str(len(text))),))


def _chosen(segments: Sequence[Segment], fragment: Fragment) -> str:
    if fragment.page is not None:
        return "\n".join(s.text for s in segments if s.place.page == fragment.page)
    whole = "\n".join(s.text for s in segments)
    return whole if fragment.chars is None else whole[fragment.chars[0] : fragment.chars[1]]
