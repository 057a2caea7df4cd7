"""Turns: a line each, exact text, only ever appended to, read in bounded memory."""

import json
import os
import resource
import threading
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoranda.model.errors import Invalid, NotFound
from memoranda.model.problem import Problem
from memoranda.model.turn import BLOCK_TYPES, Block, Turn
from memoranda.truth.folder import Folder
from memoranda.truth.lines import parse_turn, print_turn
from memoranda.truth.lock import WriteLock
from memoranda.truth.names import session_name
from memoranda.truth.turns import TurnStore
from memoranda.truth.view import FolderView

WRITER = "w0123456789ab"


@pytest.fixture
def turns(project: Folder) -> TurnStore:
    return TurnStore(project, WRITER, WriteLock(project.root / ".lock"))


# A high surrogate just before a low one is one character to every JSON reader, so only single ones are drawn.
any_text = st.one_of(st.text(), st.text(st.characters(exclude_categories=[])).filter(lambda t: not _pairs(t)))
maybe = st.one_of(st.none(), any_text)
words = st.lists(st.text(min_size=1, max_size=8), max_size=2).map(tuple)


def _pairs(text: str) -> bool:
    return any("\ud800" <= a <= "\udbff" and "\udc00" <= b <= "\udfff" for a, b in pairwise(text))


blocks = st.builds(Block, type=st.sampled_from(BLOCK_TYPES), text=any_text, tool=maybe, tool_use_id=maybe, marks=words)
turn_values = st.builds(
    Turn,
    session=any_text,
    turn=any_text,
    role=any_text,
    harness=st.just("claude"),
    blocks=st.lists(blocks, max_size=3).map(tuple),
    ts=st.sampled_from(["", "2026-07-02T16:40:00Z"]),
    seq=st.integers(0, 10**9),
    cwd=maybe,
    branch=maybe,
    parent=maybe,
    parent_session=maybe,
    flags=words,
    captured=st.just("2026-07-02T16:40:00Z"),
    screened=st.just("3"),
    extra=st.sampled_from([(), (("model", "x"), ("usage", {"in": 1, "é": ["\ud800"]}))]),
)


@given(turn_values)
@settings(max_examples=300, deadline=None)
def test_a8_what_is_read_is_what_was_written(turn: Turn) -> None:
    line = print_turn(turn)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert parse_turn(line) == turn


def test_the_line_is_the_one_of_format_md(make: SimpleNamespace) -> None:
    turn = replace(
        make.turn('Zoë said "hi"\n\x00').value,
        cwd="/w",
        flags=("meta",),
        blocks=(Block("text", 'Zoë "q"\n\x00\u2028'), Block("tool_use", "", "Bash", "toolu_1", ("redacted:x",))),
        extra=(("model", {"a": [1, "é"]}),),
    )
    assert print_turn(turn).decode() == (
        '{"format":1,"session":"s1","turn":"t0","seq":0,"ts":"2026-07-02T16:40:00Z","captured":"2026-07-02T16:40:00Z",'
        '"screened":"3","role":"user","harness":"claude","cwd":"/w","flags":["meta"],'
        '"blocks":[{"type":"text","text":"Zoë \\"q\\"\\n\\u0000\u2028"},'
        '{"type":"tool_use","text":"","tool":"Bash","tool_use_id":"toolu_1","marks":["redacted:x"]}],'
        '"model":{"a":[1,"é"]}}\n'
    )


def test_a_lone_surrogate_makes_the_whole_line_escaped(make: SimpleNamespace) -> None:
    turn = make.turn("é \ud83d").value
    line = print_turn(turn)
    assert line.isascii()
    assert parse_turn(line) == turn


def test_a1_rows_are_only_appended(turns: TurnStore, make: SimpleNamespace) -> None:
    (first,) = turns.append([make.turn("one", 0), make.turn("two", 1)])
    before = (turns.folder.root / first.path).read_bytes()
    (second,) = turns.append([make.turn("two, as the transcript has it now", 1), make.turn("three", 2)])
    after = (turns.folder.root / first.path).read_bytes()
    assert second.path == first.path
    assert after.startswith(before)
    assert second.size == len(after)
    assert [row[0].text for row in turns.read(first.path)] == [
        "one",
        "two",
        "two, as the transcript has it now",
        "three",
    ]


def test_files_are_named_by_harness_writer_month_and_session(turns: TurnStore, make: SimpleNamespace) -> None:
    old = make.turn("x", session="old", ts="2025-12-31T23:00:00Z")
    none = make.turn("x", session="no-time", ts="")
    files = turns.append([make.turn("x"), old, none])
    assert [file.path for file in files] == [
        f"turns/claude/{WRITER}/2026-07/s1.turns.jsonl",
        f"turns/claude/{WRITER}/2025-12/old.turns.jsonl",
        f"turns/claude/{WRITER}/2026-07/no-time.turns.jsonl",
    ]
    assert [file.path for file in turns.files()] == [files[2].path, files[0].path, files[1].path]
    assert list(turns.files()) == [files[2], files[0], files[1]]


