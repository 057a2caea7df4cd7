"""What is thrown away: an index that is damaged, and never one that is only in use, full or out of reach."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any, Callable

import pytest

from memoranda.builtin import embedded
from memoranda.builtin.embedded import lexical
from memoranda.index import Index
from memoranda.model.errors import Busy, Unavailable
from memoranda.model.index import Search
from memoranda.model.record import Record

Opener = Callable[..., Index]
NOTES = {"cursor/claude/x": "stamp", "seen/claude/s1": "ids", "resume/claude/x": "99"}


def everything(record: Record) -> bool:
    return True


def docs(index: Index, asked: str) -> list[str]:
    return [row.doc for row in index.rankings(Search(asked, ("words",))).get("words", ())]


def identity(index: Index) -> int:
    """Another one means that the index was deleted in between."""
    return (index.folder / "map.sqlite").stat().st_ino


def held(index: Index, truth: Any) -> None:
    truth.say("s1", "alpha one", "alpha two")
    index.sync(truth, everything)
    index.put_notes(NOTES)


# --- what is no damage


def test_tantivy_lock_held_elsewhere_is_busy(open_index: Opener, truth: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    index = open_index()
    held(index, truth)
    before = identity(index)
    monkeypatch.setattr(lexical, "_LOCK_SECONDS", 0.05)
    other = lexical.Lexical(index.folder / "words", embedded.make(index.folder)._weights)
    other.open(create=False)
    other._writer = other._taken()
    turns = truth.say("s1", "alpha three")
    with pytest.raises(Busy):
        index.add_turns(turns, truth.reached(turns), {})
    with pytest.raises(Busy):
        index.sync(truth, everything)
    other.rollback()
    assert index.sync(truth, everything).current
    assert (len(docs(index, "alpha")), identity(index), dict(index.notes("cursor/"))) == (
        3,
        before,
        {"cursor/claude/x": "stamp"},
    )


def test_the_map_held_elsewhere_is_busy(open_index: Opener, truth: Any) -> None:
    index = open_index()
    held(index, truth)
    before = identity(index)
    index._opened()._store.link.execute("PRAGMA busy_timeout = 10")  # type: ignore[attr-defined]
    other = sqlite3.connect(index.folder / "map.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Busy):
        index.put_notes({"a": "b"})
    other.close()
    index.put_notes({"a": "b"})
    assert (identity(index), index.notes("seen/")) == (before, {"seen/claude/s1": "ids"})


@pytest.mark.parametrize("limit", ["RLIMIT_FSIZE, 20_000", "RLIMIT_NOFILE, 9", "RLIMIT_FSIZE, 200"])
def test_a_full_disk_and_too_few_files_are_unavailable(
    open_index: Opener, truth: Any, tmp_path: Path, limit: str
) -> None:
    index = open_index(model=None)
    held(index, truth)
    before = identity(index)
    index.close()
    code = textwrap.dedent(
        f"""
        import importlib.util, resource, sys
        from pathlib import Path
        from memoranda.builtin import embedded
        from memoranda.index import Index
        from memoranda.model.errors import Busy, Unavailable
        import sqlite3, tantivy
        spec = importlib.util.spec_from_file_location("c", {str(Path(__file__).with_name("conftest.py"))!r})
        c = importlib.util.module_from_spec(spec); sys.modules["c"] = c; spec.loader.exec_module(c)
        truth = c.Truth()
        many = (f"alpha {{n}} " + " ".join(f"w{{n}}x{{k}}" for k in range(200)) for n in range(300))
        truth.say("s1", "alpha one", "alpha two", *many)
        index = Index(Path({str(index.folder)!r}), embedded.make, None, Path("."), 0.1)
        kind, value = {limit!r}.split(", ")
        resource.setrlimit(getattr(resource, kind), (int(value), resource.getrlimit(getattr(resource, kind))[1]))
        try:
            index.sync(truth, lambda r: True)
        except (Busy, Unavailable, OSError) as error:
            print(type(error).__name__)
        """
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.stdout.strip() in ("Unavailable", "OSError", ""), run.stderr
    again = open_index(model=None)
    assert identity(again) == before, run.stdout + run.stderr
    assert dict(again.notes("cursor/")) == {"cursor/claude/x": "stamp"}
    again.sync(truth, everything)
    assert len(docs(again, "alpha")) == 2


def test_a_lone_surrogate_is_indexed_like_any_text(index: Index, truth: Any) -> None:
    held(index, truth)
    before = identity(index)
    truth.say("s2", "alpha \ud83d cut in half, and é")
    index.sync(truth, everything)
    assert docs(index, "half") == ["turn:claude/s2/s2-0"]
    assert docs(index, "half \ud83d") == ["turn:claude/s2/s2-0"]
    assert identity(index) == before


# --- several handles


def test_a_handle_follows_an_index_that_another_made_anew(open_index: Opener, truth: Any) -> None:
    one, other = open_index(), open_index()
    held(one, truth)
    other.drop()
    turns = truth.say("s2", "alpha three")
    other.add_turns(turns, truth.reached(turns), {})
    made = identity(other)
    assert docs(one, "alpha") == ["turn:claude/s2/s2-0"]
    turns = truth.say("s1", "alpha four")
    one.add_turns(turns, truth.reached(turns), {})  # its file was read up to here in an index that is no more
    assert one.behind
    assert not one.state().current
    assert one.sync(truth, everything).current
    assert (len(docs(other, "alpha")), identity(one)) == (4, made)


def test_a_step_may_be_taken_twice_and_out_of_order(open_index: Opener, truth: Any) -> None:
    one, other = open_index(), open_index()
    first = truth.say("s1", "alpha one")
    told = truth.reached(first)
    second = truth.say("s1", "alpha two")
    two = [type(told[0])(told[0].path, 0, told[0].end + 10, 1)]
    other.add_turns([*first, *second], two, {})
    one.add_turns(first, told, {})
    name = f"turnfile/{truth.path('s1')}"
    assert json.loads(one.notes(name)[name]) == {"size": 20, "seq": 1}
    assert len(docs(one, "alpha")) == 2


def test_a_reader_makes_nothing(open_index: Opener, tmp_path: Path) -> None:
    reader = open_index()
    (reader.folder / "words").mkdir(parents=True)  # as when a writer is about to begin, or in the middle of a deletion
    assert reader.notes("") == {}
    assert reader.rankings(Search("alpha", ("words",))) == {}
    assert reader.state().passages == 0
    assert not (reader.folder / "map.sqlite").exists()


def test_state_claims_nothing_before_a_look(open_index: Opener, truth: Any) -> None:
    assert not open_index().state().current
    held(open_index(), truth)
    fresh = open_index()
    assert not fresh.state().current
    assert fresh.sync(truth, everything).current


# --- what is damage


def test_notes_of_captures_survive_damage_of_the_words(open_index: Opener, truth: Any) -> None:
    index = open_index()
    held(index, truth)
    index.close()
    (index.folder / "words" / "meta.json").write_text("{")
    again = open_index()
    turns = truth.say("s2", "alpha three")
    again.add_turns(turns, truth.reached(turns), {"cursor/claude/y": "new"})
    assert again.behind
    assert dict(again.notes("cursor/")) == {"cursor/claude/x": "stamp", "cursor/claude/y": "new"}
    assert docs(again, "alpha") == ["turn:claude/s2/s2-0"]
    assert again.sync(truth, everything).current
    assert len(docs(again, "alpha")) == 3
    assert "anew" in again.state().note


@pytest.mark.parametrize("name", ["vectors.i8", "scales.bin"])
@pytest.mark.parametrize("at", [0, 1, 5, -1])
def test_one_changed_byte_of_a_vector_is_damage(open_index: Opener, truth: Any, model: Any, name: str, at: int) -> None:
    truth.say("s1", *(f"alpha number {n}" for n in range(30)))
    index = open_index()
    index.sync(truth, everything)
    index.embed(truth.text_of, None)
    asked = Search("", ("dense",), vector=model.query("alpha number 7"))
    wanted = index.rankings(asked)
    index.close()
    data = bytearray((index.folder / name).read_bytes())
    data[at] ^= 0x80
    (index.folder / name).write_bytes(data)
    index.rankings(asked)
    assert "vectors are damaged" in index.state().note
    index.embed(truth.text_of, None)
    assert index.rankings(asked) == wanted


def test_a_half_written_vector_counts_as_none(open_index: Opener, truth: Any, model: Any) -> None:
    truth.say("s1", "alpha one", "alpha two")
    index = open_index()
    index.sync(truth, everything)
    index.embed(truth.text_of, None)
    truth.say("s1", "alpha three")
    index.sync(truth, everything)
    with (index.folder / "vectors.i8").open("ab") as file:  # a crash before SQLite's commit
        file.write(bytes(64))
    with (index.folder / "scales.bin").open("ab") as file:
        file.write(b"\x00\x00\x80\x3f\x01\x02\x03\x04")
    asked = Search("", ("dense",), vector=model.query("alpha three"))
    assert len(index.rankings(asked)["dense"]) == 2
    assert index.embed(truth.text_of, None) == 1
    assert len(index.rankings(asked)["dense"]) == 3
    assert index.state().note == ""


def test_unavailable_is_no_reason_to_delete() -> None:
    with pytest.raises(Unavailable), lexical.native():
        raise ValueError("An IO error occurred: 'No space left on device (os error 28)'")
