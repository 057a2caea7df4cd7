"""How long an agent waits for `memoranda mcp`: the first answer of a new process, and a recall when it is warm.

Makes a small memory of its own; words only, no model. With --passages N it asks, instead, one of N passages and 1,000
records as `benchmarks/recall.py` makes it, with the model, and adds the server's processor time and memory.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

COMMAND = [str(Path(sys.executable).with_name("memoranda"))]  # as agents start it
HELLO = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=15)
    parser.add_argument("--recalls", type=int, default=50)
    parser.add_argument("--records", type=int, default=100)
    parser.add_argument("--passages", type=int, default=0)
    args = parser.parse_args()
    if args.passages:
        told(large(args.passages, args.recalls))
        return
    with tempfile.TemporaryDirectory() as home:
        env = {"HOME": home, "PATH": os.environ["PATH"], "MEMORANDA_EMBEDDER": ""}
        subprocess.run([*COMMAND, "init"], check=True, env=env, capture_output=True, cwd=home)
        starts = [started(env, Path(home)) for _ in range(args.starts)]
        recalls = recalled(env, Path(home), args.records, args.recalls)
        direct = recalled_directly(env, args.recalls)
    told({
        "first answer, new process (ms)": spread(starts),
        f"recall of {args.records} records, warm (ms)": spread(recalls),
        "the same through the SDK, warm (ms)": spread(direct),
    })  # fmt: skip


def told(figures: dict[str, object]) -> None:
    figures |= {
        "load": round(os.getloadavg()[0], 1),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
    }
    for name, value in figures.items():
        print(f"{name:<42}{value}")
    print(json.dumps(figures))


def large(passages: int, recalls: int) -> dict[str, object]:
    """A server over a large memory, asked the questions that `benchmarks/recall.py` asks."""
    import sysconfig

    import recall
    from index import passages as cut
    from index import questions

    from memoranda import Memory
    from memoranda.model.settings import Settings

    texts = cut(Path(sysconfig.get_path("stdlib")), passages)
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        settings = Settings(
            home=home / ".memoranda", state=home / ".local/state/memoranda", cache=home / "cache", user_home=home
        )
        Memory.init(settings=settings).close()
        recall.fill(settings, texts, 1000)
        env = {"HOME": scratch, "PATH": os.environ["PATH"], "MEMORANDA_CACHE": str(home / "cache")}
        with opened(env, home) as process:
            asked(process, HELLO)
            first = call(process, "recall", {"text": "warm up"})
            for text in questions(texts, 10):
                call(process, "recall", {"text": text})
            before = processor_ms(process.pid)
            times = [call(process, "recall", {"text": text}) for text in questions(texts, recalls)]
            spent = (processor_ms(process.pid) - before) / len(times)
            private = private_mib(process.pid)
    return {
        f"recall of {len(texts)} passages, first (ms)": round(first),
        "warm (ms)": spread(times),
        "warm, processor time of the server each (ms)": round(spent, 1),
        "memory of its own, mapped files apart (MiB)": private,
    }


def processor_ms(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def private_mib(pid: int) -> int:
    """Anonymous memory of a process, as Linux counts it."""
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("RssAnon"))
    return int(line.split()[1]) // 1024


def opened(env: dict[str, str], cwd: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*COMMAND, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=cwd)


def asked(process: subprocess.Popen[bytes], frame: dict[str, Any]) -> float:
    """Milliseconds until the answer."""
    assert process.stdin
    assert process.stdout
    start = time.perf_counter()
    process.stdin.write(json.dumps(frame).encode() + b"\n")
    process.stdin.flush()
    process.stdout.readline()
    return (time.perf_counter() - start) * 1000


def started(env: dict[str, str], cwd: Path) -> float:
    start = time.perf_counter()
    with opened(env, cwd) as process:
        asked(process, HELLO)
        return (time.perf_counter() - start) * 1000


def recalled(env: dict[str, str], cwd: Path, records: int, recalls: int) -> list[float]:
    with opened(env, cwd) as process:
        asked(process, HELLO)
        for n in range(records):
            call(process, "remember", {"text": f"Service number {n} retries {n % 7} times before it gives up"})
        call(process, "recall", {"text": "warm up"})
        return [call(process, "recall", {"text": f"how often does service {n} retry"}) for n in range(recalls)]


def recalled_directly(env: dict[str, str], recalls: int) -> list[float]:
    """The same questions to the same memory, in this process."""
    from memoranda import Memory
    from memoranda.memory.settings import load

    times = []
    with Memory.open(settings=load(env)) as memory:
        memory.recall("warm up")
        for n in range(recalls):
            start = time.perf_counter()
            memory.recall(f"how often does service {n} retry", limit=6, budget_tokens=1600)
            times.append((time.perf_counter() - start) * 1000)
    return times


def call(process: subprocess.Popen[bytes], name: str, given: dict[str, Any]) -> float:
    return asked(
        process, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": given}}
    )


def spread(values: list[float]) -> str:
    ordered = sorted(values)
    return f"median {ordered[len(ordered) // 2]:.0f}, p95 {ordered[int(len(ordered) * 0.95) - 1]:.0f}"


if __name__ == "__main__":
    main()
