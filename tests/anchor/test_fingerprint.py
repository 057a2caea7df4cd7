"""Anchors: what is taken, and what becomes of it."""

from __future__ import annotations

import hashlib
from typing import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memoranda.anchor import state, take
from memoranda.model.errors import Invalid, NotFound, Unavailable
from memoranda.model.locator import Anchor, FileLocator, TurnLocator, parse_anchor, parse_locator
from memoranda.model.query import Verdict
from memoranda.model.world import Unseen


class Tree:
    """A world of plain values: None is gone, an absent key cannot be looked at."""

    def __init__(self, files: dict[str, bytes | None] | None = None, turns: dict[str, str | None] | None = None):
        self.files, self.turns = files or {}, turns or {}

    def file(self, locator: FileLocator) -> bytes | None:
        if locator.path not in self.files:
            raise Unseen("no checkout here")
        return self.files[locator.path]

    def turn(self, locator: TurnLocator) -> str | None:
        if locator.session not in self.turns:
            raise Unseen("no turns here")
        return self.turns[locator.session]

    def rewritten(self, locator: TurnLocator) -> str:
        return ""

    def record(self, id: str) -> str | None:
        return None

    def symbols(self, locator: FileLocator, data: bytes) -> Sequence[tuple[str, tuple[int, int]]]:
        raise Unseen("nothing here reads its language")

    def commit(self, locator: FileLocator) -> str:
        return ""

    def lineages(self, asked: Sequence[Anchor], versions: bool = False) -> Sequence[None]:
        return [None] * len(asked)

    def looked(self, anchor: str) -> None:
        return None

    def note(self, verdicts: Sequence[Verdict]) -> None:
        pass


def test_b42_a_changed_line_inside_the_range_is_changed_and_restoring_it_clears_it():
    before = b"a\nb\nc\nd\n"
    anchor = str(take(FileLocator("f", lines=(2, 3)), Tree({"f": before})))
    assert anchor.endswith(hashlib.sha256(b"b\nc\n").hexdigest())
    assert state(anchor, Tree({"f": before})).state == "fresh"
    assert state(anchor, Tree({"f": b"a\nb\nX\nd\n"})).state == "changed"
    assert state(anchor, Tree({"f": b"X\nb\nc\nX\n"})).state == "fresh"
    assert state(anchor, Tree({"f": b"a\n"})).state == "changed"
    assert state(anchor, Tree({"f": None})).state == "gone"
    assert state(anchor, Tree({})).state == "unknown"


LINES = "def capped(count):\n    return min(count, RETRIES)\n"


def test_c5_lines_that_only_moved_within_their_file_are_moved_and_told_where():
    anchor = str(take(FileLocator("f", lines=(1, 2)), Tree({"f": LINES.encode()})))
    for before in ("import os\n", "import os\n" * 9):
        verdict = state(anchor, Tree({"f": (before + LINES).encode()}))
        n = before.count("\n")
        assert (verdict.state, verdict.reason) == ("moved", f"file:f#L1-L2 stands at L{n + 1}-L{n + 2} now")
    twice = state(anchor, Tree({"f": f"import os\n{LINES}{LINES}".encode()}))
    assert twice.state == "changed", "which of two is not known"


def test_c5_lines_that_moved_up_past_the_end_of_a_shorter_file_are_moved():
    anchor = str(take(FileLocator("f", lines=(8, 9)), Tree({"f": b"a\n" * 7 + LINES.encode()})))
    assert state(anchor, Tree({"f": LINES.encode()})).state == "moved"


def test_c5_a_text_short_enough_to_stand_elsewhere_by_chance_is_not_called_moved():
    anchor = str(take(FileLocator("f", lines=(1, 1)), Tree({"f": b"    return None\n"})))
    assert state(anchor, Tree({"f": b"x\ny\n    return None\n"})).state == "changed"


_CODE = st.lists(st.sampled_from(["", "}", "    return None", "a = 1", "b = 2", "import os"]), min_size=1, max_size=14)


@given(_CODE, _CODE, st.data())
def test_c5_moved_is_never_said_of_a_text_that_stands_nowhere(before: list[str], after: list[str], data):
    first = data.draw(st.integers(1, len(before)))
    last = data.draw(st.integers(first, len(before)))
    old = before[first - 1 : last]
    anchor = str(take(FileLocator("f", lines=(first, last)), Tree({"f": ("\n".join(before) + "\n").encode()})))
    verdict = state(anchor, Tree({"f": ("\n".join(after) + "\n").encode()}))
    places = [n + 1 for n in range(len(after)) if after[n : n + len(old)] == old]
    long = sum(len("".join(line.split())) for line in old) >= 24
    if first in places:
        assert verdict.state == "fresh"
    else:
        assert verdict.state == ("moved" if len(places) == 1 and long else "changed")


