"""The suite an extractor must pass. Derive a class named `Test…` from it and say how yours is made.

    class TestMine(ExtractorContract):
        def extractor(self): return make()
        def sample(self, folder): ...write a file; return its path, words it must hold, and a fragment to cut

Needs pytest to run, nothing else.
"""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from memoranda.model.errors import Invalid, MemorandaError
from memoranda.model.fragment import Fragment, check_fragment, parse_fragment
from memoranda.ports.protocols import Extractor
from memoranda.ports.sniff import HEAD_BYTES, sniff


class ExtractorContract:
    """The promises of `Extractor`, as tests."""

    def extractor(self) -> Extractor:
        """An extractor, ready to use."""
        raise NotImplementedError

    def sample(self, folder: Path) -> tuple[Path, tuple[str, ...], str]:
        """A file of its kind made below `folder`, words that stand in it, and a fragment that can be cut ("" for the
        whole)."""
        raise NotImplementedError

    def _guessed(self, path: Path) -> str:
        """As what the extractor reads the sample: by its own look, or by ours."""
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
        return self.extractor().claims(head, sniff(head))

    def test_the_stamp_names_it_the_same_each_time(self) -> None:
        one, two = self.extractor(), self.extractor()
        assert one.stamp.strip() == one.stamp != ""
        assert one.stamp == two.stamp

    def test_it_claims_its_own_and_nothing_else(self, tmp_path: Path) -> None:
        path, _, _ = self.sample(tmp_path)
        assert "/" in self._guessed(path)
        for head in (b"", b"\x00" * 64, b"\x7fELF\x02\x01\x01" + b"\x00" * 57):
            assert self.extractor().claims(head, "application/octet-stream") == ""

    def test_the_words_are_there_with_places_inside_the_exhibit(self, tmp_path: Path) -> None:
        path, words, _ = self.sample(tmp_path)
        extract = self.extractor().extract(path, self._guessed(path), _scratch(tmp_path))
        text = " ".join(" ".join(segment.text for segment in extract.segments).split()).casefold()
        for word in words:
            assert word.casefold() in text
        for segment in extract.segments:
            assert segment.text.strip()
            check_fragment(segment.place, extract.extent)
            if str(segment.place):
                assert parse_fragment(str(segment.place)) == segment.place

    def test_the_same_file_gives_the_same_extract(self, tmp_path: Path) -> None:
        path, _, _ = self.sample(tmp_path)
        kind = self._guessed(path)
        first = self.extractor().extract(path, kind, _scratch(tmp_path))
        assert self.extractor().extract(path, kind, _scratch(tmp_path)) == first
        assert first.stamp == self.extractor().stamp

    def test_the_file_is_left_as_it_was(self, tmp_path: Path) -> None:
        path, _, fragment = self.sample(tmp_path)
        before, kind = path.read_bytes(), self._guessed(path)
        self.extractor().extract(path, kind, _scratch(tmp_path))
        self.extractor().cut(path, kind, _fragment(fragment), _scratch(tmp_path))
        assert path.read_bytes() == before

    def test_a_cut_is_a_new_file_in_scratch(self, tmp_path: Path) -> None:
        path, _, fragment = self.sample(tmp_path)
        scratch = _scratch(tmp_path)
        cut = self.extractor().cut(path, self._guessed(path), _fragment(fragment), scratch)
        made = scratch / cut.name
        assert made.parent == scratch
        assert made.stat().st_size > 0
        assert made.read_bytes() != path.read_bytes()

    def test_a_broken_file_is_read_in_part_or_named(self, tmp_path: Path) -> None:
        path, _, _ = self.sample(tmp_path)
        kind, data = self._guessed(path), path.read_bytes()
        broken = tmp_path / "broken"
        broken.write_bytes(data[: max(8, len(data) // 3)] + b"\xff" * 64)
        with suppress(MemorandaError):  # reading what can be read is as good; any other error is a fault
            assert self.extractor().extract(broken, kind, _scratch(tmp_path)).media_type == kind

    def test_a_file_of_another_kind_is_refused(self, tmp_path: Path) -> None:
        path, _, _ = self.sample(tmp_path)
        kind = self._guessed(path)
        other = tmp_path / "other"
        other.write_bytes(b"\x7fELF" + bytes(range(256)) * 8)
        with pytest.raises(Invalid):
            self.extractor().extract(other, kind, _scratch(tmp_path))


def _fragment(text: str) -> Fragment:
    return parse_fragment(text) if text else Fragment()


def _scratch(folder: Path) -> Path:
    return Path(tempfile.mkdtemp(dir=folder))
