"""Every state that a power cut may leave behind one operation, not samples of them.

The operation runs once under strace. What it did to the memory's files is then replayed in a model in which a disk may
do all that POSIX lets it do with what was not synced: at every moment, names that were made, moved or removed since the
last fsync of their folder are there or not, each for itself; data written since the last fsync of its file is there,
half there, there as zeros, or not. Git and the index are left as they were before.

usage: python tests/faults/states.py OPERATION
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from faults.kill import attached, fork, in_child, said_on, warm
from faults.operations import OPERATIONS, Operation, verify
from faults.scene import Scene

_CALLS = (
    "openat,write,pwrite64,writev,fsync,fdatasync,link,linkat,unlink,unlinkat,rename,renameat,renameat2,mkdir,"
    "mkdirat,ftruncate"
)
_MOST_NAMES = 6  # of so many unsynced names every subset is tried; of more: each prefix, each alone, each left out
_DATA = ("none", "half", "zeros", "all")
_DERIVED = (".index", ".git")
_line = re.compile(r"^\d+ +(\w+)\((.*)\) += (-?\d+)")
_word = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_fd = re.compile(r"^(\d+)<((?:\\x[0-9a-f]{2})*)>")


@dataclass(frozen=True, slots=True)
class Step:
    """`kind` is data, cut, add, drop, move, folder, sync or ack. A name is a path relative to the base."""

    kind: str
    name: str = ""
    inode: int = 0
    at: int = 0
    data: bytes = b""
    other: str = ""


@dataclass(slots=True)
class Tally:
    operation: str
    steps: int = 0
    states: int = 0
    acknowledged: int = 0
    wrong: list[str] = field(default_factory=list)


Image = tuple[tuple[str, bytes | None], ...]


def sweep(operation: Operation, every: int = 1, believe: Callable[[Step], bool] = lambda step: True) -> Tally:
    """Look at each `every`-th state of a disk that does only those steps that `believe` says it does."""
    place = Path(tempfile.mkdtemp(prefix="memoranda-states-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    template, scene = Scene(place / "template"), Scene(place / "now")
    tally = Tally(operation.name)
    try:
        said = in_child(lambda _: operation.prepare(scene))
        if said:
            raise RuntimeError(f"{operation.name} cannot be prepared: {said}")
        scene.base.rename(template.base)
        scene.restore(template)
        start = {str(p.relative_to(template.base)): p for p in template.base.rglob("*")}
        steps, acked = _recorded(operation, scene, place / "log", start)
        steps = [step for step in steps if believe(step)]
        tally.steps = len(steps)
        before = template.truth()
        seen: set[tuple[Image, bool]] = set()
        for number, (image, told) in enumerate(states(steps, start)):
            if (image, told) in seen or number % every:
                continue
            seen.add((image, told))
            _make(scene, template, image)
            given = acked if told else []
            found = in_child(lambda say, given=given: [say(text) for text in verify(operation, scene, before, given)])
            tally.states += 1
            tally.acknowledged += told
            tally.wrong += [f"{operation.name}, {_told(image)}, acknowledged {given}: {text}" for text in found]
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return tally


# -- what was done


def _recorded(operation: Operation, scene: Scene, log: Path, start: dict[str, Path]) -> tuple[list[Step], list[str]]:
    def act(say: Callable[[str], None]) -> None:
        os.kill(os.getpid(), signal.SIGSTOP)
        operation.act(scene, say)

    pid, pipe = fork(act)
    strace = attached(pid, ["-y", "-xx", "-s", "100000000", "-e", f"trace={_CALLS}", "-o", str(log)])
    assert strace is not None
    said = said_on(pipe)
    os.waitpid(pid, 0)
    strace.wait()
    if not said or said[0].startswith("!"):
        raise RuntimeError(f"{operation.name} failed: {said}")
    return list(_steps(log.read_text(), scene.base, start)), said


def _steps(log: str, base: Path, start: dict[str, Path]) -> Iterator[Step]:
    inodes: dict[str, int] = {}
    places: dict[str, tuple[int, int]] = {}  # descriptor -> (inode, position); -1 appends
    sizes: dict[int, int] = {}
    fresh = itertools.count(1)

    def inode(name: str) -> int:
        if name not in inodes:
            inodes[name] = next(fresh)
            sizes[inodes[name]] = start[name].stat().st_size if name in start else 0
        return inodes[name]

    for line in log.splitlines():
        match = _line.match(line)
        if match is None or int(match[3]) < 0:
            continue
        call, given, result = match[1], match[2], int(match[3])
        names = [_relative(_text(word), base) for word in _word.findall(given)]
        held = _fd.match(given)
        if call == "writev":
            yield Step("ack")
        elif call == "openat" and names[0]:
            places.pop(str(result), None)
            if "O_WRONLY" in given or "O_RDWR" in given:
                made = "O_CREAT" in given and names[0] not in inodes and names[0] not in start
                number = inode(names[0])
                if made:
                    yield Step("add", names[0], number)
                places[str(result)] = (number, -1 if "O_APPEND" in given else 0)
        elif call in ("write", "pwrite64") and held and held[1] in places and _relative(_text(held[2]), base):
            number, position = places[held[1]]
            at = sizes[number] if position < 0 else position
            if call == "pwrite64":
                at = int(given.rpartition(", ")[2])
            data = _bytes(_word.findall(given)[0])[:result]
            yield Step("data", inode=number, at=at, data=data)
            sizes[number] = max(sizes[number], at + result)
            if position >= 0 and call == "write":
                places[held[1]] = (number, at + result)
        elif call == "ftruncate" and held and held[1] in places:
            size = int(given.rpartition(", ")[2])
            yield Step("cut", inode=places[held[1]][0], at=size)
            sizes[places[held[1]][0]] = size
        elif call in ("fsync", "fdatasync") and held and (name := _relative(_text(held[2]), base)):
            number = places[held[1]][0] if held[1] in places else 0
            yield Step("sync", "" if number else name, number)
        elif call.startswith("link") and names[-1]:
            inodes[names[-1]] = inode(names[0])
            yield Step("add", names[-1], inodes[names[-1]])
        elif call.startswith("unlink") and names[0]:
            yield Step("drop", names[0], inode(names[0]))
            inodes.pop(names[0], None)
        elif call.startswith("rename") and names[-1]:
            number = inode(names[0])
            yield Step("move", names[0], number, other=names[-1])
            inodes[names[-1]] = inodes.pop(names[0])
        elif call.startswith("mkdir") and names[0]:
            yield Step("folder", names[0])


def _relative(path: str, base: Path) -> str:
    """The path below the base; "" for what is elsewhere, derived, or only a lock."""
    path = path.removesuffix(" (deleted)")
    if not path.startswith(f"{base}/"):
        return ""
    name = path[len(str(base)) + 1 :]
    derived = any(part in _DERIVED for part in name.split("/"))
    return "" if derived or name.endswith(".lock") else name


def _bytes(word: str) -> bytes:
    return bytes.fromhex(word.replace("\\x", ""))


def _text(word: str) -> str:
    return _bytes(word).decode("utf-8", "replace")


# -- what a power cut may leave


def states(steps: list[Step], start: dict[str, Path]) -> Iterator[tuple[Image, bool]]:
    """Every image of the touched names, and whether the operation had been acknowledged by then."""
    for moment in range(len(steps) + 1):
        done = steps[:moment]
        told = any(step.kind == "ack" for step in done)
        names = [n for n, step in enumerate(done) if step.kind in ("add", "drop", "move", "folder")]
        open_names = [n for n in names if not _synced(done, n)]
        data = [n for n, step in enumerate(done) if step.kind in ("data", "cut")]
        open_data = [n for n in data if not any(s.kind == "sync" and s.inode == done[n].inode for s in done[n:])]
        for lost in _subsets(open_names):
            for fate in itertools.product(_DATA, repeat=len(open_data)):
                yield _image(done, set(lost), dict(zip(open_data, fate, strict=True)), start), told


def _synced(done: list[Step], number: int) -> bool:
    step = done[number]
    folder = (step.other or step.name).rpartition("/")[0]
    return any(later.kind == "sync" and not later.inode and later.name == folder for later in done[number:])


def _subsets(open_names: list[int]) -> Iterator[tuple[int, ...]]:
    """Which of the unsynced names are lost."""
    if len(open_names) <= _MOST_NAMES:
        for count in range(len(open_names) + 1):
            yield from itertools.combinations(open_names, count)
        return
    for at in range(len(open_names) + 1):
        yield tuple(open_names[at:])
    for one in open_names:
        yield (one,)
        yield tuple(n for n in open_names if n != one)


def _image(done: list[Step], lost: set[int], fate: dict[int, str], start: dict[str, Path]) -> Image:
    bytes_of: dict[int, bytearray] = {}
    names: dict[str, int | None] = {}
    touched: dict[str, None] = {}

    def content(inode: int, name: str = "") -> bytearray:
        if inode not in bytes_of:
            bytes_of[inode] = bytearray(start[name].read_bytes() if name in start and start[name].is_file() else b"")
        return bytes_of[inode]

    origin = {step.inode: step.name for step in reversed(done) if step.name and step.inode}
    for number, step in enumerate(done):
        here = number not in lost
        if step.kind == "data":
            _written(content(step.inode, origin.get(step.inode, "")), step, fate.get(number, "all"))
        elif step.kind == "cut" and fate.get(number, "all") != "none":
            del content(step.inode)[step.at :]
        elif step.kind in ("add", "folder"):
            touched[step.name] = None
            if here:
                names[step.name] = step.inode or None
        elif step.kind == "drop":
            touched[step.name] = None
            if here:
                names[step.name] = -1
        elif step.kind == "move":
            content(step.inode, step.name)
            touched[step.name] = touched[step.other] = None
            if here:
                names[step.name], names[step.other] = -1, step.inode
    found: list[tuple[str, bytes | None]] = []
    for name in touched:
        inode = names.get(name, 0 if name in start else -1)
        if inode == -1:
            found.append((name, b"-"))
        elif inode is None:
            found.append((name, None))
        elif inode:
            found.append((name, b"+" + bytes(content(inode))))
    grown = {step.inode for step in done if step.kind in ("data", "cut")} - {i for i in names.values() if i}
    found += [(origin[i], b"+" + bytes(bytes_of[i])) for i in sorted(grown) if origin.get(i, "") in start]
    return tuple(sorted(found, key=lambda one: one[0]))


def _written(content: bytearray, step: Step, fate: str) -> None:
    data = {"none": b"", "half": step.data[: len(step.data) // 2], "zeros": bytes(len(step.data))}.get(fate, step.data)
    if data and len(content) < step.at:
        content.extend(bytes(step.at - len(content)))
    content[step.at : step.at + len(data)] = data


def _make(scene: Scene, template: Scene, image: Image) -> None:
    scene.restore(template)
    for name, data in image:
        path = scene.base / name
        if data == b"-":
            path.unlink(missing_ok=True)
        elif not path.parent.is_dir() or path.is_dir():
            continue  # its folder was lost, and it with it
        elif data is None:
            path.mkdir(mode=0o700, exist_ok=True)
        else:
            path.write_bytes(data[1:])
            path.chmod(0o600)


def _told(image: Image) -> str:
    return ", ".join(f"{name} {'folder' if data is None else data[:60]}" for name, data in image)[:600]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("operation", choices=OPERATIONS)
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    warm()
    print(json.dumps(asdict(sweep(OPERATIONS[options.operation], options.every)), indent=1))


if __name__ == "__main__":
    main()
