"""Who signed the commit that brought a file: only keys that the user's settings name count, and only ssh signatures.

git ties no author to a signer, and judges a key's time by the date that the signer wrote. So neither is asked: the
signature is taken out of the commit, the key in it is looked for among those of the settings, and `ssh-keygen` says
whether it signed these very bytes. Author, date and message count for nothing; a key is good while it is named there.
"""

from __future__ import annotations

import binascii
import subprocess
from base64 import b64decode
from collections import defaultdict
from pathlib import Path
from typing import Mapping, Sequence

from memoranda.model.values import dataclass
from memoranda.truth.fenced import Bounds, run_fenced
from memoranda.truth.git import GitFailed, environment
from memoranda.truth.objects import Objects
from memoranda.truth.quarantine import REF

COMMIT_BYTES = 1 << 20
#: Most commits whose signature is looked at in one receive; a file that only later ones brought is nobody's.
MOST_COMMITS = 5_000
_LOG_BOUNDS = Bounds(seconds=120.0, file_bytes=1 << 20, answer_bytes=256 << 20)
_SECONDS = 20.0
_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
_NAMESPACE = b"git"


@dataclass(frozen=True, slots=True)
class Key:
    """A public key as OpenSSH writes it ("ssh-ed25519", "AAAA…") and whose it is."""

    principal: str
    kind: str
    data: str


def brought(git_folder: Path, below: str) -> Mapping[str, tuple[str, ...]]:
    """The commits that brought each object under records/ and core/ of the memory in `below`, oldest first.

    What a merge alone brought is nobody's. Raises `GitFailed` when the history is too long to be read.
    """
    arguments = [f"--git-dir={git_folder}", "--literal-pathspecs", "log", "--raw", "-z", "--no-abbrev", "--no-renames"]
    arguments += ["--reverse", "--topo-order", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-mailmap"]
    arguments += ["--diff-filter=AM", "--format=%x01%H%x00", REF, "--", f"{below}records", f"{below}core"]
    found: dict[str, list[str]] = defaultdict(list)
    commit = ""
    for piece in run_fenced(arguments, folder=git_folder, bounds=_LOG_BOUNDS).split(b"\0"):
        piece = piece.lstrip(b"\n")
        if piece.startswith(b"\x01"):
            commit = piece[1:].decode("ascii", "replace")
        elif piece.startswith(b":"):
            facts = piece.decode("ascii", "replace").split(" ")
            if len(facts) == 5 and commit not in found[facts[3]]:
                found[facts[3]].append(commit)
    return {oid: tuple(commits) for oid, commits in found.items()}


class Signers:
    """Says whose signature a commit carries; each commit is looked at once. `scratch` is a private folder."""

    def __init__(self, objects: Objects, keys: Sequence[Key], scratch: Path) -> None:
        self._objects, self._scratch = objects, scratch
        self._keys = {blob: key for key in keys if (blob := _bytes(key.data))}
        self._known: dict[str, str | None] = {}

    def of(self, commits: Sequence[str]) -> str | None:
        """The principal who signed the first of these commits that anybody known signed."""
        return next((name for commit in commits if (name := self._one(commit)) is not None), None)

    def _one(self, commit: str) -> str | None:
        if commit not in self._known and len(self._known) < MOST_COMMITS:
            self._known[commit] = self._look(commit)
        return self._known.get(commit)

    def _look(self, commit: str) -> str | None:
        data = self._objects.read(commit, "commit", COMMIT_BYTES)
        signature, payload = _taken_apart(data or b"")
        key = self._keys.get(_key_in(signature))
        return key.principal if key and self._holds(key, signature, payload) else None

    def _holds(self, key: Key, signature: str, payload: bytes) -> bool:
        """Whether this key signed these bytes as a commit."""
        allowed, armour = self._scratch / "signers", self._scratch / "signature"
        allowed.write_text(f'signer namespaces="git" {key.kind} {key.data}\n')
        armour.write_text(signature)
        command = ["ssh-keygen", "-Y", "verify", "-f", str(allowed), "-I", "signer", "-n", "git", "-s", str(armour)]
        try:
            done = subprocess.run(
                command, input=payload, capture_output=True, timeout=_SECONDS, env=environment({}), check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise GitFailed("ssh-keygen cannot check signatures here") from error
        return done.returncode == 0


def _taken_apart(commit: bytes) -> tuple[str, bytes]:
    """The signature in a commit and the bytes it is over; "" for a commit without one, or with several."""
    head, gap, body = commit.partition(b"\n\n")
    lines: list[bytes] = []
    signature: list[bytes] = []
    inside, count = False, 0
    for line in head.split(b"\n"):
        if line.startswith(b"gpgsig"):
            inside, count = True, count + 1
            signature.append(line.removeprefix(b"gpgsig").removeprefix(b"-sha256").lstrip(b" "))
        elif inside and line.startswith(b" "):
            signature.append(line[1:])
        else:
            inside = False
            lines.append(line)
    text = b"\n".join(signature).decode("ascii", "replace").strip()
    if count != 1 or not (text.startswith(_BEGIN) and text.endswith(_END)):
        return "", b""
    return text + "\n", b"\n".join(lines) + gap + body


def _key_in(signature: str) -> bytes:
    """The public key that a signature names (PROTOCOL.sshsig: magic, version, key, namespace, ...), b"" for none."""
    blob = _bytes("".join(signature.strip().splitlines()[1:-1]))
    if not blob.startswith(b"SSHSIG\0\0\0\1"):
        return b""
    key, rest = _string(blob[10:])
    return key if _string(rest)[0] == _NAMESPACE else b""


def _string(data: bytes) -> tuple[bytes, bytes]:
    size = int.from_bytes(data[:4], "big")
    return data[4 : 4 + size], data[4 + size :]


def _bytes(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
