"""Extracts and cuts as JSON: between child and parent, and in the cache. Whatever is malformed raises `ValueError`."""

from __future__ import annotations

import json
from typing import Any

from memoranda.model.errors import Invalid
from memoranda.model.evidence import Cut, Extract, Segment
from memoranda.model.fragment import Extent, Fragment, check_fragment, parse_fragment

#: Raised when extracts would be written otherwise.
FORMAT = 1


def print_extract(extract: Extract) -> bytes:
    extent = extract.extent
    return json.dumps(
        {
            "format": FORMAT,
            "stamp": extract.stamp,
            "media_type": extract.media_type,
            "extent": [extent.micros, extent.width, extent.height, extent.pages, extent.chars, extent.other],
            "notes": extract.notes,
            "about": extract.about,
            "raw": extract.raw,
            "segments": [[s.text, str(s.place), int(s.gap)] for s in extract.segments],
        },
        separators=(",", ":"),
    ).encode()


def parse_extract(data: bytes) -> Extract:
    """Raises `ValueError` unless every value has its type and every place lies within the extent."""
    try:
        row = json.loads(data)
        if row["format"] != FORMAT:
            raise ValueError("another format")
        micros, width, height, pages, chars, other = row["extent"]
        extent = Extent(
            micros=_whole(micros),
            width=_whole(width),
            height=_whole(height),
            pages=tuple((_whole(w), _whole(h)) for w, h in pages),
            chars=_whole(chars),
            other=tuple((_text(k), _text(v)) for k, v in other),
        )
        return Extract(
            stamp=_text(row["stamp"]),
            media_type=_text(row["media_type"]),
            extent=extent,
            segments=tuple(_segment(extent, *found) for found in row["segments"]),
            notes=tuple(map(_text, row["notes"])),
            about=tuple(map(_text, row["about"])),
            raw=tuple(map(_text, row["raw"])),
        )
    except (KeyError, TypeError, RecursionError, Invalid) as error:
        raise ValueError(f"a malformed extract ({type(error).__name__})") from None


def print_cut(cut: Cut) -> bytes:
    return json.dumps({"name": cut.name, "media_type": cut.media_type, "facts": cut.facts}).encode()


def parse_cut(data: bytes) -> Cut:
    try:
        row = json.loads(data)
        facts = tuple((_text(k), _text(v)) for k, v in row["facts"])
        return Cut(_text(row["name"]), _text(row["media_type"]), facts)
    except (KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"a malformed cut ({type(error).__name__})") from None


def _segment(extent: Extent, text: Any, place: Any, gap: Any) -> Segment:
    fragment = parse_fragment(_text(place)) if place else Fragment()
    check_fragment(fragment, extent)
    return Segment(_text(text), fragment, bool(gap))


def _text(value: Any) -> str:
    if type(value) is not str:
        raise ValueError("a text is missing")
    return value.encode("utf-8", "replace").decode()


def _whole(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 1 << 53:
        raise ValueError("a number is missing")
    return value
