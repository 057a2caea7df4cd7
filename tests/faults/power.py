"""Cuts the power under acknowledged writes: a loop-mounted file system is shut down by ioctl, then mounted again.

usage: power.py ext4|xfs [--writes N] [--cycles N]   (prints one JSON line; needs root, loop devices and mkfs)

The shutdown drops everything that was not synced, which is what a power cut leaves of a disk that keeps its word. In
each cycle four processes write through the real SDK and tell each acknowledgement over a pipe; the file system is
shut down under them in mid-write, mounted again, recovered and looked at.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from faults.kill import fork, in_child, warm
from faults.operations import history
from faults.scene import Scene

from memoranda.model.outcome import Stored

#: FS_IOC_SHUTDOWN of ext4 and XFS, `_IOR('X', 125, __u32)`; 2 is "without flushing the log" (linux/fs.h).
_SHUTDOWN = 0x8004587D
_WITHOUT_FLUSH = 2
_WRITERS = 4
_MEGABYTES = {"ext4": 256, "xfs": 400}  # mkfs.xfs makes nothing smaller than 300


@dataclass(slots=True)
class Tally:
    """`unacknowledged` are records that are there though nobody was told; they must be whole."""

    system: str
    acknowledged: int = 0
    events: int = 0
    cycles: int = 0
    lost: int = 0
    unacknowledged: int = 0
    moved_away: int = 0
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0


def possible(system: str) -> str:
    """Why this cannot be done here, "" when it can."""
    if os.geteuid():
        return "mounting needs root"
    for program in (f"mkfs.{system}", "losetup", "mount"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    if system not in Path("/proc/filesystems").read_text():
        subprocess.run(["modprobe", system], check=False, capture_output=True)
        if system not in Path("/proc/filesystems").read_text():
            return f"this kernel has no {system}"
    return ""


def sweep(system: str, writes: int, cycles: int) -> Tally:
    """At least `writes` acknowledged writes over at least `cycles` power cuts."""
    started = time.monotonic()
    tally = Tally(system)
    with _disk(system) as disk:
        scene = Scene(disk.place / "user")
        in_child(lambda _: scene.init().close())
        acked: dict[str, str] = {}
        while tally.acknowledged < writes or tally.cycles < cycles:
            tally.cycles += 1
            told = _cycle(scene, disk, tally.cycles, min(writes // cycles, writes))
            acked.update(told)
            tally.acknowledged = len(acked)
            tally.events += sum(1 for kind in told.values() if kind == "forgotten")
            for line in in_child(lambda say: [say(text) for text in _look(scene, acked)]):
                _note(tally, line)
            if tally.wrong:
                break
    tally.seconds = round(time.monotonic() - started, 1)
    return tally


def _cycle(scene: Scene, disk: Disk, cycle: int, wanted: int) -> dict[str, str]:
    """Write until `wanted` were acknowledged, pull the plug in mid-write, and plug in again."""
    writers = [fork(lambda say, n=n: _write(scene, say, f"{cycle}-{n}")) for n in range(_WRITERS)]  # type: ignore[misc]
    said = b""
    for _, pipe in writers:
        os.set_blocking(pipe, False)
    until = time.monotonic() + 120
    while said.count(b"\n") < wanted and time.monotonic() < until:
        time.sleep(0.002)
        said += _drain(writers)
    disk.cut()
    for pid, _ in writers:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    told = said + _drain(writers)
    for _, pipe in writers:
        os.close(pipe)
    disk.again()
    lines = [line.split(" ", 1) for line in told.decode().split("\n")[:-1] if not line.startswith("!")]
    return dict(lines)  # type: ignore[arg-type]


def _drain(writers: list[tuple[int, int]]) -> bytes:
    """What was told so far. A line is shorter than PIPE_BUF, so it is whole or not there."""
    found = b""
    for _, pipe in writers:
        mine = b""
        with suppress(BlockingIOError):
            while piece := os.read(pipe, 65536):
                mine += piece
        found += mine
    return found


def _write(scene: Scene, say: object, name: str) -> None:
    """Remember until the disk goes away; every fifth record is forgotten again, which writes an event."""
    memory = scene.open()
    for n in range(1_000_000):
        outcome = memory.remember(f"Writer {name} counted to {n} and saw {n * n} lamps.")
        assert isinstance(outcome, Stored)
        say(f"{outcome.record.digest} kept")  # type: ignore[operator]
        if n % 5 == 4:
            memory.forget(outcome.record.id)
            say(f"{outcome.record.digest} forgotten")  # type: ignore[operator]


def _look(scene: Scene, acked: dict[str, str]) -> Iterator[str]:
    """Everything that is wrong, `lost` and counts, one a line."""
    memory = scene.open()
    records, problems = memory._store.records.scan()
    there = {record.digest for record in records}
    yield from (f"half visible: {p.locator}: {p.message}" for p in problems)
    yield from (f"not whole: {record.path}" for record in records if not record.intact)
    for digest, kind in acked.items():
        if digest not in there:
            yield f"lost {digest}"
        elif kind == "forgotten" and not memory._store.standings[digest].retired:
            yield f"lost the event on {digest}"
    yield f"more {len(there - acked.keys())}"
    after = memory.remember(f"After the cut number {time.time_ns()}.")
    if not isinstance(after, Stored):
        yield f"the next write: {after}"
    yield f"away {len(list((scene.root / 'lost+found').glob('*')))}"
    yield from (f"check: {p.locator}: {p.message}" for p in memory.check() if p.locator != ".index")
    memory.close()  # the index is derived and may be made anew, which check says
    yield from (memory._store.committer.notices if memory._store.committer else ())
    yield from history(scene)
    yield from (f"left lying: {path}" for path in scene.temps())


def _note(tally: Tally, line: str) -> None:
    word, _, rest = line.partition(" ")
    if word == "more":
        tally.unacknowledged = int(rest) - tally.cycles + 1  # less what `_look` wrote itself in earlier cycles
    elif word == "away":
        tally.moved_away = int(rest)
    else:
        tally.lost += word == "lost"
        tally.wrong.append(f"cycle {tally.cycles}: {line}")


# -- the disk


@dataclass(slots=True)
class Disk:
    """A file system in a file."""

    image: Path
    place: Path

    def cut(self) -> None:
        fd = os.open(self.place, os.O_RDONLY)
        try:
            fcntl.ioctl(fd, _SHUTDOWN, struct.pack("I", _WITHOUT_FLUSH))
        finally:
            os.close(fd)

    def again(self) -> None:
        for _ in range(100):  # a killed process may still be letting go of its files
            if subprocess.run(["umount", self.place], check=False, capture_output=True).returncode == 0:
                break
            time.sleep(0.05)
        self.mount()

    def mount(self) -> None:
        subprocess.run(["mount", "-o", "loop", self.image, self.place], check=True, capture_output=True)


@contextmanager
def _disk(system: str) -> Iterator[Disk]:
    folder = Path(tempfile.mkdtemp(prefix="memoranda-power-"))
    disk = Disk(folder / "image", folder / "disk")
    disk.place.mkdir()
    try:
        with disk.image.open("wb") as file:
            file.truncate(_MEGABYTES[system] * 1024 * 1024)
        subprocess.run([f"mkfs.{system}", "-q", disk.image], check=True, capture_output=True)
        disk.mount()
        yield disk
    finally:
        subprocess.run(["umount", "-l", disk.place], check=False, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("system", choices=_MEGABYTES)
    parser.add_argument("--writes", type=int, default=2000)
    parser.add_argument("--cycles", type=int, default=20)
    options = parser.parse_args()
    reason = possible(options.system)
    if reason:
        print(json.dumps({"system": options.system, "skipped": reason}))
        return
    warm()
    print(json.dumps(asdict(sweep(options.system, options.writes, options.cycles))))


if __name__ == "__main__":
    main()
