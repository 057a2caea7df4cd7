"""Bytes as content blocks."""

import base64

import pytest

from memoranda.views.mcp.opening import block
from memoranda.views.serving.opening import Piece


@pytest.mark.parametrize(("media_type", "kind"), [("image/png", "image"), ("audio/wav", "audio")])
def test_pictures_and_sound_have_blocks_of_their_own(media_type: str, kind: str) -> None:
    made = block(Piece("evidence:sha256:ab", media_type, b"\x00\xff"))
    assert made == {"type": kind, "data": base64.b64encode(b"\x00\xff").decode(), "mimeType": media_type}


def test_anything_else_is_an_embedded_resource() -> None:
    made = block(Piece("evidence:sha256:ab", "text/plain", b"x"))
    assert made["resource"] == {"uri": "evidence:sha256:ab", "mimeType": "text/plain", "blob": "eA=="}
