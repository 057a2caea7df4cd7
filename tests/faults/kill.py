"""Kills a process of the real SDK at every file-system call, one after another, and looks at what is left.

usage: kill.py OPERATION [--most N] [--reading N]   (prints one JSON line; needs strace and the right to trace)

For each name of a call and each n, the operation runs in a fresh process that is killed on entering the n-th call of
that name. n grows until the process ends by itself, so that nothing is sampled (calls that change nothing may be
limited, see `READING`). Processes are forked from this one,
where everything is loaded already: it never opens a memory itself and has no threads.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from faults.operations import OPERATIONS, Operation, verify
from faults.scene import Scene, cache

#: Every call that can see or change a file system. A name that this machine does not have is passed over.
CALLS = (
    "open",
    "openat",
    "creat",
    "read",
    "pread64",
    "write",
    "pwrite64",
    "writev",
    "pwritev",
    "fsync",
    "fdatasync",
    "sync_file_range",
    "ftruncate",
    "truncate",
    "fallocate",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "rmdir",
    "chmod",
    "fchmod",
    "fchmodat",
    "close",
    "flock",
    "fcntl",
    "getdents64",
    "newfstatat",
    "stat",
    "lstat",
    "fstat",
    "statx",
    "access",
    "faccessat",
    "faccessat2",
    "readlink",
    "readlinkat",
    "lseek",
    "utimensat",
    "mmap",
    "munmap",
    "fadvise64",
    "dup",
    "chdir",
)
#: Calls that change nothing on a disk: a kill before one leaves what a kill before the next changing one leaves.
READING = frozenset(
    (
        "open",
        "openat",
        "read",
        "pread64",
        "close",
        "fcntl",
        "getdents64",
        "newfstatat",
        "stat",
        "lstat",
        "fstat",
        "statx",
        "access",
        "faccessat",
        "faccessat2",
        "readlink",
        "readlinkat",
        "lseek",
        "mmap",
        "munmap",
        "fadvise64",
        "dup",
        "chdir",
        "flock",
    )
)
_MOST_MISSES = 2  # a call may come once more or less from run to run: end only after two runs without a kill


@dataclass(slots=True)
class Tally:
    """`kills` by name of the call; `acknowledged` of them came after the operation had said it was done."""

    operation: str
    kills: dict[str, int] = field(default_factory=dict)
    acknowledged: int = 0
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0


def sweep(operation: Operation, most: int, reading: int) -> Tally:
    """Kill `operation` at every call, at most `most` times a name, `reading` times one that changes nothing."""
    started = time.monotonic()
    tally = Tally(operation.name)
    place = Path(tempfile.mkdtemp(prefix="memoranda-kill-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    template, scene = Scene(place / "template"), Scene(place / "now")
    try:
        said = in_child(lambda _: operation.prepare(scene))
        if said:
            raise RuntimeError(f"{operation.name} cannot be prepared: {said}")
        scene.base.rename(template.base)  # made where it will lie, so that it stays the memory of the same path
        before = template.truth()
        steps = _git_steps(template, scene, operation, place) if operation.name == "commit" else 0
        for name in CALLS:
            times = min(most, reading) if name in READING else most
            _sweep_call(operation, template, scene, before, name, times, tally)
            for step in range(1, steps + 1):
                _sweep_git(operation, template, scene, before, name, step, times, tally, place)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    tally.seconds = round(time.monotonic() - started, 1)
    return tally


def _sweep_call(
    operation: Operation,
    template: Scene,
    scene: Scene,
    before: dict[str, bytes],
    name: str,
    most: int,
    tally: Tally,
) -> None:
    misses, n = 0, 0
    while misses < _MOST_MISSES and n < most:
        n += 1
        scene.restore(template)
        killed, acked = _killed(operation, scene, name, n)
        if not killed:
            misses += 1
            continue
        misses = 0
        _look(operation, scene, before, acked, f"{name} {n}", tally, name)


def _look(
    operation: Operation,
    scene: Scene,
    before: dict[str, bytes],
    acked: list[str],
    where: str,
    tally: Tally,
    name: str,
) -> None:
    tally.kills[name] = tally.kills.get(name, 0) + 1
    tally.acknowledged += bool(acked)
    found = in_child(lambda say: [say(text) for text in verify(operation, scene, before, acked)])
    tally.wrong += [f"{operation.name}, killed at {where}, {len(acked)} acknowledged: {text}" for text in found]


def _killed(operation: Operation, scene: Scene, name: str, n: int) -> tuple[bool, list[str]]:
    """Run the act with a kill at the n-th call of a name; whether it came to that, and what was acknowledged."""

    def act(say: Callable[[str], None]) -> None:
        os.kill(os.getpid(), signal.SIGSTOP)
        operation.act(scene, say)

    pid, pipe = fork(act)
    inject = ["-e", f"trace=?{name}", "-e", f"inject=?{name}:signal=KILL:when={n}"]
    strace = attached(pid, [*inject, "-o", os.devnull])
    if strace is None:
        os.close(pipe)
        return False, []
    said = said_on(pipe)
    status = os.waitpid(pid, 0)[1]
    strace.wait()
    if os.WIFSIGNALED(status):
        return True, [line for line in said if not line.startswith("!")]
    if os.WEXITSTATUS(status):
        raise RuntimeError(f"{operation.name} failed without being killed: {said}")
    return False, []


def attached(pid: int, options: list[str], follow: bool = True) -> subprocess.Popen[bytes] | None:
    """strace on a child that has stopped itself, which then goes on; None (and no child) for an unknown call."""
    os.waitpid(pid, os.WUNTRACED)
    strace = subprocess.Popen(["strace", *(["-f"] if follow else []), "-qq", *options, "-p", str(pid)])
    while _tracer(pid) == 0:
        if strace.poll() is not None:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return None
        time.sleep(0.0005)
    os.kill(pid, signal.SIGCONT)
    return strace


def _tracer(pid: int) -> int:
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.partition("TracerPid:")[2].split(None, 1)[0])


# -- git's own processes: a git in front of the real one kills the chosen step

_FRONT = """#!/bin/sh
count=$(($(cat {place}/count) + 1)); echo $count >{place}/count
read -r step name n <{place}/plan
[ "$count" = "$step" ] && exec strace -q -o {place}/log -e trace="?$name" \\
    -e inject="?$name:signal=KILL:when=$n" {git} "$@"
