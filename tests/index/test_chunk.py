"""Pieces: exact slices, all of the text that is no white space, broken where a reader would."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memoranda.index.chunk import PIECE_CHARS, chunk_record, chunk_turn, date_words, pieces
from memoranda.model.record import Category, Channel, Confidence, Durability, Record
from memoranda.model.turn import Block, Turn

TEXTS = st.lists(
    st.sampled_from(["word ", "\n\n", "\n", "End. ", "東京", "😀", " ", "\u00a0", "x" * 300, "\ud83d"])
).map("".join)


@given(TEXTS)
def test_pieces_are_slices_that_leave_only_white_space_out(text: str) -> None:
    last = 0
    for start, end in pieces(text):
        piece = text[start:end]
        assert 0 < len(piece) <= PIECE_CHARS
        assert piece == piece.strip()
        assert text[last:start].strip() == ""
        last = end
    assert text[last:].strip() == ""


def test_breaks_are_where_a_reader_would_break() -> None:
    paragraph = "A sentence of some length here. " * 20
    text = f"{paragraph}\n\n{paragraph}\n\n{paragraph}"
    assert [text[start:end] for start, end in pieces(text)] == [paragraph.strip()] * 3
    lines = "\n".join(f"line {n:04}" for n in range(300))
    assert all(
        lines[start:end].endswith(tuple("0123456789")) and lines[start:].startswith("line")
        for start, end in pieces(lines)
    )
    assert [end - start for start, end in pieces("x" * 2000)] == [900, 900, 200]


def test_blank_blocks_and_echoes_give_none() -> None:
    assert chunk_turn(turn(Block("text", " \n\t "), Block("text", ""))) == []
    assert chunk_turn(turn(Block("text", "words"), flags=("echo",))) == []


def test_what_a_turn_says_of_itself() -> None:
    text, call, output = chunk_turn(
        turn(Block("text", "look at it"), Block("tool_use", "cat x", tool="Bash"), Block("tool_result", "y" * 10)),
        "Plans",
    )
    assert (text.key, text.doc) == ("turn:claude/s%2F1/t%201#0.0", "turn:claude/s%2F1/t%201")
    assert (text.tier, call.tier, output.tier) == (1, 2, 3)
    assert text.title == "2026-07-02 2 July 2026 user tek Plans"
    assert call.title.endswith(" Bash")
    assert (text.role, text.repo, text.seq, text.type) == ("user", "/home/me/tek", 4, "text")
    assert (output.block, output.start, output.end) == (2, 0, 10)


def test_what_a_record_says_of_itself() -> None:
    record = Record(
        id="mem_aaaaaaaaaaaa",
        created="2026-07-02T16:40:00Z",
        category=Category.PREFERENCE,
        source="user_message",
        channel=Channel.DIRECT_SESSION,
        durability=Durability.DURABLE,
        confidence=Confidence.HIGH,
        screened="3",
        body="Staging deploys are fine.",
        entities=("staging-env",),
        tags=("ops",),
        scope="tek",
    )
    (chunk,) = chunk_record(record)
    assert (chunk.key, chunk.doc, chunk.kind, chunk.tier) == ("mem_aaaaaaaaaaaa#0.0", "mem_aaaaaaaaaaaa", "record", 0)
    assert chunk.title == "2026-07-02 2 July 2026 preference tek ops staging-env"
    assert chunk.entities == ("staging-env",)


def test_days_as_people_ask_for_them() -> None:
    assert date_words("2026-12-31T00:00:00Z") == "2026-12-31 31 December 2026"
    assert [date_words(odd) for odd in ("", "soon", "2026-13-01")] == ["", "", ""]


def turn(*blocks: Block, flags: tuple[str, ...] = ()) -> Turn:
    return Turn(
        session="s/1",
        turn="t 1",
        role="user",
        harness="claude",
        blocks=blocks,
        ts="2026-07-02T16:40:00Z",
        seq=4,
        cwd="/home/me/tek",
        flags=flags,
    )
