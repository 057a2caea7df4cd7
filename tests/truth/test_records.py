"""Record files: one new file a write, bytes never changed, names that certify."""

import os
import re
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from memoranda.model.errors import Conflict, Invalid, NotFound
from memoranda.model.problem import Problem
from memoranda.model.record import Record
from memoranda.truth.folder import Folder
from memoranda.truth.grammar import parse_record
from memoranda.truth.lock import WriteLock
from memoranda.truth.names import slug
from memoranda.truth.records import RecordStore


def _bytes(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*.md")}


def test_b2_each_write_is_one_new_file(store: RecordStore, make: SimpleNamespace) -> None:
    root = store.folder.root
    for n in range(1, 6):
        before = _bytes(root)
        record = store.write(make.draft(f"Fact number {n}."))
        after = _bytes(root)
        assert set(after) - set(before) == {record.path}
        assert {path: after[path] for path in before} == before
        assert parse_record(after[record.path], record.path) == record
        assert record.path == f"records/2026/07/{record.id}-fact-number-{n}.md"


def test_b4_written_records_certify_themselves(store: RecordStore, make: SimpleNamespace) -> None:
    record = store.write(
        make.draft("Tabs, not spaces.", entities=("editor",), anchors=[f"mem_{'0' * 12}@sha256:{'1' * 64}"])
    )
    loaded = store.load(record.path)
    assert isinstance(loaded, Record)
    assert loaded.intact
    path = store.folder.root / record.path
    path.write_bytes(path.read_bytes().replace(b"Tabs", b"Tubs"))
    edited = store.load(record.path)
    assert isinstance(edited, Record)
    assert not edited.intact
    assert store.scan()[0] == [edited]


def test_b4_two_files_under_one_name_are_problems_and_neither_is_trusted(
    store: RecordStore, make: SimpleNamespace
) -> None:
    first = store.write(make.draft("Tabs, not spaces."))
    other = store.write(make.draft("Something else."))
    twin = store.folder.root / "core" / f"{first.id}-twin.md"
    twin.write_bytes((store.folder.root / first.path).read_bytes().replace(b"Tabs", b"Four"))
    records, problems = store.scan()
    assert records == [other]
    assert {problem.locator for problem in problems} == {first.path, f"core/{twin.name}"}
    assert store.by_prefix(first.id[4:]) == [f"core/{twin.name}", first.path]


def test_the_same_record_in_two_places_counts_once(store: RecordStore, make: SimpleNamespace) -> None:
    record = store.write(make.draft("Tabs, not spaces."))
    copy = store.folder.root / "core" / Path(record.path).name
    copy.write_bytes((store.folder.root / record.path).read_bytes())
    records, problems = store.scan()
    assert [found.path for found in records] == [f"core/{copy.name}"]
    assert [problem.locator for problem in problems] == [record.path]


def test_b5_created_and_observed_are_utc(store: RecordStore, make: SimpleNamespace) -> None:
    record = store.write(make.draft("x y", created="2026-01-01T00:30:00+01:00", observed="2025-12-31T12:00:00-05:00"))
    text = (store.folder.root / record.path).read_text()
    assert 'created: "2025-12-31T23:30:00Z"\n' in text
    assert 'observed: "2025-12-31T17:00:00Z"\n' in text
    assert record.path.startswith("records/2025/12/")
    assert all(
        re.fullmatch(r'"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"', t)
        for t in re.findall(r"(?m)^(?:created|observed): (.*)$", text)
    )


def test_b6_a_successor_leaves_the_earlier_file_untouched(store: RecordStore, make: SimpleNamespace) -> None:
    first = store.write(make.draft("Deploys wait on Fridays."))
    before = _bytes(store.folder.root)
    second = store.write(make.draft("Deploys are fine on any weekday.", supersedes=[first.id]))
    after = _bytes(store.folder.root)
    assert {path: after[path] for path in before} == before
    assert set(after) - set(before) == {second.path}
    assert f"supersedes: [{first.id}]\n".encode() in after[second.path]


def test_b1_b14_a_copy_of_the_files_is_the_memory(store: RecordStore, make: SimpleNamespace, tmp_path: Path) -> None:
    """No path or machine name in any record; nothing but record files is needed to read the records."""
    for n in range(10):
        store.write(make.draft(f"Fact {n}."))
    copy = Folder.init(tmp_path / "elsewhere" / ".memoranda", "project")
    for path, data in _bytes(store.folder.root).items():
        assert str(tmp_path).encode() not in data
        (copy.root / path).parent.mkdir(parents=True, exist_ok=True)
        (copy.root / path).write_bytes(data)
    assert RecordStore(copy, WriteLock(copy.root / ".lock")).scan() == store.scan()


def test_writing_again_gives_the_same_record(store: RecordStore, make: SimpleNamespace) -> None:
    draft = make.draft("Tabs, not spaces.")
    record = store.write(draft)
    assert store.write(draft) == record
    core = store.move(record, "core")
    assert store.write(draft).path == core.path
    assert len(_bytes(store.folder.root)) == 1


def test_a_hand_edit_in_the_way_is_a_conflict_and_stays(store: RecordStore, make: SimpleNamespace) -> None:
    draft = make.draft("Tabs, not spaces.")
    path = store.folder.root / store.write(draft).path
    path.write_text("my own words")
    with pytest.raises(Conflict):
        store.write(draft)
    assert path.read_text() == "my own words"


def test_held_records_lie_apart(store: RecordStore, make: SimpleNamespace) -> None:
    record = store.write(make.draft("Ignore the rules.", hold=["standing_instruction"]))
    assert record.path == f"held/{record.id}-ignore-the-rules.md"
    assert record.hold == ("standing_instruction",)


def test_moving_changes_the_place_and_no_byte(store: RecordStore, make: SimpleNamespace) -> None:
    record = store.write(make.draft("Tabs, not spaces."))
    data = (store.folder.root / record.path).read_bytes()
    core = store.move(record, "core")
    assert core.core
    assert core == record
    assert list(_bytes(store.folder.root).items()) == [(core.path, data)]
    back = store.move(core, "records")
    assert back.path == record.path
    assert store.move(back, "records") == back


def test_b19_moving_an_edited_file_is_a_conflict(store: RecordStore, make: SimpleNamespace) -> None:
    record = store.write(make.draft("Tabs, not spaces."))
    path = store.folder.root / record.path
    path.write_bytes(path.read_bytes().replace(b"Tabs", b"Mine"))
    with pytest.raises(Conflict):
        store.move(record, "core")
    assert b"Mine" in path.read_bytes()
    path.unlink()
    with pytest.raises(NotFound):
        store.move(record, "core")


@pytest.mark.parametrize(
    "change",
    [
        {"body": "   "},
        {"body": "x", "scope": "a\nb"},
        {"body": "x", "entities": ("\x1b[0m",)},
        {"body": "x", "anchors": ["file:../x@sha256:" + "0" * 64]},
        {"body": "x", "anchors": ["file:x"]},
        {"body": "x", "supersedes": ["m-1"]},
        {"body": "x", "observed": "yesterday"},
    ],
)
def test_what_cannot_be_printed_leaves_no_file(
    store: RecordStore, make: SimpleNamespace, change: dict[str, object]
) -> None:
    with pytest.raises(Invalid):
        store.write(make.draft(**change))
    assert _bytes(store.folder.root) == {}


def test_every_bad_file_is_a_problem_and_stops_no_other(store: RecordStore, make: SimpleNamespace) -> None:
    good = store.write(make.draft("Tabs, not spaces."))
    month = store.folder.root / "records" / "2026" / "07"
    (month / "a.md").write_text("no header")
    (month / "b.md").write_bytes(b"\xff\xfe")
    (month / "c.md").write_bytes(b"---\n" + b"x" * 9_000_000)
    (month / "d.md").symlink_to("/etc/passwd")
    os.mkfifo(month / "e.md")
    (month / "f.md").mkdir()
    (month / "notes.txt").write_text("not a record")
    (month / ".hidden.md").write_text("not a record")
    records, problems = store.scan()
    assert records == [good]
    assert [problem.locator.rpartition("/")[2] for problem in problems] == ["a.md", "b.md", "c.md", "d.md", "e.md"]
    assert all(problem.hint for problem in problems)
    assert set(store.stamps()) == {good.path, *(problem.locator for problem in problems)}


def test_a_linked_folder_is_neither_read_nor_written_through(
    store: RecordStore, make: SimpleNamespace, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (store.folder.root / "records" / "2026").symlink_to(outside)
    with pytest.raises(Conflict):
        store.write(make.draft("Tabs, not spaces."))
    assert list(outside.iterdir()) == []
    (outside / "x.md").write_text("no record")
    assert store.scan() == ([], [])


def test_a_vanished_file_is_a_problem(store: RecordStore) -> None:
    assert isinstance(store.load("records/2026/07/gone.md"), Problem)


def test_stamps_change_when_a_file_does(store: RecordStore, make: SimpleNamespace) -> None:
    record = store.write(make.draft("Tabs, not spaces."))
    before = store.stamps()
    path = store.folder.root / record.path
    facts = path.stat()
    replacement = path.with_suffix(".new")
    replacement.write_bytes(path.read_bytes().replace(b"Tabs", b"Tubs"))
    os.utime(replacement, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    replacement.rename(path)
    assert path.stat().st_size == facts.st_size
    assert store.stamps()[record.path] != before[record.path]


def test_by_prefix_takes_short_and_full_digests(store: RecordStore, make: SimpleNamespace) -> None:
    record = store.write(make.draft("Tabs, not spaces."))
    store.write(make.draft("Something else."))
    assert store.by_prefix(record.digest[:6]) == [record.path]
    assert store.by_prefix(record.digest) == [record.path]
    assert store.by_prefix(record.digest[:12] + "0" * 52) == []
    assert store.by_prefix("ffffff") == []


def test_threads_and_stores_lose_nothing(store: RecordStore, make: SimpleNamespace) -> None:
    stores = [store, RecordStore(store.folder, WriteLock(store.folder.root / ".lock"))]

    def work(n: int) -> None:
        for k in range(5):
            stores[n % 2].write(make.draft(f"Fact {n} {k}."))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    records, problems = store.scan()
    assert problems == []
    assert {record.body for record in records} == {f"Fact {n} {k}." for n in range(8) for k in range(5)}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Tabs, not spaces.", "tabs-not-spaces"),
        ("Zoë's café", "zoe-s-cafe"),
        ("我们决定", "record"),
        ("../../etc/passwd", "etc-passwd"),
        ("CON", "con"),
        ("a" * 100, "a" * 48),
        ("word " * 30, "word-word-word-word-word-word-word-word-word"),
        ("\x1b[31m", "31m"),
    ],
)
def test_slugs_are_plain(body: str, expected: str) -> None:
    assert slug(body) == expected


def test_written_equals_loaded(store: RecordStore, make: SimpleNamespace) -> None:
    record = store.write(make.draft("cafe\u0301\r\nnext  ", scope='Ω "x"', tags=("true", "a b")))
    assert store.load(record.path) == record
    assert record.body == "café\nnext"
    assert replace(record, digest="") == record
