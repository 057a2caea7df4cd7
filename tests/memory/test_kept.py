"""A record that was just written is kept as it would be read, and read again when its file changed."""

from __future__ import annotations

import os

from memoranda import Memory
from memoranda.model.outcome import Stored


def test_what_was_written_is_kept_as_it_reads_and_no_longer_than_its_file_stays(memory: Memory) -> None:
    outcome = memory.remember("The gate is green.", entities=["Gate"], tags=["colour"])
    assert isinstance(outcome, Stored)
    store, path = memory._store, outcome.record.path
    assert store._kept_records.known(path) == store.records.load(path) == outcome.record
    place = memory.root / path
    place.write_bytes(place.read_bytes().replace(b"green", b"black"))
    os.utime(place, ns=(1, 1))
    assert store._kept_records.known(path) is None
    found = store._kept_records.load(path)
    assert found is not None
    assert (found.intact, found.body.strip()) == (False, "The gate is black.")
    place.unlink()
    assert store._kept_records.load(path) is None