def test_a_session_stays_in_the_file_of_its_first_month(turns: TurnStore, make: SimpleNamespace) -> None:
    (first,) = turns.append([make.turn("x", 0)])
    later = make.turn("y", 1, ts="2026-09-01T00:00:00Z")
    again = TurnStore(turns.folder, WRITER, turns.lock)
    assert again.append([later])[0].path == first.path


def test_reading_is_the_union_over_writers(turns: TurnStore, make: SimpleNamespace) -> None:
    other = TurnStore(turns.folder, "wffffffffffff", turns.lock)
    turns.append([make.turn("mine", 0)])
    other.append([make.turn("theirs", 0)])
    paths = turns.session_files("claude", "s1")
    assert paths == [
        f"turns/claude/{WRITER}/2026-07/s1.turns.jsonl",
        "turns/claude/wffffffffffff/2026-07/s1.turns.jsonl",
    ]
    assert [row[0].text for path in paths for row in turns.read(path)] == ["mine", "theirs"]
    assert turns.session_files("claude", "s2") == []
    assert turns.session_files("codex", "s1") == []


def test_threads_of_one_writer_interleave_whole_lines(turns: TurnStore, make: SimpleNamespace) -> None:
    def work(store: TurnStore, k: int) -> None:
        for n in range(10):
            store.append([make.turn("x" * 5000, 10 * k + n)])

    stores = [TurnStore(turns.folder, WRITER, WriteLock(turns.folder.root / ".lock")) for _ in range(4)]
    threads = [threading.Thread(target=work, args=(store, k)) for k, store in enumerate(stores)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (file,) = turns.files()
    assert sorted(row[0].seq for row in turns.read(file.path)) == list(range(40))


def test_a_torn_tail_moves_to_lost_and_found_before_the_next_append(turns: TurnStore, make: SimpleNamespace) -> None:
    (file,) = turns.append([make.turn("one", 0)])
    path = turns.folder.root / file.path
    torn = b'{"format":1,"session":"s1","turn":"t1","te' + b"x" * 200_000
    with path.open("ab") as stream:
        stream.write(torn)
    rows = list(turns.read(file.path))
    assert isinstance(rows[1], Problem)
    assert rows[1].line == 2
    turns.append([make.turn("two", 1)])
    assert [row[0].text for row in turns.read(file.path)] == ["one", "two"]
    (lost,) = (turns.folder.root / "lost+found").iterdir()
    assert lost.read_bytes() == torn


def test_a_file_that_is_one_torn_line_starts_anew(turns: TurnStore, make: SimpleNamespace) -> None:
    path = turns.folder.root / f"turns/claude/{WRITER}/2026-07/s1.turns.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"half")
    turns.append([make.turn("one", 0)])
    assert [row[0].text for row in turns.read(str(path.relative_to(turns.folder.root)))] == ["one"]


def test_reading_resumes_at_a_byte(turns: TurnStore, make: SimpleNamespace) -> None:
    (file,) = turns.append([make.turn(f"text {n} é", n) for n in range(5)])
    rows = list(turns.read(file.path))
    assert rows[-1][1] == file.size
    for n, (_, offset) in enumerate(rows):
        assert [row[0].seq for row in turns.read(file.path, offset)] == list(range(n + 1, 5))


def _row(**change: object) -> bytes:
    row = json.loads(
        print_turn(Turn("s1", "t1", "user", "claude", (Block("text", "hi"),), seq=1, captured="x", screened="3"))
    )
    row |= change
    return json.dumps({key: value for key, value in row.items() if value != "absent"}).encode()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"", "not JSON"),
        (b"nonsense", "not JSON"),
        (_row() + _row(), "more than one JSON value"),
        (b'"text"', "not a JSON object"),
        (b"[]", "not a JSON object"),
        (b"\xff\xfe{}", "not"),
        (b'{"text":"\xe9"}', "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (_row(format=2), "format 1"),
        (_row(format="absent"), "format 1"),
        (_row(seq="absent"), "seq"),
        (_row(seq=-1), "seq"),
        (_row(seq=True), "seq"),
        (_row(seq="1"), "seq"),
        (_row(session="absent"), "session is missing"),
        (_row(turn=None), "turn is missing"),
        (_row(role=7), "role is not a string"),
        (_row(ts="absent"), "ts is missing"),
        (_row(captured="absent"), "captured is missing"),
        (_row(screened=3), "screened is not a string"),
        (_row(cwd=7), "cwd is not a string"),
        (_row(flags="meta"), "flags is not a list"),
        (_row(flags=[1]), "flags is not a list"),
        (_row(blocks="absent"), "blocks is not a list"),
        (_row(blocks=["x"]), "block's type"),
        (_row(blocks=[{"type": "image", "text": ""}]), "block's type"),
        (_row(blocks=[{"type": ["text"], "text": ""}]), "block's type"),
        (_row(blocks=[{"type": "text"}]), "text is missing"),
        (_row(blocks=[{"type": "text", "text": "x", "marks": "y"}]), "marks is not a list"),
    ],
)
def test_a33_a_broken_line_is_a_problem_with_its_number(
    turns: TurnStore, make: SimpleNamespace, line: bytes, words: str
) -> None:
    (file,) = turns.append([make.turn("one", 0)])
    path = turns.folder.root / file.path
    with path.open("ab") as stream:
        stream.write(line + b"\n")
    turns.append([make.turn("two", 1)])
    rows = list(turns.read(file.path))
    assert [row[0].text for row in rows if isinstance(row, tuple)] == ["one", "two"]
    (problem,) = [row for row in rows if isinstance(row, Problem)]
    assert words in problem.message
    assert (problem.locator, problem.line) == (file.path, 2)
    (from_there,) = [row for row in turns.read(file.path, file.size) if isinstance(row, Problem)]
    assert from_there.line == 2


