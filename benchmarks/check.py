"""What `check` costs: a memory of many records, with its index, looked through for damage.

usage: check.py [--records N] [--repeat N]

The records are made here, the same every time, a third with an anchor and a tenth superseding another; they are written
without syncing, since only reading is measured. "cpu" is what the process used, "wall" what passed; the load says
how far to trust the latter. The files are in the page cache.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from _report import report

from memoranda import Memory
from memoranda.model.record import Category, Channel, Confidence, Durability, Record
from memoranda.model.settings import Settings
from memoranda.truth.folder import Folder
from memoranda.truth.grammar import print_record, seal
from memoranda.truth.names import record_folder, record_name


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=50_000)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root, user = Path(folder) / "memory", Path(folder) / "user"
        user.mkdir()
        fill(root, options.records)
        settings = Settings(
            home=root,
            state=user / "state",
            cache=user / "cache",
            user_home=user,
            embedder="",
            commit=False,
            variables={},
        )
        with Memory.open(root, settings=settings) as memory:
            memory.reindex()
            rows = [measure(memory, deep, options.repeat) for deep in (False, True)]
        report(f"check of {options.records:,} records", rows)


def measure(memory: Memory, deep: bool, repeat: int) -> dict[str, object]:
    walls, cpus, found = [], [], 0
    for _ in range(repeat):
        wall, cpu = time.perf_counter(), time.process_time()
        found = len(memory.check(deep=deep))
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    name = "check --deep" if deep else "check"
    return {
        "measure": name,
        "wall": round(min(walls), 1),
        "cpu": round(min(cpus), 1),
        "unit": "s",
        "target": "" if deep else "10",
        "problems": found,
    }


def fill(root: Path, number: int) -> None:
    """A personal memory with that many records, spread over the months of a year."""
    Folder.init(root, "personal")
    last = ""
    for n in range(number):
        record = seal(made(n, last if n % 10 == 9 else ""))
        last = record.id
        path = root
        for part in record_folder(record).split("/"):
            path /= part
            if not path.exists():
                path.mkdir(mode=0o700)
        fd = os.open(path / record_name(record), os.O_CREAT | os.O_WRONLY, 0o600)
        os.write(fd, print_record(record))
        os.close(fd)


def made(n: int, replaces: str) -> Record:
    anchor = f"file:src/service{n % 100}.py#L{n % 900 + 1}@sha256:{'ab' * 32}"
    return Record(
        id="",
        created=f"2025-{n // 28 % 12 + 1:02d}-{n % 28 + 1:02d}T10:00:{n % 60:02d}Z",
        category=Category.DECISION,
        source="user_message",
        channel=Channel.DIRECT_SESSION,
        durability=Durability.DURABLE,
        confidence=Confidence.HIGH,
        screened="3",
        principal="owner",
        body=f"Decision {n}: service {n % 977} retries {n * 7 % 1000} times, since the gateway drops the rest.",
        supersedes=(replaces,) if replaces else (),
        entities=("gateway", f"service-{n % 977}"),
        anchors=(anchor,) if n % 3 == 0 else (),
    )


if __name__ == "__main__":
    main()
