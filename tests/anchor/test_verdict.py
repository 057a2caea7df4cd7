"""Verdicts on files that do not hold their anchors, from what a world says of them."""

from __future__ import annotations

import pytest
from support.place import HEAD, Place

from memoranda.anchor import states, take
from memoranda.anchor.text import sha
from memoranda.model.errors import Invalid
from memoranda.model.locator import FileLocator
from memoranda.model.query import Verdict
from memoranda.model.world import Lineage

TEXT = b"def capped(count):\n    return min(count, RETRIES)\n"
OTHER = b"def capped(count):\n    return max(count, RETRIES)\n"


WHOLE = str(take(FileLocator("a"), Place({"a": TEXT})))
LINES = str(take(FileLocator("a", lines=(1, 2)), Place({"a": TEXT})))


def verdict(anchor: str, files: dict[str, bytes], known: Lineage | None = None) -> Verdict:
    (found,) = states((anchor,), Place(files, **({"a": known} if known else {})))
    return found


def test_an_anchor_into_a_file_names_the_commit_that_was_checked_out():
    assert WHOLE.endswith(f"@{HEAD}")
    assert verdict(WHOLE, {"a": TEXT}).state == "fresh"


def test_all_that_do_not_hold_are_asked_about_at_once_and_the_rest_not_at_all():
    world = Place({"a": OTHER})
    found = states((LINES, WHOLE, LINES, "nonsense"), world)
    assert [v.state for v in found] == ["changed", "changed", "changed", "unknown"]
    assert world.asked == [2]
    assert states((LINES,), world)[0] is found[0], "as it was noted"
    assert world.asked == [2]
    fresh = Place({"a": TEXT})
    states((LINES, WHOLE), fresh)
    assert fresh.asked == []


@pytest.mark.parametrize("anchor", [WHOLE, LINES])
def test_a_rename_that_git_tells_is_moved_only_where_the_text_is_the_same(anchor):
    known = Lineage(part=True, went=("b",))
    assert verdict(anchor, {"b": TEXT}, known).state == "moved"
    assert verdict(anchor, {"b": TEXT}, known).now.startswith("file:b")
    found = verdict(anchor, {"b": OTHER}, known)
    assert (found.state, found.now) == ("changed", "file:b")
    assert verdict(anchor, {}, known).state == "gone"


def test_the_same_bytes_elsewhere_are_moved_if_there_is_one_such_place_and_a_long_text():
    known = Lineage(part=True, alike=("b", "c"))
    assert verdict(WHOLE, {"b": TEXT}, known).state == "moved"
    assert verdict(WHOLE, {"b": TEXT, "c": TEXT}, known).state == "gone", "which of two is not known"
    short = str(take(FileLocator("a"), Place({"a": b"\n"})))
    assert verdict(short, {"b": b"\n"}, known).state == "gone"
    assert verdict(WHOLE, {}, Lineage(part=True, alike=("outside",))).state == "gone"


@pytest.mark.parametrize("files", [{}, {"a": OTHER}])
def test_c6_what_this_history_never_held_is_unknown_and_what_it_held_is_lost(files):
    lost = "changed" if files else "gone"
    for known, state in [
        (Lineage(part=True, apart=(("side", TEXT),)), lost),
        (Lineage(part=False, held=(b"x\n" + TEXT,)), lost),
        (Lineage(part=False, apart=(("side", TEXT),)), "unknown"),
        (Lineage(part=False), "unknown"),
        (Lineage(part=None, apart=(("side", TEXT),)), "unknown"),
        (Lineage(part=None, held=(OTHER,)), lost),
        (None, lost),
    ]:
        assert verdict(LINES, files, known).state == state, known


def test_c5_a_symbol_holds_wherever_it_stands_in_its_file():
    anchor = str(take(FileLocator("a", symbol="capped"), Place({"a": TEXT})))
    assert "#symbol=capped@" in anchor
    assert verdict(anchor, {"a": b"import os\n\n" + TEXT}).state == "fresh"
    assert verdict(anchor, {"a": b"import os\n" + OTHER + TEXT}).state == "changed", "it is defined twice now"
    assert verdict(anchor, {"a": OTHER}).state == "changed"
    found = verdict(anchor, {"a": b"import os\n"})
    assert (found.state, "no symbol of the file any more" in found.reason) == ("changed", True)
    assert verdict(anchor, {"b": TEXT}, Lineage(went=("b",))).state == "moved"


class Named(Place):
    def symbols(self, locator: FileLocator, data: bytes) -> list[tuple[str, tuple[int, int]]]:
        return [("A.get", (1, 1)), ("B.get", (2, 2)), ("A.set", (3, 3)), ("A.set", (4, 4))]


def test_c5_a_symbol_is_named_wholly_or_by_its_end_and_may_be_defined_in_pieces():
    world = Named({"a": b"one\ntwo\nthree\nfour\n"})
    with pytest.raises(Invalid, match=r"may be A\.get, B\.get"):
        take(FileLocator("a", symbol="get"), world)
    assert take(FileLocator("a", symbol="B.get"), world).sha256 == sha(b"two\n")
    assert take(FileLocator("a", symbol="set"), world).sha256 == sha(b"three\nfour\n")
    (anchor,) = [str(take(FileLocator("a", symbol="B.get"), world)).replace("B.get", "get")]
    assert states((anchor,), Named({"a": b"one\ntwo\nx\ny\n"}))[0].state == "fresh", "one of them still reads so"
