"""Reads a manifest whole: correct first, small second."""

import csv
from pathlib import Path

MAX_BYTES = 200_000_000


def read(path: Path) -> list[dict[str, str]]:
    """All rows of a manifest. Raises ValueError, naming file and byte, for a file that is too large or not UTF-8."""
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise ValueError(f"{path}: {size} bytes, at most {MAX_BYTES} are read")
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: invalid UTF-8 at byte {error.start}") from None
    return list(csv.DictReader(text.splitlines()))
