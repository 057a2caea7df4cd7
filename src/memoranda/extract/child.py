"""The child process of one extraction: reads a request, puts up the fences, loads one extractor, answers once.

The answer goes to the descriptor that was standard output; whatever libraries print goes nowhere.
"""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Iterator, NoReturn

#: More is never said of a failure: what an extractor says may quote the media.
_MESSAGE_CHARS = 200
#: Bytes looked at near either end of a file, and characters kept of them.
_EDGE_BYTES, _RUN_BYTES = 4 << 20, 1 << 20
_RUN = re.compile(rb"[\x20-\x7e]{12,}")


def main() -> NoReturn:
    """Never returns; ends without unwinding, so that no library has a last word."""
    request: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    out = os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    answer: dict[str, Any]
    try:
        answer = _answer(request)
    except MemoryError:
        answer = _failed("unavailable", "it needs more memory than an extraction may take")
    except BaseException as error:
        answer = _failure(error)
    head = json.dumps({k: v for k, v in answer.items() if k != "body"}).encode() + b"\n"
    with os.fdopen(out, "wb") as file:
        file.write(head + answer.get("body", b""))
    os._exit(0)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    from memoranda.extract.fences import Limits, enclose
    from memoranda.extract.wire import print_cut, print_extract
    from memoranda.model.fragment import Fragment, parse_fragment
    from memoranda.ports import discover

    scratch, source = Path(request["scratch"]), Path(request["source"])
    os.chdir(scratch)
    readable = [source, Path(sys.prefix), Path(sys.base_prefix), *(Path(p) for p in sys.path if os.path.isabs(p))]
    point = discover.find("extractors", request["extractor"])  # read before the fences stand: it lists folders
    fences = enclose(scratch, readable, Limits(*request["limits"]))
    extractor = point.load()()
    if request["job"] == "extract":
        found = extractor.extract(source, request["media_type"], scratch)
        if not found.media_type.startswith("text/"):
            found = replace(found, raw=tuple(_printable(source)))
        body = print_extract(found)
    else:
        fragment = parse_fragment(request["fragment"]) if request["fragment"] else Fragment()
        body = print_cut(extractor.cut(source, request["media_type"], fragment, scratch))
    return {"ok": True, "fences": fences, "body": body}


def _printable(source: Path) -> Iterator[str]:
    """Runs of plain characters in the bytes themselves, near either end: what hides in comments of the format, or is
    appended for another program, goes through the door too."""
    with source.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        for start in (0, max(_EDGE_BYTES, size - _EDGE_BYTES)):
            file.seek(min(start, size))
            runs = _RUN.findall(file.read(_EDGE_BYTES))
            yield b"\n".join(runs)[:_RUN_BYTES].decode("ascii")


def _failure(error: BaseException) -> dict[str, Any]:
    from memoranda.model.errors import MemorandaError

    if isinstance(error, MemorandaError):
        return _failed(error.code, error.message[:_MESSAGE_CHARS], error.hint[:_MESSAGE_CHARS])
    if isinstance(error, PermissionError):
        return _failed("invalid", "the extractor tried what no extractor may: it was stopped at a fence")
    return _failed("invalid", f"it cannot be read ({type(error).__name__})")


def _failed(code: str, message: str, hint: str = "") -> dict[str, Any]:
    return {"ok": False, "code": code, "message": message, "hint": hint}
