"""Bytes of evidence on disk: once, whole, under their hash, with their facts."""

from __future__ import annotations

import hashlib
import os
import signal
import stat
from pathlib import Path
from typing import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoranda.model.errors import Conflict, Corrupt, Invalid, NotFound
from memoranda.model.evidence import Exhibit, Retention
from memoranda.model.fragment import Extent
from memoranda.model.outcome import Screened
from memoranda.truth.evidence import EvidenceStore, fingerprint, parse_facts, print_facts
from memoranda.truth.folder import Folder
from memoranda.truth.lock import WriteLock

DATA = b"what was heard " * 1000


def _exhibit(data: bytes = DATA, **more: object) -> Exhibit:
    facts: dict[str, object] = {
        "sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "media_type": "audio/wav", "name": "a.wav",
        "origin": "media", "principal": "owner", "created": "2026-07-02T16:40:00Z", "retention": Retention.WINDOW,
        "until": "2026-08-01", "screened": "3", "extent": Extent(micros=11_000_000),
    }  # fmt: skip
    return Exhibit(**{**facts, **more})  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> EvidenceStore:
    folder = Folder.init(tmp_path / "memory", "personal")
    return EvidenceStore(folder, WriteLock(folder.root / ".lock"))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source"
    path.write_bytes(DATA)
    return path


def test_b66_the_same_bytes_are_one_blob_named_by_their_hash(store: EvidenceStore, source: Path) -> None:
    kept = store.add(source, Screened(_exhibit(), "3"))
    store.add(source, Screened(_exhibit(name="again.wav"), "3"))
    assert store.path(kept.sha256).read_bytes() == DATA
    assert [p.name for p in (store.folder.root / "evidence").rglob("*") if p.is_file()].count(kept.sha256) == 1
    assert list(store.hashes()) == [kept.sha256]
    assert stat.S_IMODE(store.path(kept.sha256).stat().st_mode) == 0o600
    assert stat.S_IMODE(store.path(kept.sha256).parent.stat().st_mode) == 0o700


def test_a_source_that_changed_leaves_nothing(store: EvidenceStore, source: Path) -> None:
    source.write_bytes(DATA + b"!")
    with pytest.raises(Conflict):
        store.add(source, Screened(_exhibit(), "3"))
    assert [p for p in (store.folder.root / "evidence").rglob("*") if p.is_file()] == []


def test_what_a_killed_copy_left_is_swept_and_a_living_one_is_let_be(store: EvidenceStore, source: Path) -> None:
    folder = store.folder.root / "evidence"
    folder.mkdir(mode=0o700)
    dead = os.fork()
    if dead == 0:
        os._exit(0)
    os.waitpid(dead, 0)
    (folder / f".tmp-{dead}-aa").write_bytes(b"half")
    (folder / f".tmp-{os.getpid()}-bb").write_bytes(b"half")
    store.add(source, Screened(_exhibit(), "3"))
    assert [p.name for p in folder.glob(".tmp-*")] == [f".tmp-{os.getpid()}-bb"]


def test_a_drop_takes_the_bytes_and_leaves_the_facts(store: EvidenceStore, source: Path) -> None:
    kept = store.add(source, Screened(_exhibit(), "3"))
    assert store.drop(kept.sha256)
    assert (store.size(kept.sha256), store.facts(kept.sha256)) == (None, kept)
    assert not store.drop(kept.sha256)
    store.add(source, Screened(_exhibit(retention=Retention.KEEP, until=""), "3"))
    back = store.facts(kept.sha256)
    assert back is not None
    assert (store.size(kept.sha256), back.retention) == (len(DATA), Retention.KEEP)


def test_a_name_is_found_by_its_beginning(store: EvidenceStore, source: Path) -> None:
    kept = store.add(source, Screened(_exhibit(), "3"))
    assert store.find(f"sha256:{kept.sha256[:8]}") == kept
    with pytest.raises(NotFound):
        store.find("000000")
    for name in ("", "12", "sha256:xyz", "../../etc"):
        with pytest.raises(Invalid):
            store.find(name)


