"""A piece of evidence for a program: its words as a reply, its bytes beside it.

The piece is cut into a folder of our own that is gone when the answer is: no file of the user's is written or named.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from memoranda.model.errors import Invalid
from memoranda.views.commands.call import Call
from memoranda.views.commands.reply import Reply

#: Bytes of a piece. Base64 of it stays under the bound of a message of the Model Context Protocol (4 MiB).
MOST_BYTES = 2 << 20


class Piece(NamedTuple):
    """The bytes of a place, and what they are."""

    locator: str
    media_type: str
    data: bytes


def opened(call: Call, pieces: list[Piece]) -> Reply:
    """Open what the call names and put its bytes into `pieces`. Raises `Invalid` for a piece that is too large."""
    from memoranda.views.render import exhibits as draw

    with tempfile.TemporaryDirectory(prefix="memoranda-open-") as folder, call.open() as memory:
        piece = memory.open_evidence(call.args.locator, folder)
        if piece.path.stat().st_size > MOST_BYTES:
            raise Invalid(f"this piece has more than {MOST_BYTES} bytes", "name a smaller piece, such as #t=61,81")
        pieces.append(Piece(piece.locator, piece.media_type, piece.path.read_bytes()))
    shown = replace(piece, path=Path(piece.path.name))
    return Reply("opened", shown, lambda page: draw.opened(page, shown))
