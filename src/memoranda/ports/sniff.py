"""What the first bytes of a file look like, whatever it is called. One guess: a polyglot is what its beginning says."""

from __future__ import annotations

import re

HEAD_BYTES = 65536

#: offset, magic, type (file-format specifications; the list of the WHATWG MIME Sniffing standard where it has one).
_MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (0, b"BM", "image/bmp"),
    (0, b"II*\x00", "image/tiff"),
    (0, b"MM\x00*", "image/tiff"),
    (0, b"fLaC", "audio/flac"),
    (0, b"OggS", "audio/ogg"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"\x1f\x8b", "application/gzip"),
)
_RIFF = {b"WAVE": "audio/wav", b"WEBP": "image/webp", b"AVI ": "video/x-msvideo"}
_OFFICE = (
    (b"word/", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    (b"xl/", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    (b"ppt/", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
)
_ODF = re.compile(rb"mimetype(application/vnd\.oasis\.opendocument\.(?:text|spreadsheet|presentation))")
_HTML = re.compile(rb"\s*(?:<!--.{0,4000}?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_AUDIO_BRANDS = (b"M4A ", b"M4B ")


def sniff(head: bytes) -> str:
    """The media type of a file that begins with `head`, application/octet-stream where nothing fits."""
    for offset, magic, kind in _MAGIC:
        if head.startswith(magic, offset):
            return _zip(head) if kind == "application/zip" else kind
    if head[:4] == b"RIFF":
        return _RIFF.get(head[8:12], "application/octet-stream")
    if head[4:8] == b"ftyp":
        return "audio/mp4" if head[8:12] in _AUDIO_BRANDS else "video/mp4"
    if head.startswith(b"\x1a\x45\xdf\xa3"):
        return "video/webm" if b"webm" in head[:64] else "video/x-matroska"
    if b"%PDF-" in head[:1024]:
        return "application/pdf"
    if len(head) > 3 and head[0] == 0xFF and head[1] & 0xE0 == 0xE0 and head[1] & 0x06:
        return "audio/mpeg"
    return _text(head)


def _zip(head: bytes) -> str:
    """An office document by the names at its beginning; any other archive stays one."""
    odf = _ODF.search(head[:256])
    if odf:
        return odf[1].decode("ascii")
    if b"[Content_Types].xml" in head or b"_rels/.rels" in head:
        for folder, kind in _OFFICE:
            if folder in head:
                return kind
    return "application/zip"


def _text(head: bytes) -> str:
    if not head or _BINARY.search(head):
        return "application/octet-stream"
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3:  # not a character that the end of `head` cuts in two
            return "application/octet-stream"
    return "text/html" if _HTML.match(head) else "text/plain"
