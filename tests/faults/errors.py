"""Makes every file-system call of an operation fail once, one after another, and looks at what is said and left.

usage: errors.py OPERATION [--most N]   (prints one JSON line; needs strace and the right to trace)

The n-th call of a name returns an error instead of being made. The operation may then succeed (the call did not
matter), or raise one of our own errors; nothing else may come out of it, what it acknowledged is kept, and afterwards
the memory works as if nothing had been. After a failed sync of a truth file the same process must refuse to write.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from faults.kill import attached, fork, in_child, said_on, warm
from faults.operations import OPERATIONS, Operation, verify
from faults.scene import Scene

from memoranda.model.errors import MemorandaError

#: What each call may really answer.
ERRORS = {
    "openat": ("EIO", "EMFILE", "EACCES"),
    "read": ("EIO",),
    "pread64": ("EIO",),
    "write": ("EIO", "ENOSPC", "EDQUOT"),
    "pwrite64": ("EIO", "ENOSPC"),
    "fsync": ("EIO", "ENOSPC"),
    "fdatasync": ("EIO",),
    "close": ("EIO",),
    "ftruncate": ("EIO",),
    "link": ("EIO", "ENOSPC", "EROFS", "EMLINK"),
    "linkat": ("EIO", "ENOSPC", "EROFS", "EMLINK"),
    "rename": ("EIO", "ENOSPC", "EROFS"),
    "unlink": ("EIO", "EROFS"),
    "mkdir": ("EIO", "ENOSPC", "EROFS"),
    "fchmod": ("EPERM",),
    "flock": ("ENOLCK",),
    "getdents64": ("EIO",),
    "fstat": ("EIO",),
    "newfstatat": ("EIO", "EACCES"),
}


@dataclass(slots=True)
class Tally:
    """`failed`: the operation raised one of our errors; `unharmed`: it was done all the same."""

    operation: str
    errors: dict[str, int] = field(default_factory=dict)
    failed: int = 0
    unharmed: int = 0
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0


def sweep(operation: Operation, most: int, names: tuple[str, ...] = ()) -> Tally:
    """Let `operation` fail at every call, at most `most` times a name and error."""
    started = time.monotonic()
    tally = Tally(operation.name)
    place = Path(tempfile.mkdtemp(prefix="memoranda-error-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    template, scene = Scene(place / "template"), Scene(place / "now")
    try:
        in_child(lambda _: operation.prepare(scene))
        scene.base.rename(template.base)
        before = template.truth()
        for name, errors in ERRORS.items():
            for error in errors if not names or name in names else ():
                for n in range(1, most + 1):
                    scene.restore(template)
                    said, fired = _failing(operation, scene, name, error, n, place / "log")
                    if not fired:
                        break
                    _look(operation, scene, before, said, f"{name} {n} {error}", tally, name)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    tally.seconds = round(time.monotonic() - started, 1)
    return tally


def _failing(operation: Operation, scene: Scene, name: str, error: str, n: int, log: Path) -> tuple[list[str], bool]:
    """What the operation said under the error, and whether the error came to pass."""

    def act(say: Callable[[str], None]) -> None:
        os.kill(os.getpid(), signal.SIGSTOP)
        try:
            operation.act(scene, lambda text: say(f"acked {text}"))
        except MemorandaError as problem:
            say(f"raised {problem.code} {problem.message}")

    pid, pipe = fork(act)
    inject = ["-e", f"trace=?{name}", "-e", f"inject=?{name}:error={error}:when={n}"]
    strace = attached(pid, [*inject, "-o", str(log)], follow=False)
    if strace is None:
        os.close(pipe)
        return [], False
    said = said_on(pipe)
    os.waitpid(pid, 0)
    strace.wait()
    return said, "(INJECTED)" in log.read_text(errors="replace")


def _look(
    operation: Operation, scene: Scene, before: dict[str, bytes], said: list[str], where: str, tally: Tally, name: str
) -> None:
    tally.errors[name] = tally.errors.get(name, 0) + 1
    acked = [line.removeprefix("acked ") for line in said if line.startswith("acked ")]
    raised = [line for line in said if line.startswith("raised ")]
    tally.failed += bool(raised)
    tally.unharmed += bool(acked and not raised)
    wrong = [line[-600:] for line in said if line.startswith("!")]
    wrong += in_child(lambda say: [say(text) for text in verify(operation, scene, before, acked)])
    tally.wrong += [f"{operation.name}, {where}, said {raised or acked}: {text}" for text in wrong]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("operation", choices=OPERATIONS)
    parser.add_argument("--most", type=int, default=1000, help="at most so many of a call and an error")
    parser.add_argument("--names", nargs="*", default=[])
    options = parser.parse_args()
    warm()
    print(json.dumps(asdict(sweep(OPERATIONS[options.operation], options.most, tuple(options.names)))))


if __name__ == "__main__":
    main()
