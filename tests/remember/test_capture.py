"""Capture: histories become turns, once each, in order, whatever happened before."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any, Iterator, Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.capturing import NOW, Place, say

from memoranda.model.errors import Unavailable
from memoranda.model.outcome import Finding
from memoranda.model.turn import Block, Turn
from memoranda.ports import discover
from memoranda.ports.protocols import Batch, Source, TranscriptReader
from memoranda_agents import claude
from memoranda_agents.claude.reader import ClaudeReader

FIXTURES = Path(__file__).parents[1] / "fixtures" / "transcripts"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_first_capture_keeps_and_indexes_every_turn(place: Place) -> None:
    place.write("s1", say("1", "the quick brown fox"), say("2", "a lazy dog"), {"type": "progress"})
    report = place.capture()
    assert (report.turns, report.sessions, report.sources, report.problems) == (2, 1, 1, ())
    assert report.skipped == {"progress": 1}
    assert report.text_bytes == len("the quick brown fox") + len("a lazy dog")
    assert [(turn.turn, turn.seq, turn.captured) for turn in place.turns()] == [("1", 0, NOW), ("2", 1, NOW)]
    assert place.found("quick fox") == ["turn:claude/s1/%31"]


@pytest.mark.parametrize("folder", ["claude/messages", "claude/sessions", "codex"])
def test_a8_every_text_of_real_files_is_kept_to_the_byte(place: Place, folder: str) -> None:
    report = place.capture(FIXTURES / folder)
    kept = Counter(block.text for turn in place.turns() for block in turn.blocks if block.type == "text")
    records = [
        json.loads(line)
        for path in (FIXTURES / folder).glob("*.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    once = {(r.get("sessionId"), r.get("uuid", n)): r for n, r in enumerate(records)}  # one record is in two files
    expected = Counter(text for record in once.values() for text in texts_of(record) if text.strip())
    assert (report.duplicates, report.problems) == (len(records) - len(once), ())
    if folder == "codex":  # its one image is elided, and marked
        kept = Counter({text: n for text, n in kept.items() if "[elided:image/png" not in text})
    assert kept == expected


def texts_of(record: dict[str, Any]) -> Iterator[str]:
    """An independent reading of what was said: no code of the readers."""
    payload = record.get("payload", record)
    if record.get("type") == "compacted":
        yield payload["message"]
    message = record.get("message") if record.get("type") in ("user", "assistant") else payload
    if payload.get("type") not in ("message", "user", "assistant") or not isinstance(message, dict):
        return
    content = message.get("content")
    for part in [{"type": "text", "text": content}] if isinstance(content, str) else content or []:
        if part["type"] in ("text", "input_text", "output_text"):
            yield part["text"]


def test_a41_a_grown_session_adds_only_its_new_turns(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write("s1", say("1", "one"), say("2", "two"))
    place.capture()
    before = place.bytes()
    place.write("s1", say("3", "three"), mode="a")
    given = list[str]()
    add = place.index.add_turns
    monkeypatch.setattr(place.index, "add_turns", lambda t, f, n: (given.extend(x.turn for x in t), add(t, f, n))[1])
    report = place.capture()
    assert (report.turns, report.duplicates) == (1, 0)
    assert given == ["3"]
    assert [(turn.turn, turn.seq) for turn in place.turns()] == [("1", 0), ("2", 1), ("3", 2)]
    for name, data in place.bytes().items():  # A1: what was written is not altered
        assert data.startswith(before[name])


def test_a1_an_edited_transcript_changes_no_kept_turn(place: Place) -> None:
    place.write("s1", say("1", "one"), say("2", "two"))
    place.capture()
    before = place.bytes()
    place.write("s1", say("1", "ONE, edited"), say("2", "two"), say("3", "three"))
    report = place.capture()
    assert (report.turns, report.duplicates, report.restarted) == (1, 2, 1)
    ((name, data),) = place.bytes().items()
    assert data.startswith(before[name])
    assert [turn.text for turn in place.turns()] == ["one", "two", "three"]


def test_a2_times_are_the_transcripts(place: Place) -> None:
    place.write("s1", say("1", "one"), say("2", "two", timestamp="no time"))
    place.capture()
    assert [turn.ts for turn in place.turns()] == ["2026-01-01T00:00:01.000Z", ""]


def test_a40_an_unchanged_history_is_not_opened(place: Place) -> None:
    place.write("s1", say("1", "one"))
    place.write("s2", say("1", "one", "s2"))
    place.capture()

    class Closed(ClaudeReader):
        def read(self, source: Source, cursor: str | None) -> Iterator[Batch]:
            raise AssertionError(f"{source.path} was opened")

    report = place.capture(readers=[Closed()])
    assert (report.sources, report.sources_unchanged, report.turns, report.problems) == (2, 2, 0, ())


def test_what_follows_capture_finds_the_index_current(place: Place) -> None:
    place.write("s1", say("1", "one"))
    place.capture()
    place.write("s1", say("2", "two"), mode="a")
    place.capture()
    (file,) = place.store.files()
    assert json.loads(place.index.notes("turnfile/")[f"turnfile/{file.path}"])["size"] == file.size


def test_duplicates_within_and_across_files_are_written_once(place: Place) -> None:
    place.write("s1", say("1", "one"), say("1", "one"), say("2", "two"))
    place.write("copy-of-s1", say("1", "one"), say("3", "three"))
    report = place.capture()
    assert (report.turns, report.duplicates) == (3, 2)
    assert sorted(turn.turn for turn in place.turns("s1")) == ["1", "2", "3"]
    assert [turn.seq for turn in place.turns("s1")] == [0, 1, 2]


def test_a_duplicate_far_behind_the_cursor_is_known(place: Place) -> None:
    place.write("s1", *(say(f"a{n}", f"word{n}") for n in range(500)))
    place.capture()
    place.write("s1", say("a0", "word0"), say("b", "new"), mode="a")
    report = place.capture()
    assert (report.turns, report.duplicates) == (1, 1)


def test_the_index_deleted_costs_reading_again_and_no_duplicates(place: Place) -> None:
    place.write("s1", say("1", "one"), say("2", "two"))
    place.capture()
    before = place.bytes()
    place.index.drop()
    report = place.capture()
    assert (report.turns, report.duplicates) == (0, 2)
    assert place.bytes() == before
    assert place.found("two") == ["turn:claude/s1/%32"]


def test_a18_turns_and_index_deleted_come_back_to_the_byte(tmp_path: Path) -> None:
    first, again = Place(tmp_path / "a"), Place(tmp_path / "b")
    for place in (first, again):
        place.capture(*sorted(FIXTURES.rglob("*.jsonl")))
    assert first.bytes() == again.bytes()
    assert len(first.bytes()) > 10


def test_a6_ids_do_not_depend_on_the_rules_and_text_is_the_same_under_the_same(tmp_path: Path) -> None:
    class Rules:
        rules = "test 1"

        def look(self, texts: Any) -> list[list[Finding]]:
            return [
                [Finding("word", "credentials", t.index("two"), t.index("two") + 3)] if "two" in t else []
                for t in texts
            ]

    plain, ruled = Place(tmp_path / "a"), Place(tmp_path / "b")
    for place, screeners in ((plain, ()), (ruled, (Rules(),))):
        place.write("s1", say("1", "one"), say("2", "two"))
        place.capture(screeners=screeners)
    assert [turn.turn for turn in plain.turns()] == [turn.turn for turn in ruled.turns()]
    assert [turn.text for turn in ruled.turns()] == ["one", "[REDACTED:word]"]
    assert all(turn.screened for turn in ruled.turns())


def test_a_screener_that_fails_lets_nothing_through(place: Place) -> None:
    class Broken:
        rules = "broken 1"

        def look(self, texts: Any) -> list[list[Finding]]:
            raise RuntimeError("no")

    place.write("s1", say("1", "one"))
    with pytest.raises((Unavailable, RuntimeError)):
        place.capture(screeners=(Broken(),))
    assert place.bytes() == {}
    assert place.capture().turns == 1


class Odd:
    """A reader by somebody else, with the faults given to it."""

    harness = "odd"

    def __init__(self, batches: list[Batch | Exception], listing: Exception | None = None) -> None:
        self.batches, self.listing = batches, listing

    def find(self, home: Path, variables: Mapping[str, str]) -> Iterator[Source]:
        if self.listing:
            raise self.listing
        yield Source("k", home / "k", "odd", "1", size=1)

    def claims(self, path: Path, head: bytes) -> Source | None:
        return None

    def read(self, source: Source, cursor: str | None) -> Iterator[Batch]:
        for batch in self.batches:
            if isinstance(batch, Exception):
                raise batch
            yield batch


def turn(id: str, **more: Any) -> Turn:
    return Turn(
        **({"session": "o1", "turn": id, "role": "user", "harness": "odd", "blocks": (Block("text", "x"),)} | more)
    )


def test_one_bad_reader_never_stops_the_others(place: Place) -> None:
    place.write("s1", say("1", "one"))
    failing = Odd([Batch([turn("a")], "1"), ValueError("secret text of the file")])
    unlisted = Odd([], OSError(13, "Permission denied"))
    report = place.capture(readers=[unlisted, failing, claude.make()])
    assert report.turns == 2
    assert sorted(map(str, report.problems)) == [
        "k: could not be read on: ValueError",
        "odd: its histories could not be listed: Permission denied",
    ]
    assert place.capture(readers=[failing, claude.make()]).sources_unchanged == 1  # the failed one is tried again


@pytest.mark.parametrize(
    "bad",
    [
        turn("a", harness="No Name"),
        turn("a", session=""),
        turn("a", session="x\ny"),
        turn(""),
        turn("x" * 300),
        turn("a", role=""),
        turn("a", blocks=()),
        turn("a", blocks=(Block("image", "x"),)),  # type: ignore[arg-type]
    ],
)
def test_a33_a_turn_out_of_form_is_left_out_and_named(place: Place, bad: Turn) -> None:
    report = place.capture(readers=[Odd([Batch([bad, turn("good")], "1")])])
    assert [turn.turn for turn in place.turns()] == ["good"]
    assert report.skipped == {"turn out of form": 1}
    assert len(report.problems) == 1


def test_a_history_that_cannot_be_opened_is_named_and_tried_again(place: Place) -> None:
    path = place.write("s1", say("1", "one"))
    place.write("s2", say("1", "one", "s2"))
    real = ClaudeReader()

    class Vanishing(ClaudeReader):
        def find(self, home: Path, variables: Mapping[str, str]) -> Iterator[Source]:
            yield from list(real.find(home, variables))
            if path.exists():
                path.unlink()

    report = place.capture(readers=[Vanishing()])
    assert report.turns == 1
    assert [str(problem) for problem in report.problems] == [f"{path}: could not be read on: No such file or directory"]


def test_named_files_and_folders(place: Place, tmp_path: Path) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    (folder / "chat.jsonl").write_text(json.dumps(say("1", "one")) + "\n")
    (folder / "notes.md").write_text("# notes\n")
    (folder / "link.jsonl").symlink_to(place.write("s9", say("9", "nine", "s9")))
    report = place.capture(folder)
    assert (report.turns, report.skipped, report.problems) == (1, {"file of no known agent": 1}, ())
    report = place.capture(folder / "notes.md", folder / "nothing", folder / "link.jsonl")
    assert report.turns == 1  # a link that somebody names is followed
    assert [problem.message for problem in report.problems] == ["no reader knows this file", "no such file or folder"]


def test_the_named_file_is_the_found_one(place: Place) -> None:
    path = place.write("s1", say("1", "one"))
    place.capture(path)
    assert place.capture().sources_unchanged == 1


def test_newest_first_sub_agents_last_and_what_time_did_not_allow_is_counted(place: Place) -> None:
    for n, name in enumerate(("old", "agent-1", "new", "middle")):
        path = place.write(name, say("1", name, name))
        os.utime(path, (1000 + {"old": 1, "middle": 2, "new": 3, "agent-1": 9}[name], n))
        os.utime(path, (0, 1000 + {"old": 1, "middle": 2, "new": 3, "agent-1": 9}[name]))
    ticks = iter(range(100))
    report = place.capture(seconds=3, clock=lambda: float(next(ticks)))
    assert report.turns + report.sources_pending >= 4
    assert 0 < report.sources_pending < 4
    assert "new" in {turn.session for turn in place.turns()}
    assert not {"old", "agent-1"} & {turn.session for turn in place.turns()}
    rest = place.capture()
    assert (rest.turns + report.turns, rest.sources_pending) == (4, 0)


def test_a_budget_that_ends_inside_a_history_goes_on_there(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoranda.ports.reading.BATCH_TURNS", 10)
    place.write("s1", *(say(f"a{n}", f"word{n}") for n in range(35)))
    ticks = iter(range(1000))
    reports = [place.capture(seconds=1, clock=lambda: float(next(ticks))) for _ in range(6)]
    assert [report.turns for report in reports] == [10, 10, 10, 5, 0, 0]
    assert [report.sources_pending for report in reports[:3]] == [1, 1, 1]
    assert [turn.seq for turn in place.turns()] == list(range(35))


def test_c2_turns_outlive_their_source(place: Place) -> None:
    path = place.write("s1", say("1", "one"))
    place.capture()
    path.unlink()
    report = place.capture()
    assert (report.sources_gone, report.turns) == (1, 0)
    assert json.loads(place.index.notes("capture/last")["capture/last"])["gone"] == 1
    assert [turn.text for turn in place.turns()] == ["one"]


def test_progress_ends_at_its_total(place: Place) -> None:
    place.write("s1", say("1", "one"))
    place.write("s2", say("1", "one", "s2"))
    told = list[tuple[str, int, int]]()
    place.capture(progress=lambda *it: told.append(it))
    assert {what for what, _, _ in told} == {"capture"}
    assert told[-1][1] == told[-1][2] > 0


def test_a_lone_surrogate_comes_back_as_the_same_string(place: Place) -> None:
    path = place.write("s1")
    record = json.dumps(say("1", "half \ud83d of a pair"))
    path.write_text(record + "\n", encoding="ascii")
    place.capture()
    assert [turn.text for turn in place.turns()] == ["half \ud83d of a pair"]


records = st.lists(st.tuples(st.integers(0, 12), st.text(min_size=1, max_size=20)), max_size=20)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records, st.lists(st.integers(0, 4000), max_size=4))
def test_captured_in_pieces_equals_captured_at_once(
    tmp_path_factory: pytest.TempPathFactory, said: list[tuple[int, str]], cuts: list[int]
) -> None:
    """A history that is captured as it grows, at any bytes, leaves the same files as one captured when it is whole."""
    data = "".join(json.dumps(say(f"a{n}", text)) + "\n" for n, text in said).encode()
    whole, grown = Place(tmp_path_factory.mktemp("whole")), Place(tmp_path_factory.mktemp("grown"))
    whole.write("s1").write_bytes(data)
    whole.capture()
    path = grown.write("s1")
    for n, cut in enumerate((*sorted(min(cut, len(data)) for cut in cuts), len(data))):
        path.write_bytes(data[:cut])
        os.utime(path, (n, n))
        if n % 2:
            grown.open()  # another process, as far as it can tell
        grown.capture()
    assert grown.bytes() == whole.bytes()


def test_a_reader_is_found_by_its_entry_point() -> None:
    for name in ("claude", "codex"):
        reader: TranscriptReader = discover.load("readers", name)()
        assert reader.harness == name
