"""What sharing asks of a place where published memories lie, and of the table they are written in."""

from __future__ import annotations

from pathlib import Path
from typing import Iterable, Iterator, Mapping, Protocol

from memoranda.model.share import Contents, Head, Part, Row, Stamp

#: The table's folder at a target, its data and its versions in it.
TABLE = "memory.lance"


class ShareTarget(Protocol):
    """A place for one published memory. Files there are written once and never altered, but for README.md.

    Nothing is kept between calls but a connection. Every method raises `Offline` when nobody answers and `Denied` when
    we are not let in.
    """

    @property
    def address(self) -> str:
        """How people name it; the same place has one address."""

    def head(self) -> Head | None:
        """What stands there now, None when there is no memory yet. One request, two at most."""

    def read(self, path: str, head: Head, into: Path) -> None:
        """Fetch one file as of `head`, whole or not at all. Raises `NotFound`."""

    def commit(self, files: Mapping[str, Path], head: Head | None, note: str) -> Head:
        """Make files (path there -> file here) visible at once if what stands there is still `head`; else raises
        `Conflict` and nothing is visible. The table's new manifest is among them. With None the memory is made, for
        nobody but its owner to see. When this fails half way, what was sent is never read."""


class RowTable(Protocol):
    """Rows in files that others can read too. Works in a local folder that mirrors the target: the newest manifest
    and whatever data files are wanted need be there, no others."""

    def describe(self, folder: Path, manifest: str) -> Contents:
        """What the version in that manifest (a file name) holds. Raises `Corrupt`, `Unavailable` for a newer schema."""

    def rows(self, folder: Path, manifest: str, part: Part) -> Iterator[Row]:
        """The rows of one data file, in order. Raises `Corrupt`."""

    def append(self, folder: Path, rows: Iterable[Row], stamp: Stamp) -> Mapping[str, Path]:
        """Write a version with further rows after the one that is there (or the first one); the new files, by their
        path relative to the folder, the manifest last."""
