"""The suite a transcript reader must pass. Derive a class named `Test…` from it and say what your reader is.

    class TestMine(ReaderContract):
        def reader(self): return make()
        def samples(self): return {"session.jsonl": Path("fixtures/session.jsonl").read_bytes()}
        def at_home(self): return ".mine/sessions/session.jsonl"

Each sample must give at least one turn. For formats of one record a line, `appends` stays True and the suite also
cuts the samples, grows them and tears their last line. Needs pytest to run, nothing else.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Iterable, Mapping

from memoranda.model.turn import BLOCK_TYPES, Turn
from memoranda.ports.protocols import Batch, Source, TranscriptReader
from memoranda.ports.reading import HEAD_BYTES, blank, identifier, utc


class ReaderContract:
    """The promises of `TranscriptReader`, as tests."""

    appends = True
    carries = False  # True for a format that carries turns of other agents: then they bear that agent's name

    def reader(self) -> TranscriptReader:
        """A fresh reader."""
        raise NotImplementedError

    def samples(self) -> Mapping[str, bytes]:
        """Histories by file name, as the agent wrote them."""
        raise NotImplementedError

    def at_home(self) -> str:
        """Where below the user's home the agent would keep a file like the first sample."""
        raise NotImplementedError

    def test_harness_is_a_short_name(self) -> None:
        assert re.fullmatch(r"[a-z0-9_-]{1,32}", self.reader().harness)

    def test_samples_are_claimed_and_give_turns(self, tmp_path: Path) -> None:
        for name in self.samples():
            turns = self._turns(self._placed(tmp_path, name))
            assert turns, name

    def test_turns_are_well_formed(self, tmp_path: Path) -> None:
        reader = self.reader()
        for name in self.samples():
            turns = self._turns(self._placed(tmp_path, name))
            for turn in turns:
                assert self.carries or turn.harness == reader.harness
                assert identifier(turn.session), turn
                assert identifier(turn.turn), turn
                assert turn.role, turn
                assert turn.blocks, "a turn without blocks is no turn"
                assert turn.ts in ("", utc(turn.ts)), turn.ts
                assert (turn.seq, turn.captured, turn.screened) == (-1, "", ""), "these are set when stored"
                for block in turn.blocks:
                    assert block.type in BLOCK_TYPES
                    assert not blank(block.text)

    def test_ids_are_of_one_turn_each(self, tmp_path: Path) -> None:
        for name in self.samples():
            seen: dict[tuple[str, str], tuple[object, ...]] = {}
            for turn in self._turns(self._placed(tmp_path, name)):
                key = (turn.session, turn.turn)
                assert seen.setdefault(key, turn.blocks) == turn.blocks, f"{key} names two different turns"

    def test_reading_twice_gives_the_same(self, tmp_path: Path) -> None:
        for name in self.samples():
            source = self._placed(tmp_path, name)
            assert self._turns(source) == self._turns(source)

    def test_a_cursor_at_the_end_gives_nothing_more(self, tmp_path: Path) -> None:
        for name in self.samples():
            source = self._placed(tmp_path, name)
            last = list(self.reader().read(source, None))[-1]
            again = list(self.reader().read(source, last.cursor))
            assert not _turns_of(again)
            assert not any(batch.restarted for batch in again)

    def test_a_cursor_from_elsewhere_starts_at_the_beginning(self, tmp_path: Path) -> None:
        for name in self.samples():
            source = self._placed(tmp_path, name)
            for cursor in ("", "{}", "not a cursor", "[1]", '{"v":1}', '{"v":99,"offset":5,"state":{}}'):
                assert _turns_of(self.reader().read(source, cursor)) == self._turns(source)

    def test_found_at_home(self, tmp_path: Path) -> None:
        first = next(iter(self.samples()))
        home = tmp_path / "home"
        place = home / self.at_home()
        place.parent.mkdir(parents=True)
        place.write_bytes(self.samples()[first])
        (place.parent / f"link{place.suffix}").symlink_to(place)
        sources = list(self.reader().find(home, {}))
        assert [source.path for source in sources] == [place.resolve()]
        assert sources[0].key
        assert sources[0].stamp
        assert list(self.reader().find(tmp_path / "nobody", {})) == []

    def test_the_stamp_changes_with_the_file(self, tmp_path: Path) -> None:
        for name in self.samples():
            before = self._placed(tmp_path, name)
            before.path.write_bytes(before.path.read_bytes() + b"\n")
            after = self._claim(before.path)
            assert after is not None
            assert (after.key, after.stamp != before.stamp) == (before.key, True)

    def test_nothing_is_written_beside_the_source(self, tmp_path: Path) -> None:
        for name in self.samples():
            source = self._placed(tmp_path, name)
            bytes_before = source.path.read_bytes()
            self._turns(source)
            assert [p.name for p in source.path.parent.iterdir()] == [source.path.name]
            assert source.path.read_bytes() == bytes_before

    def test_other_files_are_not_claimed(self, tmp_path: Path) -> None:
        for name, data in (("notes.md", b"# Notes\n"), ("empty.jsonl", b""), ("x.bin", bytes(range(256)))):
            path = tmp_path / name
            path.write_bytes(data)
            assert self._claim(path) is None, name

    def test_grown_piece_by_piece_equals_at_once(self, tmp_path: Path) -> None:
        if not self.appends:
            return
        for name, data in self.samples().items():
            whole = self._turns(self._placed(tmp_path / "whole", name))
            path = tmp_path / "grown" / name
            path.parent.mkdir(exist_ok=True)
            cursor, turns = None, list[Turn]()
            step = max(1, len(data) // 7)
            for end in (*range(step, len(data), step), len(data)):  # cuts fall inside lines, too
                path.write_bytes(data[:end])
                for batch in self.reader().read(self._source(path), cursor):
                    turns += batch.turns
                    cursor = batch.cursor
                    assert not batch.restarted
            assert turns == whole

    def test_a_rewritten_file_is_read_anew(self, tmp_path: Path) -> None:
        if not self.appends:
            return
        for name, data in self.samples().items():
            source = self._placed(tmp_path, name)
            cursor = list(self.reader().read(source, None))[-1].cursor
            source.path.write_bytes(b"{}\n" + data)
            batches = list(self.reader().read(source, cursor))
            assert batches[0].restarted
            assert len(_turns_of(batches)) == len(_turns_of(self.reader().read(source, None)))

    def test_broken_lines_cost_only_themselves(self, tmp_path: Path) -> None:
        if not self.appends:
            return
        for name, data in self.samples().items():
            good = self._turns(self._placed(tmp_path / "good", name))
            path = tmp_path / "bad" / name
            path.parent.mkdir(exist_ok=True)
            junk = b'{"type":\n\xff\xfe\n[1,2]\n"text"\nnull\n\n' + b"[" * 100_000 + b"\n" + b"9" * 10_000 + b"\n"
            path.write_bytes(data.rstrip(b"\n") + b"\n" + junk)
            batches = list(self.reader().read(self._source(path), None))
            assert _turns_of(batches) == good
            lines = [problem.line for batch in batches for problem in batch.problems]
            assert len(lines) >= 7
            assert all(lines)

    def test_records_of_any_shape_are_survived(self, tmp_path: Path) -> None:
        if not self.appends:
            return
        for name, data in self.samples().items():
            path = tmp_path / name
            odd = [data]
            for word in sorted(set(re.findall(rb'"(\w+)":', data)))[:60]:
                for value in (b"null", b"7", b'"x"', b"[]", b"{}", b"[null]", b'[{"type":7}]', b"true"):
                    odd.append(re.sub(rb'"' + word + rb'":\s*("[^"\\]*"|null|true|false|\d+|\[|\{)',
                                      b'"' + word + b'":' + value + b',"_":\\1', data[:20_000], count=3))  # fmt: skip
            path.write_bytes(b"\n".join(odd))
            for batch in self.reader().read(self._source(path), None):
                assert all(identifier(turn.turn) and identifier(turn.session) for turn in batch.turns)
                assert all(isinstance(block.text, str) for turn in batch.turns for block in turn.blocks)

    def test_what_is_left_out_is_counted(self, tmp_path: Path) -> None:
        for name in self.samples():
            skipped: Counter[str] = Counter()
            for batch in self.reader().read(self._placed(tmp_path, name), None):
                skipped.update(batch.skipped or {})
            assert all(isinstance(kind, str) and kind and n > 0 for kind, n in skipped.items())

    def _placed(self, folder: Path, name: str) -> Source:
        path = folder / f"{name}.d" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.samples()[name])
        source = self._claim(path)
        assert source is not None, f"{name} is not claimed"
        return source

    def _claim(self, path: Path) -> Source | None:
        return self.reader().claims(path.resolve(), path.read_bytes()[:HEAD_BYTES])

    def _source(self, path: Path) -> Source:
        found = path.stat()
        return Source(str(path), path, self.reader().harness, f"{found.st_size}:{found.st_mtime_ns}")

    def _turns(self, source: Source) -> list[Turn]:
        return _turns_of(self.reader().read(source, None))


def _turns_of(batches: Iterable[Batch]) -> list[Turn]:
    return [turn for batch in batches for turn in batch.turns]
