"""Bits that turn over in what is only appended to: each is found, and without damage nothing is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults.scene import Scene

from memoranda import Memory
from memoranda.model.problem import Problem


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """Two captures of a session, and a chain of three events."""
    scene = Scene(tmp_path / "user")
    folder = scene.base / ".claude" / "projects" / "-w-app"
    folder.mkdir(parents=True)
    row = '{{"type":"user","uuid":"u{0}","sessionId":"s","timestamp":"2026-07-01T10:00:{0:02d}.000Z",'
    row += '"message":{{"role":"user","content":"Kettle {0} boils in München."}}}}\n'
    with scene.init(commit=False) as memory:
        for text in ("The gate is green.", "The fence is red.", "The roof is grey."):
            memory.remember(text)
        for record in memory._store.records.scan()[0]:
            memory.forget(record.id)
        for last in (3, 6):
            (folder / "s.jsonl").write_text("".join(row.format(n) for n in range(last)))
            memory.capture(harness="claude", embed_seconds=0)
        yield memory


def _files(memory: Memory, place: str) -> list[Path]:
    return sorted(path for path in (memory.root / place).rglob("*.jsonl"))


def _flipped(data: bytes, at: int, bit: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]


@pytest.mark.parametrize("place", ["events", "turns"])
def test_f16_a_flip_of_any_byte_of_events_and_turns_is_found(memory: Memory, place: str) -> None:
    store = memory._store
    assert [*store.sums.flaws(memory.root, place)] == []
    for path in _files(memory, place):
        data = path.read_bytes()
        for at in range(len(data)):
            path.write_bytes(_flipped(data, at, at % 8))
            found = [*store.sums.flaws(memory.root, place)]
            assert [problem.locator for problem in found] == [str(path.relative_to(memory.root))], f"byte {at}"
        path.write_bytes(data)
    assert [*store.sums.flaws(memory.root, place)] == []


def _classes(line: bytes) -> list[int]:
    """One byte of each kind in a line: each key, each value, each sort of punctuation, its end."""
    row = json.loads(line)
    found = {line.index(f'"{key}"'.encode()) + 1 for key in row}
    found |= {line.index(f'"{key}":'.encode()) + len(key) + 3 for key in row}
    found |= {line.index(mark) for mark in (b"{", b"}", b'"', b":", b",") if mark in line}
    return sorted({*found, len(line) // 2, len(line) - 1})


@pytest.mark.parametrize(("place", "deep"), [("events", False), ("turns", True)])
@pytest.mark.parametrize("which", [0, -1])
def test_f16_b33_check_names_the_file_of_a_flip_in_any_class_of_bytes(
    memory: Memory, place: str, deep: bool, which: int
) -> None:
    assert _about(memory.check(deep=True), place) == []
    (path,) = _files(memory, place)
    data = path.read_bytes()
    lines = data.splitlines(keepends=True)
    start = len(data) - len(lines[-1]) if which else 0
    for at in _classes(lines[which]):
        path.write_bytes(_flipped(data, start + at, 0))
        found = _about(memory.check(deep=deep), place)
        assert found, f"byte {at} of {lines[which]!r}"
        assert all(problem.hint for problem in found)
    path.write_bytes(data)
    assert _about(memory.check(deep=True), place) == []


def _about(problems: tuple[Problem, ...], place: str) -> list[Problem]:
    return [problem for problem in problems if problem.locator.startswith(place)]


@pytest.mark.parametrize("place", ["events", "turns"])
def test_f07_what_is_cut_off_at_a_lines_end_is_missed(memory: Memory, place: str) -> None:
    (path,) = _files(memory, place)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    (found,) = _about(memory.check(deep=True), place)[-1:]
    assert "that were written here are cut off" in found.message or "lost" in found.message


def test_a_rescan_of_turns_is_no_damage(memory: Memory) -> None:
    from memoranda.model.outcome import Screened
    from memoranda.model.values import replace

    (path,) = _files(memory, "turns")
    name = str(path.relative_to(memory.root))

    def changed(turn: object) -> object:
        if turn.seq != 2:  # type: ignore[attr-defined]
            return None
        block = replace(turn.blocks[0], text="[REDACTED:x]")  # type: ignore[attr-defined]
        fresh = object.__new__(Screened)
        object.__setattr__(fresh, "value", replace(turn, blocks=(block,)))  # type: ignore[type-var]
        return fresh

    assert memory._store.turn_store.rewrite(name, changed) == 1  # type: ignore[arg-type]
    assert [*memory._store.sums.flaws(memory.root, "turns")] == []
    memory._store.index.drop()
    assert _about(memory.check(deep=True), "turns") == []
