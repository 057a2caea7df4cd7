"""What publishing and reading a published memory cost: requests, bytes, and a warm recall against a local one.

usage: share.py [--turns N] [--repeat N] [--processes N] [--pushes N]

Made-up turns of about a passage each, with vectors as wide as the shipped model's (drawn at random and put in the
cache, so that no time goes into a model), are pushed to an S3 server on this machine and read by another user. "local"
and "remote" recalls alternate: in a process that stays, and as commands of their own. The server answers from the same
two cores; a real one is a network away, and every recall asks it once. With --pushes turns are also pushed to a folder
in so many parts, and the bytes there are held against those of one push.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from hashlib import sha256
from pathlib import Path
from typing import Callable

from _corpus import Words
from _report import report

from memoranda.index.vectors import VectorCache
from memoranda.memory import Memory
from memoranda.model.record import Channel, Door
from memoranda.model.settings import Settings
from memoranda.model.values import replace
from memoranda.ports import discover

_DOOR = Door(Channel.DIRECT_SESSION, "owner", "benchmark")
_CHARS = 850


class Server:
    """An S3 server in this process, and how many requests it had."""

    def __init__(self) -> None:
        from moto.server import ThreadedMotoServer

        self.requests = 0
        log = logging.getLogger("werkzeug")
        log.setLevel(logging.INFO)
        log.propagate = False
        log.addHandler(_Counter(self))
        self._server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        self._server.start()
        host, port = self._server.get_host_and_port()
        self.variables = {
            "AWS_ENDPOINT_URL": f"http://{host}:{port}",
            "AWS_ACCESS_KEY_ID": "here",
            "AWS_SECRET_ACCESS_KEY": "there",
            "AWS_REGION": "us-east-1",
        }
        request = urllib.request.Request(f"{self.variables['AWS_ENDPOINT_URL']}/memories", method="PUT")
        request.add_header("Authorization", "AWS4-HMAC-SHA256 Credential=here/20260101/us-east-1/s3/aws4_request")
        urllib.request.urlopen(request).read()

    def stop(self) -> None:
        self._server.stop()


class _Counter(logging.Handler):
    def __init__(self, server: Server) -> None:
        super().__init__()
        self._server = server

    def emit(self, record: logging.LogRecord) -> None:
        self._server.requests += "HTTP/1.1" in record.getMessage()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=5_000)
    parser.add_argument("--repeat", type=int, default=40)
    parser.add_argument("--processes", type=int, default=7)
    parser.add_argument("--pushes", type=int, default=0)
    options = parser.parse_args()
    server = Server()
    try:
        with tempfile.TemporaryDirectory() as folder:
            rows = measure(Path(folder), server, options)
            if options.pushes:
                rows.append(parts(Path(folder), server, options))
            report(f"{options.turns:,} turns pushed and read", rows)
    finally:
        server.stop()


def measure(top: Path, server: Server, options: argparse.Namespace) -> list[dict[str, object]]:
    writer, reader = user(top / "writer", server), user(top / "reader", server)
    texts = corpus(options.turns)
    rows: list[dict[str, object]] = []
    address = "s3://memories/of/ada"
    with Memory.init(settings=writer, door=_DOOR) as memory:
        fill(memory, writer, top, texts)
        memory.embed(None)
        pushed, seconds, asked = counted(server, lambda: memory.push(address, create=True))
        rows += [
            row("first push", seconds, "s", f"{asked} requests"),
            row(
                "published", pushed.bytes / pushed.passages, "bytes a passage", f"{pushed.passages:,} passages", "1150"
            ),
        ]
        _, seconds, asked = counted(server, lambda: memory.push(address))
        rows.append(row("push of nothing new", asked, "requests", f"{seconds:.2f} s", "3"))
        memory.remember("The harbor pilot prefers the eastern channel in fog.")
        _, seconds, asked = counted(server, lambda: memory.push(address))
        rows.append(row("push of one record", asked, "requests", f"{seconds:.2f} s"))
        rows += read(memory, reader, server, address, texts, options)
    rows += commands(writer, reader, address, texts, options)
    return rows


def parts(top: Path, server: Server, options: argparse.Namespace) -> dict[str, object]:
    """The bytes that many small pushes take, against one of the same twenty turns each."""
    settings = replace(user(top / "parts", server), embedder="")
    texts = corpus(20 * options.pushes)
    many, one = top / "many", top / "one"
    with Memory.init(settings=settings, door=_DOOR) as memory:
        for n in range(options.pushes):
            spool = top / "parts" / f"spool{n}"
            written(spool, f"p{n}", texts[20 * n : 20 * n + 20])
            memory.capture([spool], embed_seconds=0)
            memory.push(str(many), create=True)
        memory.push(str(one), create=True)
    ratio = size(many) / size(one)
    return row(f"{options.pushes} pushes of 20 turns, against one", ratio, "x the bytes", "no vectors", "1.2")


def size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def read(
    local: Memory, reader: Settings, server: Server, address: str, texts: list[str], options: argparse.Namespace
) -> list[dict[str, object]]:
    with Memory.shared(address, settings=reader, door=_DOOR) as remote:
        question = " ".join(texts[0].split()[:5])
        _, seconds, asked = counted(server, lambda: remote.recall(question))
        rows = [row("first recall elsewhere (fetch, screen, index)", seconds, "s", f"{asked} requests")]
        here, there, total = list[float](), list[float](), 0
        for n in range(options.repeat):
            question = " ".join(texts[n * 7 % len(texts)].split()[:5])
            for memory, walls in ((local, here), (remote, there)):
                _, seconds, asked = counted(server, lambda memory=memory, q=question: memory.recall(q))
                walls.append(seconds * 1000)
                total += asked
        a, b = statistics.median(here), statistics.median(there)
        rows.append(row("warm recall, a process that stays: local", a, "ms"))
        rows.append(row("the same, remote", b, "ms", f"x{b / a:.2f}; {total / options.repeat:.0f} request each"))
    return rows


def commands(
    writer: Settings, reader: Settings, address: str, texts: list[str], options: argparse.Namespace
) -> list[dict[str, object]]:
    walls: dict[str, list[float]] = {"local": [], "remote": []}
    for n in range(options.processes):
        question = " ".join(texts[n * 11 % len(texts)].split()[:5])
        for name, settings, more in (("local", writer, []), ("remote", reader, ["--memory", address])):
            environ = {**os.environ, **settings.variables, "MEMORANDA_HOME": str(settings.home)}
            environ |= {"MEMORANDA_STATE": str(settings.state), "MEMORANDA_CACHE": str(settings.cache)}
            began = time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "memoranda.views.cli", "recall", *more, question],
                env=environ,
                check=False,
                stdout=subprocess.DEVNULL,
            )
            walls[name].append((time.perf_counter() - began) * 1000)
    a, b = (statistics.median(walls[name]) for name in ("local", "remote"))
    return [
        row("warm recall, a command: local", a, "ms"),
        row("the same, remote", b, "ms", f"x{b / a:.2f}", f"{1.2 * a:.0f}"),
    ]


def counted(server: Server, act: Callable[[], object]) -> tuple[object, float, int]:
    """What it gives, how long it took, how many requests it made."""
    before, began = server.requests, time.perf_counter()
    found = act()
    return found, time.perf_counter() - began, server.requests - before


def row(measure: str, figure: float, unit: str, more: str = "", target: str = "") -> dict[str, object]:
    return {"measure": measure, "figure": round(figure, 2), "unit": unit, "": more, "target": target}


def user(folder: Path, server: Server) -> Settings:
    folder.mkdir()
    variables = {"HOME": str(folder), **server.variables}
    return Settings(folder / "memory", folder / "state", folder / "cache", folder, commit=False, variables=variables)


def corpus(number: int) -> list[str]:
    words = Words(7)
    return [words.text(2 * _CHARS)[:_CHARS].strip() for _ in range(number)]


def fill(memory: Memory, settings: Settings, top: Path, texts: list[str]) -> None:
    """Capture the texts as turns of sessions of fifty, and put a vector for each in the cache."""
    spool = top / "spool"
    for start in range(0, len(texts), 50):
        written(spool, f"s{start // 50}", texts[start : start + 50])
    memory.capture([spool], embed_seconds=0)
    embedder = discover.load("embedders", settings.embedder)()
    draw = random.Random(7)
    vectors = {}
    for text in texts:
        import numpy as np

        values = np.array([draw.gauss(0, 1) for _ in range(embedder.dims)], dtype=np.float32)
        vectors[sha256(text.encode()).hexdigest()] = memoryview(values / np.linalg.norm(values))
    VectorCache(settings.cache, embedder.stamp, embedder.dims).put(vectors)


def written(spool: Path, session: str, texts: list[str]) -> None:
    """A session of these turns as a turns file."""
    spool.mkdir(exist_ok=True)
    lines = [
        {
            "format": 1, "session": session, "turn": f"{session}-{n}", "ts": "2026-07-02T16:40:00Z",
            "role": "user", "harness": "made", "cwd": "/home/dev/harbor",
            "blocks": [{"type": "text", "text": text}],
        }
        for n, text in enumerate(texts)
    ]  # fmt: skip
    (spool / f"{session}.turns.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    main()
