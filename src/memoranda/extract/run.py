"""Runs one extraction or one cut in a child, under limits, and reads what it answers."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from memoranda.extract.fences import Limits
from memoranda.extract.wire import parse_cut, parse_extract
from memoranda.model.errors import Invalid, MemorandaError, Unavailable
from memoranda.model.evidence import Cut, Extract
from memoranda.model.values import dataclass
from memoranda.ports import Extractor, discover
from memoranda.ports.sniff import HEAD_BYTES, sniff

_BOOT = "import json,sys\nsys.path[:]=json.loads(sys.argv[1])\nfrom memoranda.extract.child import main\nmain()\n"
#: Media that plays gets time by its size as well: speech is transcribed at a few times real time, and compressed speech
#: is about half a megabyte a minute.
_SECONDS_A_MEGABYTE = 60.0
_PLAYS = ("audio/", "video/")
_LONGEST = 6 * 3600.0
_KINDS: dict[str, type[MemorandaError]] = {"invalid": Invalid, "unavailable": Unavailable}


@dataclass(frozen=True, slots=True)
class Reader:
    """An extractor by its plug-in name, and the media type as which it reads a file."""

    name: str
    stamp: str
    media_type: str


def reader_for(source: Path) -> Reader:
    """The extractor that claims a file by its first bytes: others' come before ours.

    Raises `Unavailable` naming what to install when none that is here does, `Invalid` when nobody reads such files.
    """
    try:
        with source.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError as error:
        raise Unavailable(f"{source}: {error.strerror}", "check the path and its mode") from None
    guess = sniff(head)
    missing: list[Unavailable] = []
    ours = {name for name in discover.names("extractors") if discover.find("extractors", name).package == "memoranda"}
    for name in sorted(discover.names("extractors"), key=lambda name: (name in ours, name)):
        try:
            extractor: Extractor = discover.load("extractors", name)()
        except Unavailable as error:
            missing.append(error)
            continue
        kind = extractor.claims(head, guess)
        if kind:
            return Reader(name, extractor.stamp, kind)
    named = next((error for error in missing if _names(error, guess)), None)
    if named is not None:
        raise named
    raise Invalid(
        f"nothing here reads {guess}, so it cannot be looked at", "memoranda help evidence names what is read"
    )


def _names(error: Unavailable, guess: str) -> bool:
    """Whether a missing extractor says that it would read such files."""
    family = guess.partition("/")[0]
    return family in error.message or guess in error.message


def limits_for(media_type: str, size: int) -> Limits:
    """How long and how much an extraction may take."""
    if not media_type.startswith(_PLAYS):
        return Limits(seconds=300.0, cpu_seconds=600)
    seconds = min(_LONGEST, 300.0 + _SECONDS_A_MEGABYTE * size / 1e6)
    return Limits(seconds=seconds, cpu_seconds=int(2 * seconds))


def extract(source: Path, reader: Reader, limits: Limits) -> tuple[Extract, tuple[str, ...]]:
    """What a file says, and the fences behind which that was found out. Raises `Invalid`, `Unavailable`."""
    with tempfile.TemporaryDirectory(prefix="memoranda-", dir=memory_folder()) as scratch:
        head, body = _run("extract", source, reader, "", Path(scratch), limits)
    return _parsed(parse_extract, body), tuple(head.get("fences", ()))


def cut(source: Path, reader: Reader, fragment: str, scratch: Path, limits: Limits) -> Cut:
    """A piece of a file as a new file in `scratch`. Raises `Invalid`, `Unavailable`."""
    _, body = _run("cut", source, reader, fragment, scratch, limits)
    found: Cut = _parsed(parse_cut, body)
    made = scratch / found.name
    if "/" in found.name or made.is_symlink() or not made.is_file():
        raise Invalid("the extractor made no file", "try another range")
    return found


def _run(
    job: str, source: Path, reader: Reader, fragment: str, scratch: Path, limits: Limits
) -> tuple[dict[str, Any], bytes]:
    request = {
        "job": job, "extractor": reader.name, "source": str(source.resolve()), "media_type": reader.media_type,
        "fragment": fragment, "scratch": str(scratch.resolve()), "limits": list(limits),
    }  # fmt: skip
    path = [entry for entry in sys.path if os.path.isabs(entry)]
    child = subprocess.Popen(
        [sys.executable, "-I", "-c", _BOOT, json.dumps(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=scratch,
        env=_environment(scratch),
        start_new_session=True,
    )
    try:
        assert child.stdin is not None
        with suppress(BrokenPipeError):
            child.stdin.write(json.dumps(request).encode() + b"\n")
            child.stdin.close()
        data = _read(child, limits)
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        assert child.stdout is not None
        child.stdout.close()
    return _checked(data, child.returncode)


def _read(child: subprocess.Popen[bytes], limits: Limits) -> bytes:
    """All of the answer. Raises `Invalid` when it takes too long or says too much."""
    assert child.stdout is not None
    deadline = time.monotonic() + limits.seconds
    pieces: list[bytes] = []
    size = 0
    with selectors.DefaultSelector() as ready:
        ready.register(child.stdout, selectors.EVENT_READ)
        while True:
            left = deadline - time.monotonic()
            if left <= 0 or not ready.select(left):
                raise Invalid(f"it took longer than {limits.seconds:.0f} seconds to read and was given up")
            piece = os.read(child.stdout.fileno(), 1 << 20)
            if not piece:
                return b"".join(pieces)
            pieces.append(piece)
            size += len(piece)
            if size > limits.answer_bytes:
                raise Invalid(f"it holds more text than {limits.answer_bytes >> 20} MiB and was given up")


def _checked(data: bytes, status: int) -> tuple[dict[str, Any], bytes]:
    line, newline, body = data.partition(b"\n")
    try:
        head = json.loads(line) if newline else None
    except ValueError:
        head = None
    if not isinstance(head, dict):
        named = signal.Signals(-status).name if status < 0 else f"status {status}"
        raise Invalid(f"the extractor died of it ({named})", "the file may be broken or hostile; nothing was kept")
    if head.get("ok") is not True:
        kind = _KINDS.get(str(head.get("code")), Invalid)
        raise kind(str(head.get("message")), str(head.get("hint", "")))
    return head, body


def _parsed(parse: Any, body: bytes) -> Any:
    try:
        return parse(body)
    except ValueError as error:
        raise Invalid(f"the extractor's answer cannot be used: {error}") from None


def memory_folder() -> str | None:
    """Where scratch never reaches a disk: what an extractor writes there has not been screened."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None


def _environment(scratch: Path) -> dict[str, str]:
    """Nothing of the user's environment but where programs lie: no keys, no proxies, no home."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT") if name in os.environ}
    here = str(scratch)
    threads = {"OMP_NUM_THREADS": "2", "MALLOC_ARENA_MAX": "2"}  # a heap a thread would take 60 MB more
    return kept | threads | {"HOME": here, "TMPDIR": here, "LANG": "C.UTF-8", "HF_HUB_OFFLINE": "1"}
