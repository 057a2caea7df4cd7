"""Writers and trust live outside the memory, so a copy carries neither."""

import os
import shutil
import stat
from pathlib import Path

import pytest

from memoranda.model.errors import Conflict, NotFound
from memoranda.truth.folder import Folder
from memoranda.truth.identity import Ledger, writer_id

ONE, TWO = "1" * 64, "2" * 64


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def test_a_writer_is_made_once(state: Path, project: Folder) -> None:
    writer = writer_id(state, project.root)
    assert len(writer) == 13
    assert writer.startswith("w")
    assert writer_id(state, project.root) == writer
    link = project.root.parent.parent / "link"
    link.symlink_to(project.root)
    assert writer_id(state, link) == writer


def test_no_memory_no_writer(state: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        writer_id(state, tmp_path)


def test_nothing_of_it_is_in_the_memory_and_all_of_it_is_private(state: Path, project: Folder) -> None:
    before = sorted(os.listdir(project.root))
    old = os.umask(0)
    try:
        writer_id(state, project.root)
        Ledger(state, project.root).trust([ONE])
    finally:
        os.umask(old)
    assert sorted(os.listdir(project.root)) == before
    for path in [state, *state.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_c34_a_copy_is_another_writer_and_nobodys_own(state: Path, project: Folder, tmp_path: Path) -> None:
    writer = writer_id(state, project.root)
    ledger = Ledger(state, project.root)
    ledger.adopt_as_own()
    ledger.trust([ONE])
    copy = tmp_path / "copy"
    shutil.copytree(project.root, copy)
    assert writer_id(state, copy) != writer
    assert not Ledger(state, copy).own
    assert not Ledger(state, copy).knows(ONE)
    assert writer_id(state, project.root) == writer
    assert Ledger(state, project.root).own


def test_c34_another_memory_at_the_same_path_is_not_ours(state: Path, project: Folder, tmp_path: Path) -> None:
    """Digests stay, since they name exact bytes; the writer and the claim to have made it do not."""
    writer = writer_id(state, project.root)
    Ledger(state, project.root).adopt_as_own()
    Ledger(state, project.root).trust([ONE])
    shutil.copytree(project.root, tmp_path / "theirs")
    shutil.rmtree(project.root)
    shutil.copytree(tmp_path / "theirs", project.root)
    (project.root / "memory.toml").touch()
    assert writer_id(state, project.root) != writer
    assert not Ledger(state, project.root).own
    assert Ledger(state, project.root).knows(ONE)


def test_b14_a_moved_memory_keeps_its_writer_and_its_trust(state: Path, project: Folder, tmp_path: Path) -> None:
    writer = writer_id(state, project.root)
    Ledger(state, project.root).adopt_as_own()
    Ledger(state, project.root).trust([ONE])
    moved = tmp_path / "moved"
    project.root.rename(moved)
    assert writer_id(state, moved) == writer
    assert Ledger(state, moved).own
    assert Ledger(state, moved).knows(ONE)


def test_c34_nothing_is_trusted_until_it_is_named(state: Path, project: Folder) -> None:
    ledger = Ledger(state, project.root)
    assert not ledger.own
    assert not ledger.knows(ONE)
    ledger.trust([ONE])
    assert ledger.knows(ONE)
    again = Ledger(state, project.root)
    assert again.knows(ONE)
    assert not again.knows(TWO), "later arrivals are foreign again"
    assert not again.own


def test_the_ledger_only_grows(state: Path, project: Folder) -> None:
    ledger = Ledger(state, project.root)
    ledger.trust([ONE])
    (path,) = state.rglob("trusted.jsonl")
    before = path.read_bytes()
    ledger.trust([ONE, TWO, TWO])
    assert path.read_bytes() == before + f'{{"digest":"{TWO}"}}\n'.encode()


def test_a_damaged_ledger_trusts_less_never_more(state: Path, project: Folder) -> None:
    Ledger(state, project.root).trust([ONE])
    (path,) = state.rglob("trusted.jsonl")
    with path.open("ab") as stream:
        stream.write(b'garbage\n[]\n{"digest":7}\n{"digest":"2222"}\n{"digest":"' + TWO.encode())
    ledger = Ledger(state, project.root)
    assert ledger.knows(ONE)
    assert not ledger.knows(TWO)
    ledger.trust([TWO])
    assert Ledger(state, project.root).knows(TWO)


def test_only_full_digests_are_trusted(state: Path, project: Folder) -> None:
    for digest in ("", "1" * 12, "g" * 64, "mem_" + "1" * 60):
        with pytest.raises(Conflict):
            Ledger(state, project.root).trust([digest])


def test_a_damaged_identity_is_made_anew(state: Path, project: Folder) -> None:
    writer = writer_id(state, project.root)
    (path,) = state.rglob("identity.json")
    for text in ("", "[]", '{"writer": 7}', path.read_text().replace(writer, "../../x")):
        path.write_text(text)
        assert writer_id(state, project.root).startswith("w")
        assert not Ledger(state, project.root).own
