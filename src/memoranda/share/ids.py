"""The list of what a data file holds, kept beside it: whoever pushes or pulls need not read the data to know.

Compressed text, a row a line: `<digest> <id>`, sorted by id. `zcat` shows it.
"""

from __future__ import annotations

import gzip
import re
from typing import Mapping

from memoranda.model.errors import Corrupt

#: A list of a hundred thousand rows is 3 MB; one that claims more than this is not read to its end.
_BYTES = 256 << 20
_is_line = re.compile(r"([0-9a-f]{16}|-) ([^\s\x00-\x1f]+)").fullmatch


def path_of(part: str) -> str:
    """Where the list of a data file lies at a target."""
    return f"ids/{part.removesuffix('.lance')}.gz"


def pack(ids: Mapping[str, str]) -> bytes:
    """id -> digest ("" for none) as a file; the same ids give the same bytes."""
    text = "".join(f"{ids[id] or '-'} {id}\n" for id in sorted(ids))
    return gzip.compress(text.encode(), 6, mtime=0)


def unpack(data: bytes) -> dict[str, str]:
    """The ids in a file. Raises `Corrupt`."""
    import io

    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            text = file.read(_BYTES + 1)
        lines = text.decode().splitlines()
    except (OSError, EOFError, UnicodeDecodeError, ValueError):
        raise Corrupt("a list of ids cannot be read", "fetch it again") from None
    found = {}
    for line in lines if len(text) <= _BYTES else ():
        match = _is_line(line)
        if match is None:
            raise Corrupt("a list of ids is damaged", "fetch it again")
        found[match[2]] = "" if match[1] == "-" else match[1]
    return found
