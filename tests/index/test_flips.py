"""A flipped bit in any file of the index is found before it is answered from, and nothing is printed by a library."""

from __future__ import annotations

import json
import random
import shutil
import time
from pathlib import Path
from typing import Any, Callable

import pytest

from memoranda.builtin.embedded.whole import facts_of
from memoranda.index import Index
from memoranda.model.errors import Corrupt
from memoranda.model.index import Search
from memoranda.model.record import Record

Opener = Callable[..., Index]
ASKED = ("alpha", "kettle number 7", "alpha harbour beta", "green 3")
_FLIPS = 12


def everything(record: Record) -> bool:
    return True


def answers(index: Index, vector: Any) -> list[object]:
    found = [index.rankings(Search(asked, ("words", "entities", "dense"), vector=vector)) for asked in ASKED]
    return [{name: list(rows) for name, rows in one.items()} for one in found]


@pytest.fixture
def made(open_index: Opener, truth: Any, model: Any) -> tuple[Index, list[object]]:
    """An index of records, turns and vectors in two commits, and its answers."""
    for n in range(12):
        truth.keep(f"mem_{n:012x}", f"alpha record {n} of harbour {n % 3}", entities=("Beta",))
    truth.say("s1", *(f"kettle number {n} is {'green' if n % 2 else 'blue'} alpha" for n in range(30)))
    index = open_index()
    index.sync(truth, everything)
    truth.say("s2", *(f"lamp {n} in parse_config_file of alpha" for n in range(20)))
    index.sync(truth, everything)
    index.embed(truth.text_of, None)
    wanted = answers(index, model.query("alpha kettle"))
    index.close()
    return index, wanted