def test_damaged_facts_are_named(store: EvidenceStore, source: Path) -> None:
    kept = store.add(source, Screened(_exhibit(), "3"))
    place = store.path(kept.sha256).with_name(f"{kept.sha256}.toml")
    for data in (b"", b"\xff", b"format = 1\n", place.read_bytes().replace(b"bytes = ", b"bytes = -")):
        place.write_bytes(data)
        with pytest.raises(Corrupt):
            store.facts(kept.sha256)
    assert [problem.locator for problem in store.all()[1]] == [f"evidence/sha256/{kept.sha256[:2]}/{kept.sha256}.toml"]


def test_a_folder_a_pipe_and_nothing_are_no_evidence(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, error in ((tmp_path, Invalid), (tmp_path / "pipe", Invalid), (tmp_path / "none", NotFound)):
        with pytest.raises(error):
            fingerprint(path)


sizes = st.integers(1, 5000)


@given(
    name=st.text(max_size=60),
    pages=st.lists(st.tuples(sizes, sizes), max_size=6).map(tuple),
    other=st.lists(st.tuples(st.text(max_size=9), st.text(max_size=9)), max_size=3).map(tuple),
    micros=st.integers(0, 10**12),
)
def test_facts_read_back_as_they_were(name: str, pages: tuple, other: tuple, micros: int) -> None:  # type: ignore[type-arg]
    exhibit = _exhibit(name=name, extent=Extent(micros=micros, pages=pages, other=other))
    safe = name.encode("utf-8", "replace").decode().replace("?", "") == name.replace("?", "")
    found = parse_facts(print_facts(exhibit), exhibit.sha256)
    assert found.extent.pages == pages
    if safe and all(v.encode("utf-8", "replace").decode() == v for pair in other for v in pair):
        assert found == exhibit


def _killed_at(number: int, act: Callable[[], object]) -> bool:
    """Run `act` in a fork that is killed at its n-th call that changes a disk; False when it ended before."""
    child = os.fork()
    if child == 0:
        left = [number]

        def counted(real: Callable[..., object]) -> Callable[..., object]:
            def call(*args: object, **more: object) -> object:
                left[0] -= 1
                if left[0] < 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return real(*args, **more)

            return call

        for name in ("open", "write", "fsync", "rename", "replace", "unlink", "mkdir", "chmod", "fchmod", "link"):
            setattr(os, name, counted(getattr(os, name)))
        act()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def test_a_kill_at_any_step_leaves_whole_bytes_or_none_and_adding_again_heals(tmp_path: Path, source: Path) -> None:
    number = 0
    while True:
        folder = Folder.init(tmp_path / f"memory{number}", "personal")
        store = EvidenceStore(folder, WriteLock(folder.root / ".lock"))
        killed = _killed_at(number, lambda store=store: store.add(source, Screened(_exhibit(), "3")))  # type: ignore[misc]
        sha = _exhibit().sha256
        if store.size(sha) is not None:
            assert fingerprint(store.path(sha))[0] == sha
        if store.facts(sha) is not None:
            assert store.size(sha) == len(DATA)
        store.add(source, Screened(_exhibit(), "3"))
        assert (store.size(sha), store.facts(sha)) == (len(DATA), _exhibit())
        assert list((folder.root / "evidence").rglob(".tmp-*")) == []
        if not killed:
            break
        number += 1
    assert number > 8


def test_a_kill_while_dropping_leaves_all_or_no_bytes(tmp_path: Path, source: Path) -> None:
    for number in range(6):
        folder = Folder.init(tmp_path / f"memory{number}", "personal")
        store = EvidenceStore(folder, WriteLock(folder.root / ".lock"))
        kept = store.add(source, Screened(_exhibit(), "3"))
        _killed_at(number, lambda store=store, kept=kept: store.drop(kept.sha256))  # type: ignore[misc]
        assert store.size(kept.sha256) in (None, len(DATA))
        assert store.facts(kept.sha256) == kept
