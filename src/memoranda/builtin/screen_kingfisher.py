"""Kingfisher's rules as a screener: about 490 credential families matched in one pass, in process, offline.

Its rule database takes seconds to compile and is kept in a cache folder (only rules, never text). Offsets come as
bytes and leave as code points. Inline "ignore" comments and markup context are switched off: text written by others
must not be able to switch a rule off.
"""

from __future__ import annotations

import re
from functools import cache as once
from pathlib import Path
from typing import TYPE_CHECKING, Sequence

from memoranda.builtin.ordinary import ordinary
from memoranda.model.errors import Unavailable
from memoranda.model.outcome import Finding

if TYPE_CHECKING:
    from kingfisher_sdk import Scanner

_SEPARATOR = b"\n\x01\n"  # \x01 is in no rule's alphabet and is no white space, so nothing matches across it
_NAMESPACE = re.compile(r"^(?:betterleaks|veles|kingfisher|custom)[./](?:secrets/)?")
_NUMBER = re.compile(r"\.\d+$")
# Names, not secrets: they are reported but never cut out of what was said.
_PUBLIC = re.compile(r"(?:-id|-url|-domain|-host|-name|-address|-username|public-key|-pub-api-key|public-api-token)$")


class Kingfisher:
    """Keeps the promise `Screener`. The rules are loaded at the first look."""

    def __init__(self, cache: Path | None) -> None:
        self._cache = cache
        try:
            from kingfisher_sdk import __version__
        except ImportError:
            raise Unavailable(
                "the screener kingfisher is missing, so only our own rules look",
                "pip install kingfisher-secret-scanner",
            ) from None
        self.rules = f"kingfisher {__version__}"

    @property
    def compiled(self) -> bool:
        """Whether the rules are in the cache: else the first look takes seconds."""
        return self._cache is not None and any(self._cache.glob("*.vscdb"))

    def wants(self, text: str) -> bool:
        """Whether to look at this text at all: not at plain words, for which the rules need not even be loaded."""
        return not ordinary(text)

    def look(self, texts: Sequence[str]) -> Sequence[Sequence[Finding]]:
        """Findings for each text, by start. All texts are scanned in one call."""
        scanner = _scanner(str(self._cache) if self._cache else None)
        coded = [_bytes(text) for text in texts]
        starts, at = [], len(_SEPARATOR)
        for piece in coded:
            starts.append(at)
            at += len(piece) + len(_SEPARATOR)
        found: list[list[Finding]] = [[] for _ in texts]
        for hit in scanner.scan(_SEPARATOR + _SEPARATOR.join(coded)):
            if hit.visible:
                _place(hit.rule_id, hit.location, hit.is_base64_encoded, texts, coded, starts, found)
        return [sorted(each, key=lambda f: (f.start, f.end, f.rule)) for each in found]


def _place(
    rule_id: str,
    location: dict[str, int],
    encoded: bool,
    texts: Sequence[str],
    coded: list[bytes],
    starts: list[int],
    found: list[list[Finding]],
) -> None:
    """Put one hit beside the text it lies in; a hit reaching over an edge is cut there."""
    from bisect import bisect_right

    start, end = location["start_offset"], location["end_offset"]
    which = max(0, bisect_right(starts, start) - 1)
    begin, piece = starts[which], coded[which]
    first, last = max(0, start - begin), min(len(piece), end - begin)
    if last <= first:
        return
    if len(piece) != len(texts[which]):
        first, last = _points(piece, first), _points(piece, last)
    rule = _NUMBER.sub("", _NAMESPACE.sub("", rule_id))
    sure = not _PUBLIC.search(rule)
    found[which].append(Finding(rule, "credentials", first, last, sure, "base64" if encoded else ""))


def _bytes(text: str) -> bytes:
    """UTF-8 in which nothing makes the engine think of another encoding; one code point stays one code point."""
    return text.replace("\x00", " ").encode("utf-8", "replace")


def _points(piece: bytes, offset: int) -> int:
    return len(piece[:offset].decode("utf-8", "ignore"))


@once
def _scanner(cache: str | None) -> Scanner:
    from kingfisher_sdk import DetectionScanner, Rules

    rules = Rules(cache=cache is not None, cache_dir=cache)
    return DetectionScanner(rules, inline_ignores=False, markup_context=False)


def make(cache: Path | None = None) -> Kingfisher:
    """The screener; `cache` is a folder for its compiled rules (None: compile anew, seconds). Raises `Unavailable`."""
    return Kingfisher((cache / "screen").resolve() if cache else None)  # the engine follows no link