def test_line_ends_do_not_matter_in_text_and_do_in_bytes():
    unix, dos = b"a\nb\n", b"a\r\nb\r\n"
    anchor = str(take(FileLocator("f"), Tree({"f": unix})))
    assert state(anchor, Tree({"f": dos})).state == "fresh"
    binary = str(take(FileLocator("f"), Tree({"f": b"\0" + unix})))
    assert state(binary, Tree({"f": b"\0" + dos})).state == "changed"


def test_turns_are_taken_over_their_text_or_a_span_of_it():
    world = Tree(turns={"s": "héllo\nworld"})
    anchor = str(take(TurnLocator("claude", "s", turn="t", char=(1, 5)), world))
    assert anchor.endswith(hashlib.sha256("éllo".encode()).hexdigest())
    assert state(anchor, world).state == "fresh"
    assert state(anchor, Tree(turns={"s": "hEllo"})).state == "changed"
    assert state(anchor, Tree(turns={"s": None})).state == "gone"
    assert state(anchor, Tree()).state == "unknown"


def test_what_cannot_be_taken_says_why():
    with pytest.raises(NotFound):
        take(FileLocator("f"), Tree({"f": None}))
    with pytest.raises(Unavailable):
        take(FileLocator("f"), Tree())
    with pytest.raises(Invalid, match="only 1 lines"):
        take(FileLocator("f", lines=(1, 2)), Tree({"f": b"a\n"}))
    with pytest.raises(Unavailable, match="nothing here reads its language"):
        take(FileLocator("f", symbol="g"), Tree({"f": b"a\n"}))
    assert state("not an anchor", Tree()).state == "unknown"


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_two_files_share_a_fingerprint_only_if_they_read_the_same(one: bytes, other: bytes):
    def reading(data: bytes) -> bytes:
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return b"B" + data
        return b"B" + data if "\0" in text else b"T" + text.replace("\r\n", "\n").replace("\r", "\n").encode()

    anchor = str(take(FileLocator("f"), Tree({"f": one})))
    same = reading(one)[1:] == reading(other)[1:]
    assert (state(anchor, Tree({"f": other})).state == "fresh") is same


_NAME = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=12)


@given(_NAME, _NAME, st.none() | st.integers(0, 10**6), st.none() | st.tuples(st.integers(0, 99), st.integers(0, 99)))
@example("s", "a..b", None, None)
@example("..", "../../etc", None, None)
@example("s", "....", None, (0, 1))
@example("s", "12", None, None)
@example("s", "0..9", None, None)
def test_turn_locators_print_and_parse_to_the_same_value(session, turn, seq, char):
    if char and char[0] > char[1]:
        char = (char[1], char[0])
    locator = TurnLocator("claude", session, turn=None if seq is not None else turn, seq=seq, char=char)
    assert parse_locator(str(locator)) == locator


@given(
    st.lists(_NAME.filter(lambda s: s not in (".", "..") and "/" not in s and "\\" not in s), min_size=1, max_size=3)
)
def test_file_locators_print_and_parse_to_the_same_value(parts):
    for lines in (None, (3, 3), (3, 9)):
        for repo in (None, "a" * 40):
            locator = FileLocator("/".join(parts), repo, lines)
            if repo is None and len(parts) > 1 and len(parts[0]) in (40, 64):
                continue
            assert parse_locator(str(locator)) == locator


@pytest.mark.parametrize(
    "text",
    ["", "mem_12", "turn:claude/s", "turn:Claude/s/t", "turn:claude/s/9..3", "file:/etc/passwd", "file:a/../b",
     "file:a#L0", "file:a#L9-L3", "file:a#x", "file:a%ff", "evidence:sha256:00", "x:y", "file:a\nb", "file:",
     "turn:claude/s/t#char=9,3", "file:a//b", "file:a\\b"],
)  # fmt: skip
def test_malformed_locators_are_refused(text):
    with pytest.raises(Invalid):
        parse_locator(text)


def test_evidence_takes_no_fingerprint():
    locator = "evidence:sha256:" + "a" * 64
    assert str(parse_anchor(locator)) == locator
    with pytest.raises(Invalid):
        parse_anchor(locator + "@sha256:" + "b" * 64)
