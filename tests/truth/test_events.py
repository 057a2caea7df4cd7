"""Events: a hash chain per writer, the union read in one order, every break named by its line."""

import hashlib
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from memoranda.model.errors import Corrupt
from memoranda.truth.events import EventLog
from memoranda.truth.folder import Folder
from memoranda.truth.lock import WriteLock

A, B = "waaaaaaaaaaaa", "wbbbbbbbbbbbb"
TARGET = "7c10e3a94b21" + "0" * 52


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 7, 31, 23, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(minutes=10)
        return self.now


@pytest.fixture
def logs(project: Folder) -> SimpleNamespace:
    clock = Clock()
    lock = WriteLock(project.root / ".lock")
    return SimpleNamespace(
        a=EventLog(project, A, lock, clock), b=EventLog(project, B, lock, clock), clock=clock, root=project.root
    )


def _lines(root: Path, writer: str, month: str = "2026-07") -> list[bytes]:
    return (root / "events" / writer / f"{month}.jsonl").read_bytes().splitlines()


def _rewrite(root: Path, writer: str, lines: list[bytes], month: str = "2026-07") -> None:
    (root / "events" / writer / f"{month}.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))


def test_the_line_is_the_one_of_format_md(logs: SimpleNamespace) -> None:
    first = logs.a.append("retired", TARGET, "owner", 'said "no" ü')
    (line,) = _lines(logs.root, A)
    assert line.decode() == (
        f'{{"n":0,"prev":"","ts":"2026-07-31T23:10:00Z","kind":"retired","target":"{TARGET}",'
        '"principal":"owner","cause":"said \\"no\\" ü","seen":{}}'
    )
    assert first.digest == hashlib.sha256(line).hexdigest()
    logs.b.append("known", TARGET)
    second = logs.a.append("verified", TARGET)
    row = json.loads(_lines(logs.root, A)[1])
    assert (row["n"], row["prev"], row["seen"]) == (1, first.digest, {B: 0})
    assert second.seen == {B: 0}


def test_b4_events_carry_the_full_hash_across_months(logs: SimpleNamespace) -> None:
    events = [logs.a.append("verified", TARGET) for _ in range(10)]
    assert sorted(path.name for path in (logs.root / "events" / A).iterdir()) == ["2026-07.jsonl", "2026-08.jsonl"]
    read, problems = logs.a.read()
    assert problems == []
    assert read == events
    assert [event.n for event in read] == list(range(10))
    assert all(event.target == TARGET for event in read)


def test_a_clock_set_back_does_not_reorder_the_chain(logs: SimpleNamespace) -> None:
    for _ in range(8):
        logs.a.append("verified", TARGET)
    logs.clock.now = datetime(2020, 1, 1, tzinfo=UTC)
    logs.a.append("retired", TARGET)
    read, problems = logs.a.read()
    assert problems == []
    assert [event.n for event in read] == list(range(9))
    assert read[-1].kind == "retired"


@pytest.mark.parametrize("number", range(1, 5))
def test_b33_an_edited_line_is_named_by_its_number(logs: SimpleNamespace, number: int) -> None:
    for n in range(5):
        logs.a.append("verified", TARGET, cause=f"check {n}")
    lines = _lines(logs.root, A)[:5]
    lines[number - 1] = lines[number - 1].replace(b"verified", b"released")
    _rewrite(logs.root, A, lines)
    read, (problem,) = logs.a.read()
    assert (problem.locator, problem.line) == (f"events/{A}/2026-07.jsonl", number)
    assert [event.n for event in read] == [n for n in range(5) if n != number - 1]
    assert all(event.kind == "verified" for event in read), "the altered line is not among the events"


def test_a_missing_or_broken_line_is_named(logs: SimpleNamespace) -> None:
    for _ in range(4):
        logs.a.append("verified", TARGET)
    lines = _lines(logs.root, A)
    _rewrite(logs.root, A, [lines[0], lines[2], lines[3]])
    _, (problem,) = logs.a.read()
    assert problem.line == 2
    _rewrite(logs.root, A, [lines[0], b"garbage", lines[2], lines[3]])
    read, problems = logs.a.read()
    assert [problem.line for problem in problems] == [2, 2]
    assert [event.n for event in read] == [0, 2, 3]
    _rewrite(logs.root, A, [lines[0], lines[0], *lines[1:]])
    assert logs.a.read()[1][0].line == 2


def test_a_torn_tail_is_a_problem_until_the_next_event_moves_it(logs: SimpleNamespace) -> None:
    logs.a.append("verified", TARGET)
    path = logs.root / "events" / A / "2026-07.jsonl"
    with path.open("ab") as stream:
        stream.write(b'{"n":1,"prev":"')
    read, (problem,) = logs.a.read()
    assert (len(read), problem.line) == (1, 2)
    logs.a.append("retired", TARGET)
    read, problems = logs.a.read()
    assert [event.n for event in read] == [0, 1]
    assert problems == []
    assert len(list((logs.root / "lost+found").iterdir())) == 1


def test_a_broken_end_of_our_own_chain_stops_appending(logs: SimpleNamespace) -> None:
    logs.a.append("verified", TARGET)
    _rewrite(logs.root, A, [*_lines(logs.root, A), b"garbage"])
    with pytest.raises(Corrupt):
        logs.a.append("retired", TARGET)
    assert logs.b.append("known", TARGET).n == 0


def test_the_union_respects_what_each_writer_had_seen(logs: SimpleNamespace) -> None:
    logs.a.append("known", TARGET)
    logs.clock.now -= timedelta(days=300)  # B's clock is far behind, yet it had seen A's event
    logs.b.append("retired", TARGET)
    logs.clock.now += timedelta(days=300)
    logs.a.append("verified", TARGET)
    assert [(event.writer, event.n) for event in logs.a.read()[0]] == [(A, 0), (B, 0), (A, 1)]


def test_hostile_lines_are_problems_only(logs: SimpleNamespace) -> None:
    logs.a.append("verified", TARGET)
    bad = [b"[]", b'{"n":true}', b'{"n":0,"seen":[]}', b'{"n":0,"kind":7}', b"\xff", b"[" * 100_000]
    for line in bad:
        _rewrite(logs.root, B, []) if (logs.root / "events" / B).exists() else (logs.root / "events" / B).mkdir()
        _rewrite(logs.root, B, [line])
        read, (problem,) = logs.a.read()
        assert len(read) == 1
        assert (problem.locator, problem.line) == (f"events/{B}/2026-07.jsonl", 1)
    assert logs.a.append("retired", TARGET).n == 1
