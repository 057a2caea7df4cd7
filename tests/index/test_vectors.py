"""The vector cache: what was put is got, by several processes, past torn ends."""

from __future__ import annotations

import subprocess
import sys
from array import array
from hashlib import sha256
from pathlib import Path

import pytest

from memoranda.index.vectors import VectorCache


def hashed(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def vector(*values: float) -> memoryview:
    return memoryview(array("f", values))


def test_what_was_put_is_got_and_stays_the_same(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path, "model", 3)
    cache.put({hashed("a"): vector(0.6, -0.8, 0.0), hashed("b"): vector(0.0, 0.0, 1.0)})
    cache.put({hashed("a"): vector(1.0, 0.0, 0.0)})
    again = VectorCache(tmp_path, "model", 3)
    found = again.get([hashed("a"), hashed("b"), hashed("c")])
    assert set(found) == {hashed("a"), hashed("b")}
    assert list(found[hashed("a")]) == pytest.approx([0.6, -0.8, 0.0], abs=0.01)
    again.put({hashed("d"): found[hashed("a")]})
    assert bytes(again.get([hashed("d")])[hashed("d")]) == bytes(found[hashed("a")])


def test_models_are_kept_apart(tmp_path: Path) -> None:
    VectorCache(tmp_path, "one", 3).put({hashed("a"): vector(1, 0, 0)})
    assert VectorCache(tmp_path, "two", 3).get([hashed("a")]) == {}


def test_a_torn_end_is_cut_off_by_the_next_writer(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path, "model", 3)
    cache.put({hashed("a"): vector(1, 0, 0), hashed("b"): vector(0, 1, 0)})
    (path,) = tmp_path.glob("vectors/*/vectors.bin")
    path.write_bytes(path.read_bytes()[:-5])
    other = VectorCache(tmp_path, "model", 3)
    assert set(other.get([hashed("a"), hashed("b")])) == {hashed("a")}
    other.put({hashed("c"): vector(0, 0, 1)})
    assert path.stat().st_size == 2 * (32 + 4 + 3)
    assert set(VectorCache(tmp_path, "model", 3).get(map(hashed, "abc"))) == {hashed("a"), hashed("c")}
    assert set(cache.get(map(hashed, "ab"))) == {hashed("a")}  # another's entry is never taken for the lost one


def test_a_cache_that_was_deleted_is_empty(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path, "model", 3)
    cache.put({hashed("a"): vector(1, 0, 0)})
    next(tmp_path.glob("vectors/*/vectors.bin")).unlink()
    assert cache.get([hashed("a")]) == {}
    cache.put({hashed("b"): vector(1, 0, 0)})
    assert set(cache.get([hashed("b")])) == {hashed("b")}


def test_several_processes_append(tmp_path: Path) -> None:
    code = (
        "import sys; from array import array; from hashlib import sha256; from pathlib import Path\n"
        "from memoranda.index.vectors import VectorCache\n"
        "cache = VectorCache(Path(sys.argv[1]), 'model', 3)\n"
        "for n in range(50): cache.put("
        "{sha256(f'{sys.argv[2]}{n}'.encode()).hexdigest(): memoryview(array('f', (1, 0, 0)))})"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), name]) for name in "xyz"]
    assert [process.wait() for process in running] == [0, 0, 0]
    wanted = [hashed(f"{name}{n}") for name in "xyz" for n in range(50)]
    assert set(VectorCache(tmp_path, "model", 3).get(wanted)) == set(wanted)
