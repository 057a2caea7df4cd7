"""The cache of extracts inside the index folder: one file an exhibit, named by hash and by who read it.

Disposable. It holds only what passed the door (the value's type says so), is written whole or not at all, and is
never older than it says: a file under another extractor's stamp is not that exhibit's extract.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Callable, Mapping

from memoranda.index.stamp import EXTRACTS
from memoranda.model.errors import Unavailable
from memoranda.model.evidence import Extract
from memoranda.model.outcome import Screened

_SUFFIX = ".json"


class Extracts:
    """Extracts by hash. `show` and `read` turn one into bytes and back; `read` raises `ValueError`."""

    def __init__(self, index: Path, show: Callable[[Extract], bytes], read: Callable[[bytes], Extract]) -> None:
        self._folder = index / EXTRACTS
        self._show, self._read = show, read

    def stamps(self) -> Mapping[str, str]:
        """Which exhibits have an extract: hash -> what its file is called, which changes with who read it."""
        try:
            names = os.listdir(self._folder)
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as error:
            raise Unavailable(f"the extracts cannot be read: {error.strerror}", "check the disk") from error
        return {name[:64]: name for name in sorted(names) if name.endswith(_SUFFIX) and len(name) > 64}

    def get(self, sha: str) -> Extract | None:
        """An exhibit's extract; None when there is none, or it is damaged and has to be read anew."""
        name = self.stamps().get(sha)
        if name is None:
            return None
        try:
            found = self._read((self._folder / name).read_bytes())
        except (OSError, ValueError):
            return None
        return found if name == _name(sha, found.stamp) else None

    def put(self, sha: str, screened: Screened[Extract]) -> None:
        """Keep an extract in place of any other of that exhibit. Raises `Unavailable`."""
        extract = screened.value
        name = _name(sha, extract.stamp)
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            temp = self._folder / f".tmp-{os.getpid()}-{os.urandom(4).hex()}"
            temp.write_bytes(self._show(extract))
            os.replace(temp, self._folder / name)
        except OSError as error:
            raise Unavailable(f"the extract cannot be kept: {error.strerror}", "free some space") from error
        self._clear(sha, but=name)

    def drop(self, sha: str) -> None:
        """Forget an exhibit's extract."""
        self._clear(sha, but="")

    def _clear(self, sha: str, but: str) -> None:
        with suppress(OSError):
            for name in os.listdir(self._folder):
                if name.startswith(sha) and name != but:
                    (self._folder / name).unlink()


def stamp_of(sha: str, stamp: str) -> str:
    """What the extract of an exhibit by an extractor of that stamp is called."""
    return _name(sha, stamp)


def _name(sha: str, stamp: str) -> str:
    return f"{sha}.{sha256(stamp.encode()).hexdigest()[:12]}{_SUFFIX}"
