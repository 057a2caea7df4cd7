"""`memoranda mcp`: the server on standard input and output."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from types import FrameType
from typing import Mapping

from memoranda.views.mcp.session import Session
from memoranda.views.mcp.wire import Wire
from memoranda.views.serving.desk import Desk, project_folder

#: How long what was asked may still be answered: after the client closed its end, and after it asked us to stop.
CLOSED_SECONDS = 30.0
STOPPED_SECONDS = 2.0


class _Stopped(BaseException):
    """SIGTERM or SIGINT came."""


def serve(environ: Mapping[str, str], named: Path | str | None = None, project: bool = False) -> int:
    """Serve until the client closes its end or asks us to stop; returns the exit code.

    Standard output belongs to the protocol from here on: whatever prints, prints to stderr.
    """
    folder = project_folder(environ)
    named = named.absolute() if isinstance(named, Path) else named
    wire = Wire.claim()
    os.chdir(folder)  # anchors are given as paths from there
    session = Session(Desk(environ, folder, named, project), wire.send)
    seconds = CLOSED_SECONDS
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _stop)
    try:
        for frame in wire.frames():
            session.take(frame)
    except _Stopped:
        seconds = STOPPED_SECONDS
    try:
        session.end(seconds)
    except _Stopped:
        session.end(STOPPED_SECONDS)
    return 0


def _stop(number: int, frame: FrameType | None) -> None:
    raise _Stopped
