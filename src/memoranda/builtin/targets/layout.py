"""What the targets that hold plain files have in common: the order of writing, and what is a manifest."""

from __future__ import annotations

from pathlib import Path
from typing import Iterable, Iterator, Mapping

from memoranda.model.errors import Corrupt

VERSIONS = "memory.lance/_versions/"
#: The one file that is replaced: a person may read and edit it.
CARD = "README.md"
_SUFFIX = ".manifest"


def manifests(names: Iterable[str]) -> list[str]:
    """The manifests among names below `VERSIONS`, newest first: their numbers count down from 2^64 - 1."""
    return sorted(name for name in names if name.endswith(_SUFFIX) and name.removesuffix(_SUFFIX).isdigit())


def version(manifest: str) -> int:
    return (1 << 64) - 1 - int(manifest.rpartition("/")[2].removesuffix(_SUFFIX))


def in_order(files: Mapping[str, Path]) -> Iterator[tuple[str, Path]]:
    """Data first; then the manifest, with which all of it becomes visible at once; then the card."""
    last = [path for path in files if path.startswith(VERSIONS) and path.endswith(_SUFFIX)]
    if len(last) != 1:
        raise Corrupt("a commit has exactly one manifest")
    middle = [path for path in files if path not in (*last, CARD)]
    for path in (*middle, *last, *([CARD] if CARD in files else ())):
        yield path, files[path]
