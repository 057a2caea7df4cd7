"""Bytes that were compressed with zstd: by the standard library from Python 3.14 on, by `zstandard` before."""

from __future__ import annotations

from importlib import import_module
from typing import BinaryIO, Callable

#: Frames that ask for a longer window are refused: it is held in memory.
_WINDOW = 1 << 27


def unpacker() -> Callable[[BinaryIO], BinaryIO] | None:
    """What gives the bytes of a compressed file that is open; None when nothing here can."""
    try:
        zstd = import_module("compression.zstd")
    except ImportError:
        return _by_package()
    options = {zstd.DecompressionParameter.window_log_max: _WINDOW.bit_length() - 1}
    return lambda file: zstd.ZstdFile(file, options=options)


def _by_package() -> Callable[[BinaryIO], BinaryIO] | None:
    try:
        from zstandard import ZstdDecompressor
    except ImportError:
        return None
    return lambda file: ZstdDecompressor(max_window_size=_WINDOW).stream_reader(file, read_across_frames=True)