def test_unknown_keys_survive(turns: TurnStore, make: SimpleNamespace) -> None:
    (file,) = turns.append([make.turn("one", 0)])
    with (turns.folder.root / file.path).open("ab") as stream:
        stream.write(_row(model="m-1", usage={"in": 3}) + b"\n")
    turn = list(turns.read(file.path))[1][0]
    assert turn.extra == (("model", "m-1"), ("usage", {"in": 3}))
    assert parse_turn(print_turn(turn)) == turn


def test_a_line_beyond_the_limit_is_skipped_by_number_in_bounded_memory(
    turns: TurnStore, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoranda.truth.turns.LINE_BYTES", 4_000_000)
    (file,) = turns.append([make.turn("one", 0)])
    with (turns.folder.root / file.path).open("ab") as stream:
        for _ in range(100):
            stream.write(b"x" * 1_000_000)
        stream.write(b"\n")
    turns.append([make.turn("two", 1)])

    def work() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (_data_bytes() + 40_000_000, resource.RLIM_INFINITY))
        rows = list(turns.read(file.path))
        assert [row[0].text for row in rows if isinstance(row, tuple)] == ["one", "two"]
        (problem,) = [row for row in rows if isinstance(row, Problem)]
        assert problem.line == 2
        assert "100000001 bytes" in problem.message

    assert make.in_child(work) == 0
    with pytest.raises(Invalid):
        turns.append([make.turn("x" * 4_000_000, 2)])


def _data_bytes() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmData:")[1].split()[0]) * 1024


@pytest.mark.slow
def test_c16_a_line_of_100_mb_survives(turns: TurnStore, make: SimpleNamespace) -> None:
    text = "x" * 100_000_000
    (file,) = turns.append([make.turn(text, 0), make.turn("after", 1)])
    rows = list(turns.read(file.path))
    assert rows[0][0].text == text
    assert rows[1][0].text == "after"


def test_what_cannot_be_kept_is_invalid(turns: TurnStore, make: SimpleNamespace) -> None:
    good = make.turn("x").value
    for bad in (
        replace(good, seq=-1),
        replace(good, captured=""),
        replace(good, harness="../x"),
        replace(good, harness="nul"),
    ):
        with pytest.raises(Invalid):
            turns.append([replace(make.turn("x"), value=bad)])
    assert list(turns.files()) == []
    with pytest.raises(NotFound):
        list(turns.read("turns/claude/w0/2026-07/s1.turns.jsonl"))
    for path in ("../x.turns.jsonl", "turns/claude/w0/2026-07/../../x.turns.jsonl", "memory.toml"):
        with pytest.raises(Invalid):
            list(turns.read(path))


@pytest.mark.parametrize(
    ("session", "expected"),
    [
        ("3f2a91c0-7d55.x_y", "3f2a91c0-7d55.x_y"),
        ("a" * 80, "a" * 80),
        ("con", "_con-"),
        ("nul.x", "_nul.x-"),
        ("ABC", "___-"),
        ("a/b\\c:d", "a_b_c_d-"),
        ("../../x", "_._.._x-"),
        ("", "-"),
        ("é\ud800", "__-"),
        ("a" * 81, "a" * 80 + "-"),
    ],
)
def test_session_names_are_safe_everywhere(session: str, expected: str) -> None:
    name = session_name(session)
    assert name == expected or (name.startswith(expected) and len(name) == len(expected) + 8)
    assert name == os.path.basename(name)


def test_the_view_gives_the_index_records_and_turns(turns: TurnStore, store: object, make: SimpleNamespace) -> None:
    record = store.write(make.draft("Tabs, not spaces."))  # type: ignore[attr-defined]
    (file,) = turns.append([make.turn("hello")])
    view = FolderView(store, turns)  # type: ignore[arg-type]
    assert list(view.record_stamps()) == [record.path]
    assert view.record(record.path) == record
    assert list(view.turn_files()) == [file]
    assert [row[0].text for row in view.turns(file.path)] == ["hello"]  # type: ignore[index]
