"""Cuts records and turns into the pieces that are indexed and embedded.

A piece is a slice of a block's stored text, `text[start:end]`, broken at a paragraph, line, sentence or space. Same
input, same pieces: the index can be thrown away and made again. `VERSION` changes whenever the pieces would.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Iterator

from memoranda.model.index import Chunk
from memoranda.model.locator import TurnLocator

if TYPE_CHECKING:
    from memoranda.model.record import Record
    from memoranda.model.turn import Turn

VERSION = 3

#: Code points of a piece at most. English prose has about 3.8 of them a token, so 900 are about 240 tokens and fit a
#: window of 256; code and numbers run denser, and what is beyond the window is still found by words.
PIECE_CHARS = 900
#: A break is looked for in the last two thirds of the window, so pieces do not become crumbs.
_EARLIEST = PIECE_CHARS // 3
_BREAKS = ("\n\n", "\n", ". ", "! ", "? ", "。", "; ", " ")
_TIERS = {"text": 1, "thinking": 1, "tool_use": 2, "tool_result": 3}
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


def chunk_record(record: Record) -> list[Chunk]:
    """The pieces of one record's body, tier 0."""
    title = " ".join(
        filter(None, (date_words(record.created), record.category, record.scope or "", *record.tags, *record.entities))
    )
    return [
        Chunk(
            key=f"{record.id}#0.{n}",
            doc=record.id,
            kind="record",
            text=record.body[start:end],
            content=_content(record.body[start:end]),
            title=title,
            entities=record.entities,
            repo=folder_of(record.scope) if record.scope else "",
            ts=record.created,
            start=start,
            end=end,
            tier=0,
        )
        for n, (start, end) in enumerate(pieces(record.body))
    ]


def folder_of(scope: str) -> str:
    """The scope of a record as a folder, so that the filter by folders takes what lies below a place. It ends in a
    slash, so that no filter by a repository's name takes it."""
    return f"scope:{scope}/"


def chunk_turn(turn: Turn, title: str = "") -> list[Chunk]:
    """The pieces of one turn's blocks; none of those that are our own recall coming back. `title` is the session's, if
    it has one."""
    if "echo" in turn.flags:
        return []
    doc = str(TurnLocator(harness=turn.harness, session=turn.session, turn=turn.turn))
    folder = (turn.cwd or "").replace("\\", "/").rstrip("/").rpartition("/")[2]
    about = " ".join(filter(None, (date_words(turn.ts), turn.role, folder, title)))
    chunks = []
    for number, block in enumerate(turn.blocks):
        if not block.searched:
            continue
        for n, (start, end) in enumerate(pieces(block.text)):
            text = block.text[start:end]
            chunks.append(
                Chunk(
                    key=f"{doc}#{number}.{n}",
                    doc=doc,
                    kind="turn",
                    text=text,
                    content=_content(text),
                    title=f"{about} {block.tool}" if block.tool else about,
                    harness=turn.harness,
                    session=turn.session,
                    repo=turn.cwd or "",
                    role=turn.role,
                    type=block.type,
                    ts=turn.ts,
                    seq=turn.seq,
                    block=number,
                    start=start,
                    end=end,
                    tier=_TIERS[block.type],
                )
            )
    return chunks


def pieces(text: str) -> Iterator[tuple[int, int]]:
    """Spans of `text` without white space at either end; none for blank text."""
    at = 0
    while at < len(text):
        end = len(text) if len(text) - at <= PIECE_CHARS else _break(text, at)
        piece = text[at:end]
        start = at + len(piece) - len(piece.lstrip())
        stop = at + len(piece.rstrip())
        if start < stop:
            yield start, stop
        at = end


def date_words(ts: str) -> str:
    """A time as people write its day: "2026-07-02 2 July 2026"; "" for none."""
    return _day_words(ts[:10])


@lru_cache(1000)
def _day_words(date: str) -> str:
    year, month, day = date[:4], date[5:7], date[8:]
    if not (year.isdigit() and month.isdigit() and day.isdigit() and 1 <= int(month) <= 12):
        return ""
    return f"{date} {int(day)} {_MONTHS[int(month) - 1]} {year}"


def _break(text: str, at: int) -> int:
    for mark in _BREAKS:
        found = text.rfind(mark, at + _EARLIEST, at + PIECE_CHARS)
        if found >= 0:
            return found + len(mark)
    return at + PIECE_CHARS


def _content(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
