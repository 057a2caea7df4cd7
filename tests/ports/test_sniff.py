"""A file is what its bytes say, not what it is called."""

from __future__ import annotations

import pytest

from memoranda.ports.sniff import sniff


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n....", "image/png"),
        (b"%PDF-1.7\n", "application/pdf"),
        (b"\n\n%PDF-1.4", "application/pdf"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "audio/wav"),
        (b"RIFF\x00\x00\x00\x00WEBP", "image/webp"),
        (b"\x00\x00\x00\x20ftypM4A ", "audio/mp4"),
        (b"\x00\x00\x00\x20ftypisom", "video/mp4"),
        (b"\x1a\x45\xdf\xa3....webm", "video/webm"),
        (b"ID3\x04", "audio/mpeg"),
        (b"\xff\xfb\x90\x64", "audio/mpeg"),
        (b"  <!-- x --><!DOCTYPE html><p>", "text/html"),
        ("Grüße".encode(), "text/plain"),
        ("é".encode() * 32768 + b"\xc3", "text/plain"),
        (b"PK\x03\x04rest", "application/zip"),
        (b"PK\x03\x04....[Content_Types].xml....word/document.xml",
         "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        (b"PK\x03\x04" + b"\x00" * 26 + b"mimetypeapplication/vnd.oasis.opendocument.text",
         "application/vnd.oasis.opendocument.text"),
        (b"", "application/octet-stream"),
        (b"abc\x00def", "application/octet-stream"),
        (b"caf\xe9 au lait", "application/octet-stream"),
        (b"\x7fELF\x02\x01", "application/octet-stream"),
    ],
)  # fmt: skip
def test_the_first_bytes_decide(head: bytes, kind: str) -> None:
    assert sniff(head) == kind