def test_c4_f16_a_flipped_bit_in_any_file_never_changes_an_answer_unseen(
    made: tuple[Index, list[object]], open_index: Opener, model: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    index, wanted = made
    shutil.copytree(index.folder, tmp_path / "whole")
    draw, vector = random.Random(16), model.query("alpha kettle")
    found = unseen = 0
    for path in sorted(p for p in index.folder.rglob("*") if p.is_file() and p.stat().st_size):
        if path.name in ("lock", ".gitignore", "stamp.json"):
            continue
        whole = path.read_bytes()
        for _ in range(_FLIPS):
            data = bytearray(whole)
            data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
            path.write_bytes(data)
            handle = open_index()
            try:
                assert answers(handle, vector) == wanted, path
                unseen += 1
            except Corrupt:
                found += 1
            handle.close()
            shutil.rmtree(index.folder)
            shutil.copytree(tmp_path / "whole", index.folder)
    assert found > 5 * unseen, "what is found is the rule: only tantivy's list of files to delete and our notes are not"
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", ["map.sqlite", "words/meta.json", "words/*.term", "words/*.idx", "words/*.fast"])
def test_f16_what_a_disk_loses_without_a_trace_is_found_by_reading_every_byte(
    made: tuple[Index, list[object]], open_index: Opener, model: Any, name: str
) -> None:
    index, _ = made
    path = next(index.folder.glob(name))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)
    notes = {p.name: [list(facts_of(p)), time.time()] for p in index.folder.rglob("*") if p.is_file()}
    (index.folder / "checked.json").write_text(json.dumps(notes))  # as if its times were those of the whole file
    handle = open_index()
    handle.notes("record/")
    with pytest.raises(Corrupt):
        handle.verify()
    handle.close()


def test_what_was_found_whole_is_not_read_again(
    made: tuple[Index, list[object]], open_index: Opener, model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memoranda.builtin.embedded import lexical, whole

    _, wanted = made
    read: list[Path] = []
    monkeypatch.setattr(whole, "_TICK_NS", 0)
    sum_of = whole.crc
    monkeypatch.setattr(whole, "crc", lambda path, length=None: (read.append(path), sum_of(path, length))[1])
    for times in (1, 0):
        read.clear()
        handle = open_index()
        assert answers(handle, model.query("alpha kettle")) == wanted
        handle.close()
        assert bool(read) == bool(times)
    monkeypatch.setattr(whole, "_TRUSTED_SECONDS", 0)
    assert lexical.segment_whole is whole.segment_whole
    handle = open_index()
    assert answers(handle, model.query("alpha kettle")) == wanted
    assert read, "a day later everything is read again"
    handle.close()


def test_a_crash_while_the_log_is_settled_costs_no_rebuild(
    made: tuple[Index, list[object]], open_index: Opener, truth: Any, model: Any
) -> None:
    index, wanted = made
    before = (index.folder / "map.sqlite").stat().st_ino
    (index.folder / "seal.json").write_text('{"settling": true}')
    (index.folder / "checked.json").unlink(missing_ok=True)
    handle = open_index()
    assert answers(handle, model.query("alpha kettle")) == wanted
    handle.sync(truth, everything)
    assert (index.folder / "map.sqlite").stat().st_ino == before
    truth.say("s3", "alpha after the crash")
    handle.sync(truth, everything)
    handle.close()
    assert "sum" in json.loads((index.folder / "seal.json").read_text()), "and it is sealed again"


def test_a_log_that_nobody_settled_is_settled_by_whoever_goes_last(
    open_index: Opener, truth: Any, tmp_path: Path
) -> None:
    import os

    truth.say("s1", "alpha one")
    index = open_index()
    index.sync(truth, everything)
    index.close()
    truth.say("s1", "alpha two")
    pid = os.fork()
    if pid == 0:  # pragma: no cover
        open_index().sync(truth, everything)
        os._exit(0)
    os.waitpid(pid, 0)
    assert (index.folder / "map.sqlite-wal").stat().st_size
    for _ in range(2):
        reader = open_index()
        assert len(reader.rankings(Search("alpha", ("words",)))["words"]) == 2
        reader.close()
    assert not (index.folder / "map.sqlite-wal").exists()


def test_f16_a_flipped_bit_of_the_stamp_names_no_other_model(tmp_path: Path) -> None:
    from memoranda.index import stamp as stamps

    told = stamps.Stamp("hashing-1/64", 64)
    stamps.write(tmp_path, told)
    path = tmp_path / "stamp.json"
    whole = path.read_bytes()
    for at in range(len(whole)):
        for bit in range(8):
            data = bytearray(whole)
            data[at] ^= 1 << bit
            path.write_bytes(data)
            found = stamps.read(tmp_path)
            assert found == told or (found is not None and not found.current)


@pytest.mark.parametrize("how", ["cut", "noise", "flip"])
def test_c4_damage_under_an_open_handle_is_mended_and_prints_nothing(
    made: tuple[Index, list[object]],
    open_index: Opener,
    truth: Any,
    model: Any,
    capfd: pytest.CaptureFixture[str],
    how: str,
) -> None:
    _, wanted = made
    handle = open_index()
    handle.sync(truth, everything)
    assert answers(handle, model.query("alpha kettle")) == wanted
    for path in handle.folder.glob("words/*.idx"):
        data = path.read_bytes()
        damaged = {"cut": data[:10], "noise": bytes(len(data)), "flip": bytes([data[0] ^ 1]) + data[1:]}[how]
        path.write_bytes(damaged)
    asked = Search("alpha", ("words",))
    assert len(handle.rankings(asked)["words"]) == 62
    assert "anew" in handle.state().note
    handle.close()
    assert capfd.readouterr().err == ""


def test_f26_a_process_that_was_stopped_while_settling_holds_nobody_up_for_good(
    made: tuple[Index, list[object]], open_index: Opener, model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl
    import os

    from memoranda.builtin.embedded import whole

    index, wanted = made
    monkeypatch.setattr(whole, "_WAIT_SECONDS", 0.05)
    handle = os.open(index.folder, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    reader = open_index()
    assert answers(reader, model.query("alpha kettle")) == wanted, "a reader needs no lock"
    reader.put_notes({"a": "b"})
    reader.close()
    os.close(handle)
    again = open_index()
    assert answers(again, model.query("alpha kettle")) == wanted
    again.close()
