"""What a durable record costs, alone and among many writers.

usage: durability.py [--processes N] [--records N] [--alone N] [--folder DIR]

"bare" is the protocol without anything around it: temporary file, write, fsync, link, unlink, fsync of the folder.
`remember` and bare take turns in one process, so that both see the same disk in the same moments. Then the processes
write to one memory at once, each record another statement; afterwards every acknowledged id is looked for. Screening,
git and the index are on, as installed; vectors are off.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles

from _report import report

from memoranda import Memory
from memoranda.model.outcome import Stored
from memoranda.model.record import Channel, Door
from memoranda.model.settings import Settings

#: The published figure of another file-based memory with 32 writers, records a second (basic-memory, 2026).
OTHERS = 6.7


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--records", type=int, default=200)
    parser.add_argument("--alone", type=int, default=300)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--stage", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.stage:
        writer(Path(options.stage[0]), options.stage[1], options.records)
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        report("durability", [*alone(Path(folder) / "alone", options.alone), *together(Path(folder), options)])


def opened(base: Path) -> Memory:
    settings = Settings(
        home=base / "memory",
        state=base / "state",
        cache=Path(tempfile.gettempdir()) / f"memoranda-tests-{os.getuid()}",
        user_home=base,
        embedder="",
        lock_seconds=60.0,
    )
    return Memory.init(settings=settings, door=Door(Channel.DIRECT_SESSION, "owner", "benchmark"))


def alone(base: Path, count: int) -> list[dict[str, object]]:
    memory = opened(base)
    memory.remember("The rules are loaded before anything is timed.")
    folder = base / "bare"
    folder.mkdir()
    ours, bare = [], []
    for n in range(count):
        started = time.perf_counter()
        memory.remember(f"Fact {n}: the lamp in corridor {n * 7} is replaced every {n} weeks.")
        ours.append(time.perf_counter() - started)
        started = time.perf_counter()
        protocol(folder, str(n), b"x" * 420)
        bare.append(time.perf_counter() - started)
    memory.close()
    ratio = median(ours) / median(bare)
    return [
        row("bare protocol, p50", 1e3 * median(bare), "ms"),
        row("remember, p50", 1e3 * median(ours), "ms"),
        row("remember, p95", 1e3 * quantiles(ours, n=20)[-1], "ms"),
        row("remember over bare, p50", ratio, "x", "<= 2"),
    ]


def protocol(folder: Path, name: str, data: bytes) -> None:
    temporary = f"{folder}/.tmp-{name}"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(fd, data)
    os.fsync(fd)
    os.close(fd)
    os.link(temporary, f"{folder}/{name}")
    os.unlink(temporary)
    fd = os.open(folder, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


def writer(base: Path, name: str, count: int) -> None:
    """One process of many: says when it is ready, starts at a line on its input, prints ids and times."""
    memory = opened(base)
    memory.remember(f"Writer {name} has loaded the rules.")
    print("ready", flush=True)
    sys.stdin.readline()
    ids, times = [], []
    for n in range(count):
        started = time.perf_counter()
        outcome = memory.remember(f"Writer {name}, fact {n}: shelf {n * 3} holds {n * 11} books.")
        times.append(time.perf_counter() - started)
        if isinstance(outcome, Stored):
            ids.append(outcome.record.id)
    ended = time.time()
    memory.close()
    print(json.dumps({"ids": ids, "times": times, "ended": ended}), flush=True)


def together(folder: Path, options: argparse.Namespace) -> list[dict[str, object]]:
    base = folder / "together"
    opened(base).close()
    command = [sys.executable, __file__, "--records", str(options.records), "--stage", str(base)]
    children = [
        subprocess.Popen([*command, str(n)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for n in range(options.processes)
    ]
    for child in children:
        assert child.stdout
        assert child.stdout.readline() == "ready\n"
    started = time.time()
    for child in children:
        assert child.stdin
        child.stdin.write("\n")
        child.stdin.flush()
    told = [json.loads(child.communicate()[0]) for child in children]
    ids = [id for each in told for id in each["ids"]]
    times = [seconds for each in told for seconds in each["times"]]
    seconds = max(each["ended"] for each in told) - started
    memory = opened(base)
    records, problems = memory._store.records.scan()
    there = [record.id for record in records if "has loaded the rules" not in record.body]
    recalled = memory.recall("shelf books").index
    memory.close()
    rate = len(ids) / seconds
    return [
        row(
            f"{options.processes} processes: acknowledged",
            len(ids),
            "records",
            str(options.processes * options.records),
        ),
        row("lost", len(set(ids) - set(there)), "records", "0"),
        row("duplicates and problems", len(there) - len(set(there)) + len(there) - len(ids) + len(problems), "", "0"),
        row("acknowledged writes", rate, "1/s", f">= {10 * OTHERS:g}"),
        row("remember among them, p50", 1e3 * median(times), "ms"),
        row("remember among them, p95", 1e3 * quantiles(times, n=20)[-1], "ms"),
        row("pending in the index afterwards", recalled.pending, "records"),
    ]


def row(measure: str, figure: float, unit: str, target: str = "") -> dict[str, object]:
    return {"measure": measure, "figure": round(figure, 2), "unit": unit, "target": target}


if __name__ == "__main__":
    main()
