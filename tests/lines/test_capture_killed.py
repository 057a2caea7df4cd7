"""A capture that is killed at any moment: the next one finishes it, with nothing lost and nothing twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SESSIONS, TURNS = 12, 40

# What the killed process runs: capture as the SDK does it, the index being brought up to the files before and, when a
# step had to make it anew, after; with flushes so small that there are dozens to be killed between.
CHILD = """
import sys
from pathlib import Path
from memoranda.index import Index
from memoranda.ports import discover
from memoranda.remember import capture as line
from memoranda.truth.folder import Folder
from memoranda.truth.lock import WriteLock
from memoranda.truth.turns import TurnStore
from memoranda_agents import claude

line.FLUSH_BYTES = 1500
root = Path(sys.argv[1])
folder = Folder(root / "memory", "personal")
store = TurnStore(folder, "w0123456789ab", WriteLock(root / "memory" / ".lock", 60))
index = Index(root / "memory" / ".index", discover.load("index_backends", "embedded"), None, root / "cache", 60)


class Turns:
    record_stamps = extract_stamps = staticmethod(dict)
    turn_files, turns = store.files, store.read


print("started", flush=True)
index.sync(Turns, lambda record: True)
report = line.capture([claude.make()], store, index, (), lambda: "2026-07-02T16:40:00Z", home=root / "home")
if index.behind:
    index.sync(Turns, lambda record: True)
index.close()
print(report.turns, report.duplicates, flush=True)
"""


def home(root: Path) -> None:
    project = root / "home" / ".claude" / "projects" / "-w-app"
    project.mkdir(parents=True)
    (root / "memory").mkdir()
    for s in range(SESSIONS):
        rows = []
        for t in range(TURNS):
            message = {"role": "user", "content": f"session{s} turn{t} " + f"word{s * t} " * 20}
            stamp = f"2026-01-01T00:{t:02d}:00.000Z"
            rows.append(
                {"type": "user", "uuid": f"{s}-{t}", "sessionId": f"s{s}", "timestamp": stamp, "message": message}
            )
        path = project / f"s{s}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        os.utime(path, (s, s))


def start(root: Path) -> subprocess.Popen[str]:
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(root)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "started\n"
    return child


def kept(root: Path) -> dict[str, bytes]:
    turns = root / "memory" / "turns"
    return {str(path.relative_to(turns)): path.read_bytes() for path in turns.rglob("*.jsonl")}


def indexed(root: Path) -> set[str]:
    """Every turn's own word, asked of the index, gives that turn."""
    from memoranda.index import Index
    from memoranda.model.index import Search
    from memoranda.ports import discover

    index = Index(root / "memory" / ".index", discover.load("index_backends", "embedded"), None, root / "cache")
    docs: set[str] = set()
    for s in range(SESSIONS):
        docs.update(row.doc for row in index.rankings(Search(f"session{s}", ("words",), 10 * TURNS))["words"])
    index.close()
    return docs


def converges(root: Path, kills: int, seed: int) -> None:
    whole, torn = root / "whole", root / "torn"
    for place in (whole, torn):
        home(place)
    before = time.monotonic()
    out, _ = start(whole).communicate()
    seconds = time.monotonic() - before
    assert out == f"{SESSIONS * TURNS} 0\n"
    draw = random.Random(seed)
    killed = 0
    for _ in range(kills):
        child = start(torn)
        time.sleep(draw.uniform(0, seconds / 4))
        child.send_signal(signal.SIGKILL)
        killed += child.wait() == -signal.SIGKILL
        assert child.stdout is not None
        child.stdout.close()
        if draw.random() < 0.2:
            for name, data in kept(torn).items():  # what is kept only ever grows towards the whole
                assert kept(whole)[name].startswith(data[: data.rfind(b"\n") + 1])
    start(torn).communicate()
    assert killed > 0
    same(whole, torn)


def same(whole: Path, other: Path) -> None:
    """The same turns to the byte, and each of them found."""
    assert kept(other) == kept(whole)
    assert indexed(other) == indexed(whole)
    assert len(indexed(whole)) == SESSIONS * TURNS


def test_a19_killed_a_few_times(tmp_path: Path) -> None:
    converges(tmp_path, 6, 1)


@pytest.mark.slow
def test_a19_killed_fifty_times(tmp_path: Path) -> None:
    converges(tmp_path, 50, 2)


def test_a49_three_captures_at_once_write_each_turn_once(tmp_path: Path) -> None:
    whole, shared = tmp_path / "whole", tmp_path / "shared"
    for place in (whole, shared):
        home(place)
    start(whole).communicate()
    children = [start(shared) for _ in range(3)]
    for child in children:
        child.communicate()
    start(shared).communicate()
    assert kept(shared) == kept(whole)
