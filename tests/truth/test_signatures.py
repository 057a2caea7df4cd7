"""Whose signature a commit carries: only a configured key over these very bytes counts."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.teams import Teammate, record, ssh_key

from memoranda.truth.objects import reading
from memoranda.truth.quarantine import fetched
from memoranda.truth.remote import parse_source
from memoranda.truth.signatures import Key, Signers, brought


@pytest.fixture
def mate(tmp_path: Path) -> Teammate:
    return Teammate(tmp_path / "shop")


def whose(mate: Teammate, tmp_path: Path, *keys: Key) -> dict[str, str | None]:
    """Commit -> the principal who signed it, for all that are there."""
    commits = mate.git("rev-list", "HEAD").split()
    with fetched(parse_source(str(mate.top)), None, tmp_path / "state", {}, True) as place, reading(place.folder) as o:
        signers = Signers(o, keys, place.folder)
        return {commit: signers.of([commit]) for commit in commits}


def test_a_configured_key_counts_and_no_other(mate: Teammate, tmp_path: Path) -> None:
    alice, public = ssh_key(tmp_path / "keys", "alice")
    mallory, _ = ssh_key(tmp_path / "keys", "mallory")
    plain = mate.commits()
    first, second = mate.signed_by(alice), mate.signed_by(mallory)
    assert whose(mate, tmp_path, Key("alice", *public)) == {plain: None, first: "alice", second: None}
    assert set(whose(mate, tmp_path).values()) == {None}


def test_a_signature_of_another_kind_is_none(mate: Teammate, tmp_path: Path) -> None:
    """PGP and X.509 signatures are not looked at, so no program for them is started."""
    _, public = ssh_key(tmp_path / "keys", "alice")
    mate.commits()
    raw = mate.git("cat-file", "commit", "HEAD")
    head, _, body = raw.partition("\n\n")
    pgp = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abcd\n -----END PGP SIGNATURE-----"
    oid = mate.git("hash-object", "-t", "commit", "-w", "--stdin", given=f"{head}\n{pgp}\n\n{body}\n".encode())
    mate.git("update-ref", "refs/heads/main", oid)
    assert whose(mate, tmp_path, Key("alice", *public)) == {oid: None}


def test_a_signature_made_for_a_file_signs_no_commit(mate: Teammate, tmp_path: Path) -> None:
    key, public = ssh_key(tmp_path / "keys", "alice")
    mate.commits()
    raw = subprocess.run(["git", "-C", str(mate.top), "cat-file", "commit", "HEAD"], capture_output=True, check=True)
    payload = tmp_path / "payload"
    payload.write_bytes(raw.stdout)
    for namespace, expected in (("file", None), ("git", "alice")):
        payload.with_suffix(".sig").unlink(missing_ok=True)
        subprocess.run(
            ["ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", str(key), str(payload)],
            check=True,
            capture_output=True,
        )
        armour = (tmp_path / "payload.sig").read_text().strip().replace("\n", "\n ")
        head, _, body = raw.stdout.decode().partition("\n\n")
        data = f"{head}\ngpgsig {armour}\n\n{body}".encode()
        oid = mate.git("hash-object", "-t", "commit", "-w", "--stdin", given=data)
        mate.git("update-ref", "refs/heads/main", oid)
        assert whose(mate, tmp_path, Key("alice", *public)) == {oid: expected}
        twice = f"{head}\ngpgsig {armour}\ngpgsig {armour}\n\n{body}".encode()
        oid = mate.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", given=twice)
        mate.git("update-ref", "refs/heads/main", oid)
        assert whose(mate, tmp_path, Key("alice", *public)) == {oid: None}


def test_what_brought_a_file_is_each_commit_that_added_its_bytes_oldest_first(mate: Teammate, tmp_path: Path) -> None:
    one, two = record("Statement one"), record("Statement two")
    mate.says(one)
    first = mate.commits()
    mate.says(two)
    second = mate.commits()
    mate.git("rm", "-q", "-r", ".memoranda/records")
    mate.commits()
    mate.says(one, folder="core")
    fourth = mate.commits()
    blob = mate.git("rev-parse", f"{first}:.memoranda/records").strip()
    assert blob
    with fetched(parse_source(str(mate.top)), None, tmp_path / "state", {}, True) as place:
        found = brought(place.folder, ".memoranda/")
    assert sorted(found.values()) == sorted([(first, fourth), (second,)])
