"""Teammates: repositories with a memory in them, made with git and with any bytes one likes."""

from __future__ import annotations

import hashlib
import os
import subprocess
from dataclasses import replace
from pathlib import Path

from memoranda import Memory
from memoranda.model.event import Event
from memoranda.model.record import Category, Channel, Confidence, Durability, Record
from memoranda.truth.events import print_event
from memoranda.truth.grammar import print_record, seal
from memoranda.truth.names import record_folder, record_name

_MARK = 'format = 1\nkind = "project"\n'
WRITER = "w0123456789ab"


def record(body: str, **more: object) -> Record:
    """A record that no door has seen, as anybody can write one into a file."""
    plain = Record(
        id="",
        created="2026-07-02T16:40:00Z",
        category=Category.REFERENCE,
        source="user_message",
        channel=Channel.DIRECT_SESSION,
        durability=Durability.DURABLE,
        confidence=Confidence.HIGH,
        screened="3",
        body=body,
        principal="owner",
    )
    return seal(replace(plain, **more))


class Teammate:
    """A repository with a memory at its top or in `.memoranda`."""

    def __init__(self, top: Path, below: str = ".memoranda") -> None:
        top.mkdir(parents=True, exist_ok=True)
        self.top, self.memory = top, top / below
        self.environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        self.git("init", "-q", "-b", "main")
        self.put(f"{below}/memory.toml" if below else "memory.toml", _MARK)
        self.events: list[bytes] = []

    def git(self, *words: str, given: bytes | None = None) -> str:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgSign=false"]
        done = subprocess.run(
            ["git", *who, "-C", str(self.top), *words],
            input=given,
            capture_output=True,
            env=self.environment,
            check=False,
        )
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout.decode().strip()

    def put(self, path: str, data: str | bytes) -> Path:
        file = self.top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data.encode() if isinstance(data, str) else data)
        return file

    def says(self, *records: Record, folder: str = "") -> Teammate:
        for one in records:
            place = self.memory / (folder or record_folder(one))
            place.mkdir(parents=True, exist_ok=True)
            (place / record_name(one)).write_bytes(print_record(one))
        return self

    def tells(self, kind: str, target: str, cause: str = "") -> Teammate:
        prev = hashlib.sha256(self.events[-1]).hexdigest() if self.events else ""
        event = Event(len(self.events), prev, "2026-07-03T10:00:00Z", kind, target, "owner", cause, {})
        self.events.append(print_event(event))
        path = self.memory / "events" / WRITER / "2026-07.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(line + b"\n" for line in self.events))
        return self

    def commits(self, *more: str) -> str:
        self.git("add", "-A", "-f")
        self.git(*more, "commit", "-q", "--allow-empty", "-m", "records")
        return self.git("rev-parse", "HEAD")

    def signed_by(self, key: Path) -> str:
        """Commit everything, signed with a private ssh key."""
        self.git("add", "-A", "-f")
        self.git(
            "-c",
            "gpg.format=ssh",
            "-c",
            f"user.signingKey={key}",
            "commit",
            "-q",
            "-S",
            "--allow-empty",
            "-m",
            "signed",
        )
        return self.git("rev-parse", "HEAD")


def ssh_key(folder: Path, name: str) -> tuple[Path, tuple[str, str]]:
    """A new key pair: the private key's file, and the public key as (kind, base64)."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(path)], check=True, capture_output=True
    )
    kind, data = path.with_suffix(".pub").read_text().split()[:2]
    return path, (kind, data)


def records_of(memory: Memory) -> dict[str, Record]:
    """Every record of a memory by its body."""
    store = memory._store.fresh()
    found = [store.read(id) for id in store.catalog.entries]
    return {one.body: one for one in found if one is not None}
