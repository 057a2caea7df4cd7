"""JSON lines from files that grow, are cut, rewritten, or were never sound."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoranda.ports import jsonl
from memoranda.ports.jsonl import JsonLines, Line, Position


def lines_of(path: Path, position: Position | None = None) -> tuple[list[Line], JsonLines]:
    with JsonLines(path, position) as lines:
        found = list(lines)
        lines.position  # noqa: B018  it must be readable when all is read
        return found, lines


def at(path: Path, position: Position | None = None) -> Position:
    with JsonLines(path, position) as lines:
        list(lines)
        return lines.position


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history.jsonl"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"\n\n  \n", []),
        (b'{"a":1}\n{"b":2}\n', [(1, [{"a": 1}], ""), (2, [{"b": 2}], "")]),
        (b'{"a":1}\r\n\r\n{"b":2}\r\n', [(1, [{"a": 1}], ""), (3, [{"b": 2}], "")]),
        (b'\xef\xbb\xbf{"a":1}\n', [(1, [{"a": 1}], "")]),
        (b'{"a":1}{"b":2}\n', [(1, [{"a": 1}, {"b": 2}], "")]),
        (b'{"a":1} , {"b":2}\n', [(1, [{"a": 1}], "more than JSON objects on the line")]),
        (b'{"a":1\n{"b":2}\n', [(1, [], "not JSON"), (2, [{"b": 2}], "")]),
        (b'{"a":"\xff"}\n', [(1, [{"a": "\ufffd"}], "invalid UTF-8, read with replacement characters")]),
        (b'{"a":"\xed\xa0\x80"}\n', [(1, [{"a": "\ufffd" * 3}], "invalid UTF-8, read with replacement characters")]),
        (b'{"a":"\\ud800"}\n', [(1, [{"a": "\ud800"}], "")]),
        (b'{"a":"tab\there"}\n', [(1, [{"a": "tab\there"}], "")]),
        (b"[1]\n7\n", [(1, [], "not a JSON object"), (2, [], "not a JSON object")]),
        (b"\x00\x00\x00\n", [(1, [], "not JSON")]),
        (b"[" * 100_000 + b"\n", [(1, [], "not JSON")]),
        (b'{"n":' + b"9" * 10_000 + b"}\n", [(1, [], "not JSON")]),
        (b'{"a":1}\n{"b":', [(1, [{"a": 1}], "")]),
        (b'{"a":1}\n{"b":2}', [(1, [{"a": 1}], ""), (2, [{"b": 2}], "")]),
        (b'{"a":1}\n{"b":2} {"c"', [(1, [{"a": 1}], "")]),
    ],
)
def test_what_a_line_may_be(path: Path, data: bytes, expected: list[tuple[int, list[object], str]]) -> None:
    path.write_bytes(data)
    found, _ = lines_of(path)
    assert [(line.number, line.objects, line.flaw) for line in found] == expected


def test_a_torn_last_line_waits_and_is_read_once(path: Path) -> None:
    path.write_bytes(b'{"a":1}\n{"b"')
    found, lines = lines_of(path)
    assert (len(found), lines.unfinished) == (1, 4)
    position = at(path)
    assert position.offset == 8
    with path.open("ab") as file:
        file.write(b':2}\n{"c":3}\n')
    found, lines = lines_of(path, position)
    assert [(line.number, line.objects) for line in found] == [(2, [{"b": 2}]), (3, [{"c": 3}])]
    assert not lines.restarted


def test_a_whole_last_line_without_a_break_is_read_and_keeps_its_number(path: Path) -> None:
    path.write_bytes(b'{"a":1}\n{"b":2}')
    position = at(path)
    assert position.offset == 15
    with path.open("ab") as file:
        file.write(b'\n{"c":3}\n')
    assert [(line.number, line.objects) for line in lines_of(path, position)[0]] == [(3, [{"c": 3}])]


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[:-3],
        lambda data: b"",
        lambda data: b'{"z":0}\n' + data,
        lambda data: data[:-4] + b"9}\n" + b'{"d":4}\n',
        lambda data: b'{"A":1}' + data[7:] + b'{"d":4}\n',
    ],
    ids=["cut", "emptied", "prepended", "rewritten at the end", "rewritten at the beginning"],
)
def test_what_no_longer_stands_there_is_read_anew(path: Path, change: object) -> None:
    path.write_bytes(b'{"a":1}\n{"b":2}\n{"c":3}\n')
    position = at(path)
    path.write_bytes(change(path.read_bytes()))  # type: ignore[operator]
    _, lines = lines_of(path, position)
    assert lines.restarted


def test_the_same_bytes_under_another_name_inode_and_time_go_on(path: Path) -> None:
    path.write_bytes(b'{"a":1}\n')
    position = at(path)
    copy = path.with_name("copy.jsonl")
    copy.write_bytes(path.read_bytes() + b'{"b":2}\n')
    os.utime(copy, (1, 1))
    found, lines = lines_of(copy, position)
    assert [line.objects for line in found] == [[{"b": 2}]]
    assert not lines.restarted


def test_a_file_that_grows_while_it_is_read_ends_where_it_ended(path: Path) -> None:
    path.write_bytes(b'{"a":1}\n' * 3)
    with JsonLines(path) as lines, path.open("ab") as writer:
        seen = 0
        for _ in lines:
            seen += 1
            writer.write(b'{"b":2}\n')
            writer.flush()
    assert seen == 3


def test_a_file_that_is_cut_while_it_is_read_ends(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "CHUNK", 16)
    path.write_bytes(b'{"a":1}\n' * 100)
    with JsonLines(path) as lines:
        iterator = iter(lines)
        next(iterator)
        os.truncate(path, 8)
        assert len(list(iterator)) < 99


def test_a_file_that_vanishes_while_it_is_read_is_read_to_its_end(path: Path) -> None:
    path.write_bytes(b'{"a":1}\n' * 3)
    with JsonLines(path) as lines:
        path.unlink()
        assert len(list(lines)) == 3
    with pytest.raises(FileNotFoundError):
        JsonLines(path)


def test_only_regular_files_are_opened(tmp_path: Path, path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    path.write_bytes(b"{}\n")
    (tmp_path / "link").symlink_to(path)
    for name in ("pipe", "link", ""):
        with pytest.raises(OSError):
            JsonLines(tmp_path / name)


def test_a_line_over_the_limit_is_named_and_passed_over(path: Path) -> None:
    path.write_bytes(b'{"a":1}\n{"b":"' + b"x" * 100 + b'"}\n{"c":3}\n')
    with JsonLines(path, limit=50) as lines:
        found = [(line.number, line.objects, line.flaw) for line in lines]
    assert found == [
        (1, [{"a": 1}], ""),
        (2, [], "line of 109 bytes is over the limit of 50"),
        (3, [{"c": 3}], ""),
    ]


@pytest.mark.parametrize("chunk", [1, 7, 50, 64])
def test_chunks_change_nothing(path: Path, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(b'{"a":"\xc3\xa9"}\n\n{"b":"' + b"x" * 100 + b'"}\r\nnonsense\n{"c":3}{"d":4}\n{"e"')
    with JsonLines(path, limit=60) as lines:
        expected = list(lines)
    monkeypatch.setattr(jsonl, "CHUNK", chunk)
    with JsonLines(path, limit=60) as lines:
        assert list(lines) == expected


def test_c16_a_line_of_100_mb_is_passed_over_in_fixed_memory(path: Path) -> None:
    with path.open("wb") as file:
        file.write(b'{"a":1}\n{"b":"')
        for _ in range(100):
            file.write(b"x" * (1 << 20))
        file.write(b'"}\n{"c":3}\n')
    tracemalloc.start()
    found, _ = lines_of(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [line.number for line in found] == [1, 2, 3]
    assert "over the limit" in found[1].flaw
    assert peak < 40 << 20


@pytest.mark.slow
def test_c16_the_longest_line_that_is_read_stays_under_300_mb(path: Path) -> None:
    """One emoji makes the line's text four bytes a character; the highest resident size is asked of a process."""
    filler = json.dumps({"a": "\U0001f600" + "x" * (jsonl.LINE_LIMIT - 20)}, ensure_ascii=False)
    path.write_text(filler + "\n", encoding="utf-8")
    # ru_maxrss of a process begins with what its parent had when it was started; VmHWM is its own
    code = (
        "import pathlib, resource, sys; from memoranda.ports.jsonl import JsonLines\n"
        "lines = JsonLines(pathlib.Path(sys.argv[1])); assert [len(line.objects) for line in lines] == [1]\n"
        "status = pathlib.Path('/proc/self/status')\n"
        "own = [line.split()[1] for line in open(status) if line.startswith('VmHWM')] if status.exists() else []\n"
        "print(int(own[0]) << 10 if own else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    out = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True).stdout
    assert 10 << 20 < int(out) < 300 << 20


pieces = st.lists(
    st.sampled_from(
        [b'{"a":1}', b'{"b":"\xc3\xa9 \\n"}', b"\n", b"\r\n", b" ", b"{", b"\xff", b"junk", b'{"c":{}}{"d":[]}']
    ),
    max_size=30,
)


@given(pieces, st.lists(st.integers(0, 200), max_size=6))
def test_read_in_pieces_equals_read_at_once(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], cuts: list[int]
) -> None:
    """Every object that can be read is read exactly once, with the same place, however the file grew."""
    data = b"".join(parts) + b"\n"
    path = tmp_path_factory.mktemp("pieces") / "f.jsonl"
    path.write_bytes(data)
    whole = [(line.number, n, o) for line in lines_of(path)[0] for n, o in enumerate(line.objects)]
    position, found = None, []
    for cut in (*sorted(min(cut, len(data)) for cut in cuts), len(data)):
        path.write_bytes(data[:cut])
        with JsonLines(path, position) as lines:
            found += [(line.number, n, o) for line in lines for n, o in enumerate(line.objects, line.taken)]
            assert not lines.restarted
            position = lines.position
    assert found == whole
