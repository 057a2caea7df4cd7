"""What receiving costs: the first time, and again when nothing is new.

    python benchmarks/receive.py [--records N] [--commits N]

Memories that others committed, N records each: unsigned, where only the newest commit is fetched; and signed, where
the history comes along and each of the commits is checked. CPU seconds count git and ssh-keygen too.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Callable

from _report import report

from memoranda import Memory
from memoranda.memory.settings import load
from memoranda.model.grant import Deed, Grant
from memoranda.model.record import Channel, Door
from memoranda.model.values import replace

PERSON = Door(Channel.DIRECT_SESSION, "owner", "bench")
Row = dict[str, object]


def git(folder: Path, *words: str) -> None:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    who = ["-c", "user.name=bench", "-c", "user.email=bench@example.com", "-c", "gpg.format=ssh"]
    subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True, env=environment)


def team(folder: Path, records: int, commits: int, key: Path | None) -> Path:
    """A repository with a memory of so many records, brought by so many commits."""
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    home = folder.parent / f"{folder.name}-home"
    settings = load({"HOME": str(home), "MEMORANDA_EMBEDDER": "", "MEMORANDA_CACHE": str(folder.parent / "cache")})
    signed = ["-c", f"user.signingKey={key}"] if key else []
    with Memory.init(folder, project=True, settings=settings, door=PERSON) as memory:
        for n in range(records):
            memory.remember(f"Service {n} of team {n % 17} is documented at docs/service-{n}.md", category="reference")
            if n % max(records // commits, 1) == 0:
                git(folder, "add", "-A")
                git(folder, *signed, "commit", "-q", *(["-S"] if key else []), "-m", "records")
    git(folder, "add", "-A")
    git(folder, *signed, "commit", "-q", "--allow-empty", *(["-S"] if key else []), "-m", "records")
    return folder


def taken(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the clock and of the processor."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    before = sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, kinds))
    began = time.perf_counter()
    work()
    clock = time.perf_counter() - began
    return clock, sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, kinds)) - before


def measured(name: str, place: Path, home: Path, records: int, grants: tuple[Grant, ...]) -> list[Row]:
    settings = load({"HOME": str(home), "MEMORANDA_EMBEDDER": "", "MEMORANDA_CACHE": str(home.parent / "cache")})
    rows: list[Row] = []
    with Memory.init(settings=replace(settings, grants=grants), door=PERSON) as memory:
        memory.prepare()
        for when in ("first", "again"):
            clock, cpu = taken(lambda: memory.receive(str(place)))
            each = {"clock ms": round(clock * 1000 / records, 1), "CPU ms": round(cpu * 1000 / records, 1)}
            rows.append({"what": f"{name}, {when}", "records": records, **each})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=500)
    parser.add_argument("--commits", type=int, default=50)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        key = root / "key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
        kind, data = key.with_suffix(".pub").read_text().split()[:2]
        known = (Grant("ada", (Deed.WRITE,), keys=((kind, data),)),)
        plain = team(root / "plain", args.records, 1, None)
        signed = team(root / "signed", args.records, args.commits, key)
        rows = measured("unsigned", plain, root / "one", args.records, ())
        rows += measured(f"signed, {args.commits} commits", signed, root / "two", args.records, known)
    report("receive", rows)


if __name__ == "__main__":
    main()
