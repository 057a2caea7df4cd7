"""A piece of evidence as a content block of the protocol."""

from __future__ import annotations

import base64
from typing import Any

from memoranda.views.serving.opening import Piece


def block(piece: Piece) -> dict[str, Any]:
    """Bytes as a block of their kind."""
    text = base64.b64encode(piece.data).decode()
    kind = piece.media_type.partition("/")[0]
    if kind in ("image", "audio"):
        return {"type": kind, "data": text, "mimeType": piece.media_type}
    return {"type": "resource", "resource": {"uri": piece.locator, "mimeType": piece.media_type, "blob": text}}
