"""Bytes between us and a client over standard input and output.

Promises: nothing but whole messages ever reaches the client, whoever prints; a message that is too long costs no
memory; a client that fell back to `Content-Length` framing is answered in kind.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from typing import Any, BinaryIO, Iterator

from memoranda.views.mcp.messages import FRAME_BYTES, dump

_HEADER = b"content-length:"


class Wire:
    """The two pipes. `send` may be called by any thread; `frames` by one."""

    def __init__(self, source: BinaryIO, sink: int) -> None:
        self._source, self._sink = source, sink
        self._lock = threading.Lock()
        self._framed = False
        self.broken = False

    @classmethod
    def claim(cls) -> Wire:
        """Take standard input and output for ourselves: whatever prints from now on, prints to stderr."""
        sink = os.dup(1)
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        source = os.fdopen(os.dup(0), "rb")
        nothing = os.open(os.devnull, os.O_RDONLY)  # nobody else reads from the client
        os.dup2(nothing, 0)
        os.close(nothing)
        return cls(source, sink)

    def frames(self) -> Iterator[bytes]:
        """Each message as it came, without its line end, until the client closes. Blank lines are no messages.

        One that is longer than `FRAME_BYTES` is given cut, just longer than that, so that it is answered as too long.
        """
        while line := self._line():
            if line.lower().startswith(_HEADER):
                line = self._counted(line)
            line = line.strip()
            if line:
                yield line

    def _line(self) -> bytes:
        line = self._source.readline(FRAME_BYTES + 1)
        if len(line) > FRAME_BYTES and not line.endswith(b"\n"):
            while (rest := self._source.readline(1 << 16)) and not rest.endswith(b"\n"):
                pass
        return line

    def _counted(self, header: bytes) -> bytes:
        """The message after a `Content-Length` header, as editors' protocols frame it."""
        self._framed = True
        digits = header.partition(b":")[2].strip()
        length = int(digits) if digits.isdigit() and len(digits) < 12 else 0
        while (line := self._source.readline(1 << 10)) and line.strip():
            pass
        kept = self._source.read(min(length, FRAME_BYTES + 1))
        left = length - len(kept)
        while left > 0 and (rest := self._source.read(min(left, 1 << 16))):
            left -= len(rest)
        return kept

    def send(self, message: Any) -> None:
        """Write one message whole. A client that went away is remembered, not raised."""
        data = dump(message)
        data = b"Content-Length: %d\r\n\r\n%s" % (len(data), data) if self._framed else data + b"\n"
        with self._lock, suppress(OSError):
            if self.broken:
                return
            self.broken = True
            view = memoryview(data)
            while view:
                view = view[os.write(self._sink, view) :]
            self.broken = False
