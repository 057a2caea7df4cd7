"""The suite a reader of symbols must pass. Derive a class named `Test…` from it and say how yours is made.

    class TestMine(SymbolReaderContract):
        def reader(self): return make()
        def samples(self): ...(path, code, {whole name: (first, last)}) for each language it reads

Needs pytest to run, nothing else.
"""

from __future__ import annotations

from typing import Iterable, Mapping

import pytest

from memoranda.model.errors import Unavailable
from memoranda.ports.protocols import SymbolReader


class SymbolReaderContract:
    """The promises of `SymbolReader`, as tests."""

    def reader(self) -> SymbolReader:
        """A reader, ready to use."""
        raise NotImplementedError

    def samples(self) -> Iterable[tuple[str, str, Mapping[str, tuple[int, int]]]]:
        """A path, code, and every definition in it with its lines."""
        raise NotImplementedError

    def test_every_definition_is_found_with_its_whole_name_and_lines(self) -> None:
        for path, code, expected in self.samples():
            assert dict(self.reader().definitions(path, code.encode())) == expected, path

    def test_lines_put_in_before_shift_what_is_found_and_change_nothing_else(self) -> None:
        for path, code, expected in self.samples():
            found = self.reader().definitions(path, ("\n" * 7 + code).encode())
            shifted = {name: (first + 7, last + 7) for name, (first, last) in expected.items()}
            assert dict(found) == shifted, path

    def test_line_ends_do_not_matter(self) -> None:
        for path, code, expected in self.samples():
            found = self.reader().definitions(path, code.replace("\n", "\r\n").encode())
            assert dict(found) == expected, path

    def test_broken_code_and_other_bytes_give_what_can_be_read(self) -> None:
        for path, code, _ in self.samples():
            for data in (code.encode()[: len(code) // 2], b"", b"\xff\xfe\x00(((" * 50, b"{" * 3000):
                for _, (first, last) in self.reader().definitions(path, data):
                    assert 1 <= first <= last

    def test_a_language_it_does_not_read_is_refused(self) -> None:
        with pytest.raises(Unavailable):
            self.reader().definitions("notes.no-such-language", b"def f(): pass\n")