exec {git} "$@"
"""


def _git_steps(template: Scene, scene: Scene, operation: Operation, place: Path) -> int:
    """How many times git is started by one commit."""
    front = place / "bin" / "git"
    front.parent.mkdir()
    front.write_text(_FRONT.format(place=place, git=shutil.which("git")))
    front.chmod(0o755)
    scene.restore(template)
    _with_git(operation, scene, place, "0 close 1")
    return int((place / "count").read_text())


def _with_git(operation: Operation, scene: Scene, place: Path, plan: str) -> list[str]:
    (place / "count").write_text("0\n")
    (place / "plan").write_text(plan + "\n")
    (place / "log").write_text("")

    def act(say: Callable[[str], None]) -> None:
        os.environ["PATH"] = f"{place / 'bin'}:{os.environ['PATH']}"
        operation.act(scene, say)

    return in_child(act)


def _sweep_git(
    operation: Operation,
    template: Scene,
    scene: Scene,
    before: dict[str, bytes],
    name: str,
    step: int,
    most: int,
    tally: Tally,
    place: Path,
) -> None:
    for n in range(1, most + 1):
        scene.restore(template)
        acked = _with_git(operation, scene, place, f"{step} {name} {n}")
        if "killed by SIGKILL" not in (place / "log").read_text():
            return
        _look(operation, scene, before, acked, f"{name} {n} of git process {step}", tally, name)


# -- processes


def fork(work: Callable[[Callable[[str], None]], object]) -> tuple[int, int]:
    """A child that runs `work`, and the pipe on which it speaks, a line a word."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid:
        os.close(write_end)
        return pid, read_end
    os.close(read_end)
    try:
        # writev, since no other call here is one: what is said must not be what fails
        work(lambda text: void(os.writev(write_end, [text.replace("\n", " ").encode() + b"\n"])))
        os._exit(0)
    except BaseException:
        os.writev(write_end, [b"!" + traceback.format_exc().replace("\n", " | ").encode() + b"\n"])
        os._exit(1)


def void(_: object) -> None:
    pass


def in_child(work: Callable[[Callable[[str], None]], object]) -> list[str]:
    pid, pipe = fork(work)
    said = said_on(pipe)
    os.waitpid(pid, 0)
    return said


def said_on(pipe: int) -> list[str]:
    with os.fdopen(pipe) as stream:
        return stream.read().splitlines()


def warm() -> None:
    """Load what every child needs, without opening a memory."""
    import memoranda.memory.check
    import memoranda.memory.status
    import memoranda.recall
    import memoranda.remember.capture
    import memoranda.remember.line
    from memoranda.memory import store
    from memoranda.model.record import Candidate
    from memoranda.ports import discover
    from memoranda.screen import screen

    discover.load("index_backends", "embedded")
    discover.load("readers", "claude")
    screeners = [discover.load("screeners", name)(cache()) for name in discover.names("screeners")]
    screen(Candidate(body="warm"), screeners)
    store.Store._screeners = screeners  # type: ignore[assignment,method-assign]
    assert memoranda.recall
    assert len(os.listdir("/proc/self/task")) == 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("operation", choices=OPERATIONS)
    parser.add_argument("--most", type=int, default=100_000, help="at most so many kills a call name")
    parser.add_argument("--reading", type=int, default=100_000, help="at most so many for a call that changes nothing")
    options = parser.parse_args()
    warm()
    print(json.dumps(asdict(sweep(OPERATIONS[options.operation], options.most, options.reading))))


if __name__ == "__main__":
    main()
