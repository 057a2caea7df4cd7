"""A piece of evidence in a result: its words as text, its bytes as what the protocol has for them.

The piece is cut into a folder of our own that is gone when the answer is: no file of the user's is written or named.
"""

from __future__ import annotations

import base64
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from memoranda.model.errors import Invalid
from memoranda.views.commands.call import Call
from memoranda.views.commands.reply import Reply

#: Bytes of a piece before base64: what comes out stays under the bound of a message (`messages.FRAME_BYTES`).
MOST_BYTES = 2 << 20


def opened(call: Call, blocks: list[dict[str, Any]]) -> Reply:
    """Open what the call names and put its bytes into `blocks`. Raises `Invalid` for a piece that is too large."""
    from memoranda.views.render import exhibits as draw

    with tempfile.TemporaryDirectory(prefix="memoranda-open-") as folder, call.open() as memory:
        piece = memory.open_evidence(call.args.locator, folder)
        if piece.path.stat().st_size > MOST_BYTES:
            raise Invalid(f"this piece has more than {MOST_BYTES} bytes", "name a smaller piece, such as #t=61,81")
        blocks.append(block(piece.locator, piece.media_type, piece.path.read_bytes()))
    shown = replace(piece, path=Path(piece.path.name))
    return Reply("opened", shown, lambda page: draw.opened(page, shown))


def block(locator: str, media_type: str, data: bytes) -> dict[str, Any]:
    """Bytes as a content block of their kind."""
    text = base64.b64encode(data).decode()
    kind = media_type.partition("/")[0]
    if kind in ("image", "audio"):
        return {"type": kind, "data": text, "mimeType": media_type}
    return {"type": "resource", "resource": {"uri": locator, "mimeType": media_type, "blob": text}}
