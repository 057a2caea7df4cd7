"""How `memoranda serve` holds up: 64 connections that ask 40 times a second in all, then more than it takes.

    python benchmarks/serve.py [--records N] [--seconds S] [--rate R] [--words]

A memory of N records of its own. Four tokens with sixteen connections each ask at fixed times, whether or not the last
answer has come: seven recalls of ten, else a record, the status, or one statement to remember. Then all 64 connections
ask with one token and without a pause. The memory is the process's own, idle, after the model was used; files that are
mapped are not counted. `--words` does without the model.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from _report import report

from memoranda import Memory
from memoranda.memory.settings import load
from memoranda.model.record import Channel, Door

TOKENS = ("first", "second", "third", "fourth")
CONNECTIONS = 64
GOAL_MS = 150


class Connection:
    """One that is kept open. `ask` gives the status and the milliseconds until the answer was whole."""

    def __init__(self, port: int, secret: str) -> None:
        self.port, self.secret = port, secret
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: bytes = b"") -> tuple[int, float]:
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        start = time.perf_counter()
        kind = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if method == "POST" else ""
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {self.secret}\r\n"
        writer.write(f"{head}{kind}\r\n".encode() + body)
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
        length = next(int(line.partition(":")[2]) for line in lines if line.startswith("content-length:"))
        await reader.readexactly(length)
        if "connection: close" in lines:
            self.close()
        return int(lines[0].split()[1]), (time.perf_counter() - start) * 1000

    def close(self) -> None:
        if self.streams is not None:
            self.streams[1].close()
            self.streams = None


def question(n: int, ids: list[str]) -> tuple[str, str, bytes]:
    match n % 10:
        case 7:
            return "GET", f"/v1/records/{ids[n % len(ids)]}", b""
        case 8:
            return "GET", "/v1/status", b""
        case 9:
            return (
                "POST",
                "/v1/records",
                json.dumps({"text": f"Host {n} is patched on day {n % 28} of the month"}).encode(),
            )
    return "GET", "/v1/recall?text=" + quote(f"how often does service {n} retry"), b""


async def steady(
    port: int, secrets: list[str], ids: list[str], rate: float, seconds: float
) -> tuple[Counter[int], list[float]]:
    """Every connection asks in its turn, at times that were fixed before."""
    statuses: Counter[int] = Counter()
    times: list[float] = []
    begin = time.perf_counter() + 0.5

    async def one(number: int) -> None:
        connection = Connection(port, secrets[number % len(secrets)])
        for n in range(number, int(rate * seconds), CONNECTIONS):
            await asyncio.sleep(max(0.0, begin + n / rate - time.perf_counter()))
            try:
                status, took = await connection.ask(*question(n, ids))
            except (OSError, asyncio.IncompleteReadError):
                status, took = 0, 0.0
                connection.close()
            statuses[status] += 1
            times.append(took)
        connection.close()

    await asyncio.gather(*(one(number) for number in range(CONNECTIONS)))
    return statuses, times


async def flood(port: int, secret: str, seconds: float) -> Counter[int]:
    statuses: Counter[int] = Counter()
    end = time.perf_counter() + seconds

    async def one(number: int) -> None:
        connection = Connection(port, secret)
        while time.perf_counter() < end:
            try:
                status, _ = await connection.ask("GET", f"/v1/recall?text=service+{number}")
            except (OSError, asyncio.IncompleteReadError):
                status = 0
                connection.close()
            statuses[status] += 1
            await asyncio.sleep(0.02 if status == 429 else 0)
        connection.close()

    await asyncio.gather(*(one(number) for number in range(CONNECTIONS)))
    return statuses


def own_memory(pid: int) -> int:
    """MiB that are this process's alone and no file's, -1 where the kernel does not say."""
    with suppress(OSError):
        rows = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return sum(int(row.split()[1]) for row in rows if row.startswith("Anonymous:")) // 1024
    return -1


def processor_seconds(pid: int) -> float:
    """What the process has had of the processors, which others on the machine hardly change; 0 where unknown."""
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rate", type=float, default=40)
    parser.add_argument("--words", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        env = {"HOME": home, "PATH": os.environ["PATH"], **({"MEMORANDA_EMBEDDER": ""} if args.words else {})}
        settings = Path(home, ".config", "memoranda", "settings.toml")
        settings.parent.mkdir(parents=True)
        settings.write_text("".join(f"[tokens.{name}]\n" for name in TOKENS))
        with Memory.init(settings=load(env), door=Door(Channel.DIRECT_SESSION, "owner", "bench")) as memory:
            kept = [
                memory.remember(f"Service {n} retries {n % 7} times and then gives up") for n in range(args.records)
            ]
            if not args.words:
                memory.embed()
        ids = [outcome.record.id for outcome in kept]  # type: ignore[union-attr]
        command = [str(Path(sys.executable).with_name("memoranda")), "serve", "--port", "0"]
        with subprocess.Popen(command, env=env, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            assert process.stdout
            port = int(process.stdout.readline().rpartition(b":")[2])
            folder = load(env).state / "tokens"
            secrets = [(folder / name).read_text().strip() for name in TOKENS]
            asyncio.run(steady(port, secrets, ids, args.rate, 3))  # every thread has opened its memory
            before = processor_seconds(process.pid)
            statuses, times = asyncio.run(steady(port, secrets, ids, args.rate, args.seconds))
            cost = (processor_seconds(process.pid) - before) * 1000 / len(times)
            time.sleep(1)
            idle = own_memory(process.pid)
            flooded = asyncio.run(flood(port, secrets[0], 5))
            process.terminate()
            stopped = process.wait(30)
    ordered = sorted(times)
    failed = sum(count for status, count in statuses.items() if status != 200)
    report(
        "serve",
        [
            {"measure": "requests", "figure": len(times), "unit": f"at {args.rate:g}/s, {CONNECTIONS} connections"},
            {"measure": "answered with anything but 200", "figure": failed, "unit": "requests", "target": 0},
            {"measure": "median", "figure": round(ordered[len(ordered) // 2]), "unit": "ms"},
            {"measure": "p95", "figure": round(ordered[int(len(ordered) * 0.95) - 1]), "unit": "ms", "target": GOAL_MS},
            {"measure": "processor time a request", "figure": round(cost, 1), "unit": "ms"},
            {"measure": "slowest", "figure": round(ordered[-1]), "unit": "ms"},
            {"measure": "own memory, idle", "figure": idle, "unit": "MiB", "target": 300},
            {"measure": "flood: answered", "figure": flooded[200], "unit": "requests in 5 s"},
            {"measure": "flood: told to come later (429)", "figure": flooded[429], "unit": "requests in 5 s"},
            {"measure": "flood: anything else", "figure": flooded.total() - flooded[200] - flooded[429],
             "unit": "requests in 5 s", "target": 0},
            {"measure": "exit code after SIGTERM", "figure": stopped, "unit": "", "target": 0},
        ],
    )  # fmt: skip


if __name__ == "__main__":
    main()
