"""A capture of several steps, of which each goes into the index beside the screening and writing of the next."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable, Sequence

import pytest
from support.capturing import Place, say

from memoranda.model.errors import Busy
from memoranda.model.outcome import Finding
from memoranda.remember import capture as line


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Every two turns are a batch, and every batch a step."""
    monkeypatch.setattr("memoranda.ports.reading.BATCH_TURNS", 2)
    monkeypatch.setattr(line, "FLUSH_BYTES", 1)
    return Place(tmp_path)


class Looking:
    """Finds nothing. `at` is called before the screening of step `when` (from 1)."""

    rules = "looking 1"

    def __init__(self, when: int, at: Callable[[], object]) -> None:
        self._when, self._at, self.seen = when, at, 0

    def look(self, texts: Sequence[str]) -> Sequence[Sequence[Finding]]:
        self.seen += bool(texts)
        if texts and self.seen == self._when:
            self._at()
        return [[] for _ in texts]


def written(place: Place, count: int = 9) -> Path:
    return place.write("s1", *(say(str(n), f"word{n} said") for n in range(count)))


def docs(count: int) -> list[str]:
    return sorted(f"turn:claude/s1/%3{n}" for n in range(count))


@pytest.mark.parametrize("when", [1, 2, 3])
def test_another_capture_that_writes_while_this_one_screens_loses_and_doubles_nothing(place: Place, when: int) -> None:
    path, other = written(place), Place.__new__(Place)
    other.__dict__.update(place.__dict__)
    other.open()
    looking = Looking(when, lambda: other.capture(path))
    report = place.capture(path, screeners=[looking])
    assert [(turn.turn, turn.seq) for turn in place.turns()] == [(str(n), n) for n in range(9)]
    assert report.turns == 2 * (when - 1)  # what the other one had not seen yet; it kept all the rest
    assert sorted(place.found("said")) == docs(9)


def test_a_step_that_the_index_refuses_stops_the_capture_and_the_next_one_heals(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, apply = written(place), place.index.add_turns
    steps: list[int] = []

    def refuse(turns: Sequence[Any], *more: Any) -> None:
        steps.append(len(turns))
        if len(steps) == 2:
            raise Busy("somebody else writes the index")
        apply(turns, *more)

    monkeypatch.setattr(place.index, "add_turns", refuse)
    with pytest.raises(Busy):
        place.capture(path)
    assert [turn.seq for turn in place.turns()] == list(range(6))  # durable, though the index knows of two
    monkeypatch.setattr(place.index, "add_turns", apply)
    report = place.capture(path)
    assert (report.turns, report.duplicates) == (3, 4)
    assert [turn.seq for turn in place.turns()] == list(range(9))
    assert sorted(place.found("said")) == docs(9)


def test_a_session_of_many_steps_reads_no_turns_file_again(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    path, starts, read = written(place), list[int](), place.store.read

    def reading(file: str, start: int = 0) -> Any:
        starts.append((place.memory / file).stat().st_size - start)
        return read(file, start)

    monkeypatch.setattr(place.store, "read", reading)
    assert place.capture(path).turns == 9
    assert not any(starts)


def test_screeners_load_while_the_first_batch_is_read_and_only_when_there_is_much(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    class Loading(Looking):
        def look(self, texts: Sequence[str]) -> Sequence[Sequence[Finding]]:
            asked.append(len(texts))
            if not texts:
                raise RuntimeError("what fails early is told when a turn is looked at")
            return super().look(texts)

    written(place, 1)
    assert place.capture(screeners=[Loading(0, list)]).turns == 1
    assert 0 not in asked
    monkeypatch.setattr(line, "WARM_BYTES", 1)
    place.write("s1", say("1", "and more"), mode="a")
    assert place.capture(screeners=[Loading(0, list)]).turns == 1
    assert asked.count(0) == 1


def test_what_is_kept_does_not_depend_on_where_steps_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = []
    for name, turns, held in (("one", 2000, 6 << 20), ("two", 2, 1), ("three", 3, 40)):
        monkeypatch.setattr("memoranda.ports.reading.BATCH_TURNS", turns)
        monkeypatch.setattr(line, "FLUSH_BYTES", held)
        place = Place(tmp_path / name)
        for session in ("s1", "s2", "s3"):
            place.write(session, *(say(str(n), f"word{n} said", session) for n in range(7)))
        place.capture()
        kept.append(place.bytes())
        assert len(place.found("said")) == 21
        assert json.loads(place.index.notes("capture/last")["capture/last"])["sources"] == 3
    assert kept[0] == kept[1] == kept[2]


def test_one_new_turn_reads_nothing_of_what_was_read_before(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    path, read, starts = written(place, 9), place.store.read, list[int]()
    place.capture()
    place.index.close()

    def reading(file: str, start: int = 0) -> Any:
        starts.append((place.memory / file).stat().st_size - start)
        return read(file, start)

    monkeypatch.setattr(place.store, "read", reading)
    place.write("s1", say("9", "one more"), mode="a")
    report = place.capture()
    assert (report.turns, report.duplicates, report.bytes_read) == (1, 0, len(path.read_bytes().splitlines()[-1]) + 1)
    assert not any(starts)
