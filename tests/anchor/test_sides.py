"""The old source beside the new one: what was anchored and nothing else, and what took its place."""

from __future__ import annotations

from support.place import HEAD, Place

from memoranda.anchor import sides, states, take
from memoranda.anchor.sides import LINES
from memoranda.anchor.text import changed_part
from memoranda.model.locator import FileLocator
from memoranda.model.query import Side
from memoranda.model.world import Lineage

OLD = b"import os\n\nRETRIES = 5\nLIMIT = 1\n\ndef capped(count):\n    return min(count, RETRIES)\n"
NEW = b"import os\nimport re\n\nRETRIES = 9\nLIMIT = 1\n\ndef capped(count):\n    return max(count, RETRIES)\n"


def side(place: FileLocator, known: Lineage | None, files: dict[str, bytes]) -> Side:
    anchor = str(take(place, Place({"a": OLD})))
    world = Place(files, **({"a": known} if known else {}))
    (found,) = sides(states((anchor,), world), world)
    return found


def test_c5_lines_that_changed_stand_beside_what_took_their_place():
    found = side(FileLocator("a", lines=(3, 4)), Lineage(then=OLD, part=True), {"a": NEW})
    assert found.before == "RETRIES = 5\nLIMIT = 1"
    assert found.source == f"commit {HEAD[:12]}"
    assert found.after == "RETRIES = 9\nLIMIT = 1"
    assert found.place == "file:a#L4-L5"
    assert not found.longer


def test_a_text_that_was_never_at_that_commit_is_found_in_later_ones_by_its_fingerprint():
    known = Lineage(then=b"import os\n", part=True, held=(NEW, b"# moved\n" + OLD))
    found = side(FileLocator("a", lines=(3, 3)), known, {"a": NEW})
    assert (found.before, found.source) == ("RETRIES = 5", "an earlier commit")
    assert found.after == "", "the line that stands at that number now is blank"


def test_what_git_never_had_is_not_shown_and_nothing_else_in_its_place():
    found = side(FileLocator("a", lines=(3, 3)), None, {"a": NEW})
    assert (found.before, found.source) == ("", "")
    found = side(FileLocator("a", lines=(3, 3)), Lineage(then=NEW, part=True), {"a": NEW})
    assert found.before == ""


def test_whole_files_and_symbols_are_cut_to_what_differs():
    found = side(FileLocator("a"), Lineage(then=OLD, part=True), {"a": NEW})
    assert found.before.startswith("import os\n\nRETRIES = 5")
    found = side(FileLocator("a", symbol="capped"), Lineage(then=OLD, part=True), {"a": NEW})
    assert found.before.endswith("return min(count, RETRIES)")
    assert found.after.endswith("return max(count, RETRIES)")
    assert changed_part(["a", "b", "c", "d"], ["a", "b", "x", "y", "d"]) == (["b", "c", "d"], ["b", "x", "y", "d"])
    assert changed_part(["a"], ["a"]) == (["a"], ["a"])
    assert changed_part([], ["a"]) == ([], ["a"])


def test_a_file_that_is_gone_shows_what_it_was_and_long_ones_only_their_beginning():
    long = b"".join(b"line %d\n" % n for n in range(LINES + 5))
    anchor = str(take(FileLocator("a"), Place({"a": long})))
    world = Place({}, a=Lineage(then=long, part=True))
    (found,) = sides(states((anchor,), world), world)
    assert (found.after, found.place) == ("", "")
    assert found.before.count("\n") == LINES - 1
    assert found.longer


def test_what_holds_moved_or_is_unknown_has_no_sides():
    anchor = str(take(FileLocator("a", lines=(6, 7)), Place({"a": OLD})))
    for world in (Place({"a": OLD}), Place({"a": b"# one\n" + OLD}), Place({}, a=Lineage(part=False))):
        assert sides(states((anchor,), world), world) == ()
