"""Opens an export of a chat service: `conversations*.json`, alone or inside the ZIP it was sent as.

The array in it is read conversation by conversation, however long it is.
"""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path
from typing import Any, Iterator

from memoranda.ports.documents import elements
from memoranda.ports.reading import HEAD_BYTES

_is_member = re.compile(r"(.*/)?conversations(-\d+)?\.json").fullmatch


def head_of(path: Path, head: bytes) -> bytes:
    """The first bytes of the conversations: `head` itself, or those inside a ZIP; empty when there are none."""
    if not head.startswith(b"PK"):
        return head
    try:
        with zipfile.ZipFile(path) as packed:
            name = next(filter(_is_member, sorted(packed.namelist())), None)
            if name is None:
                return b""
            with packed.open(name) as file:
                return file.read(HEAD_BYTES)
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError):
        return b""


def conversations(path: Path) -> Iterator[dict[str, Any]]:
    """The conversations of an export in the order of the file. Raises `ValueError`, `OSError`."""
    if not zipfile.is_zipfile(path):
        with path.open(encoding="utf-8", errors="replace") as stream:
            yield from _objects(stream)
        return
    try:
        with zipfile.ZipFile(path) as packed:
            for name in filter(_is_member, sorted(packed.namelist())):
                with packed.open(name) as file:
                    yield from _objects(io.TextIOWrapper(file, "utf-8", "replace"))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise ValueError(f"the ZIP cannot be read ({type(error).__name__})") from None


def _objects(stream: Any) -> Iterator[dict[str, Any]]:
    for value in elements(stream):
        if isinstance(value, dict):
            yield value


def dicts(value: object) -> list[dict[str, Any]]:
    """The objects of a list, none for what is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
