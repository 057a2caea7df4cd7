"""git on what others made: bounded in time, in memory, in what it writes and in what it says.

A repository can be made so that reading it never ends or fills a disk. So git runs here in a process group of its own,
under limits that whatever it starts inherits, and the whole group is gone when a run ends.
"""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Mapping, Sequence

from memoranda.model.values import dataclass
from memoranda.truth.git import GitFailed, command, environment, reason

if TYPE_CHECKING:
    import subprocess

_ERROR_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Bounds:
    """`seconds` of the clock; bytes of a file it writes, of its memory (as address space), of its answer."""

    seconds: float = 60.0
    file_bytes: int = 1 << 30
    memory_bytes: int = 4 << 30
    answer_bytes: int = 64 << 20


def run_fenced(
    arguments: Sequence[str],
    *,
    folder: Path,
    bounds: Bounds,
    settings: Sequence[str] = (),
    variables: Mapping[str, str] | None = None,
    keep_open: Sequence[int] = (),
) -> bytes:
    """Run git within bounds and return what it printed.

    Raises `Unavailable` when git is not installed, `GitFailed` when it fails or passes a bound.
    """
    import subprocess

    process = start_fenced(
        arguments, folder=folder, bounds=bounds, settings=settings, variables=variables, keep_open=keep_open
    )
    assert process.stdout is not None
    assert process.stderr is not None
    said: dict[str, bytes] = {}
    ears = [
        threading.Thread(target=_listen, args=(process, "out", process.stdout, bounds.answer_bytes, said), daemon=True),
        threading.Thread(target=_listen, args=(process, "err", process.stderr, _ERROR_BYTES, said), daemon=True),
    ]
    for ear in ears:
        ear.start()
    try:
        process.wait(bounds.seconds)
    except subprocess.TimeoutExpired:
        raise GitFailed(f"git took longer than {bounds.seconds:g} s") from None
    finally:
        end(process)
        for ear in ears:
            ear.join()
        process.stdout.close()
        process.stderr.close()
    if len(said["out"]) > bounds.answer_bytes or len(said["err"]) > _ERROR_BYTES:
        raise GitFailed("git said more than it may")
    if process.returncode:
        raise GitFailed(_reason(said["err"], process.returncode))
    return said["out"]


def start_fenced(
    arguments: Sequence[str],
    *,
    folder: Path,
    bounds: Bounds,
    settings: Sequence[str] = (),
    variables: Mapping[str, str] | None = None,
    keep_open: Sequence[int] = (),
    talk: bool = False,
) -> subprocess.Popen[bytes]:
    """Start git within the bounds of memory and files; with `talk` it can be written to, and its errors are dropped.

    Whoever starts it calls `end`. Raises as `run_fenced`.
    """
    import subprocess

    try:
        return subprocess.Popen(
            [*_limits(bounds), *command(arguments, settings)],
            cwd=folder,
            env=environment(variables or {}),
            stdin=subprocess.PIPE if talk else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if talk else subprocess.PIPE,
            umask=0o077,
            pass_fds=tuple(keep_open),
            start_new_session=True,
        )
    except OSError as error:
        raise GitFailed(f"git could not be started ({error.strerror})") from error


def end(process: subprocess.Popen[bytes]) -> None:
    """Stop git, if it still runs, and all that it started."""
    if process.poll() is None:  # else its number may be another's by now
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:  # pragma: no cover
                process.kill()
    process.wait()


def _limits(bounds: Bounds) -> list[str]:
    """A shell that bounds itself and becomes git. A bound that this system does not know is left out.

    Setting them between fork and exec is not safe where threads run.
    """
    if os.name == "nt":  # pragma: no cover
        return []
    wanted = (f"-f {bounds.file_bytes // 512}", f"-v {bounds.memory_bytes // 1024}")  # blocks of 512 bytes, KiB
    script = "".join(f"(ulimit {bound}) 2>/dev/null && ulimit {bound}; " for bound in wanted)
    return ["/bin/sh", "-c", f'{script}exec "$@"', "sh"]


def _listen(process: subprocess.Popen[bytes], way: str, stream: IO[bytes], most: int, said: dict[str, bytes]) -> None:
    """Take in what is said up to `most` bytes; whoever says more is stopped."""
    said[way] = stream.read(most + 1)
    if len(said[way]) > most:
        end(process)


def _reason(printed: bytes, code: int) -> str:
    """git's own words, not those that the other side had it print."""
    lines = [line for line in printed.splitlines() if not line.startswith((b"remote:", b"warning:", b"hint:"))]
    ours = next((line for line in lines if line.startswith((b"fatal:", b"error:"))), b"\n".join(lines))
    return reason(ours, code)
