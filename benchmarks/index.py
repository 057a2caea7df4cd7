"""How fast and how large the index is, beside SQLite's FTS5 on the same passages and questions.

    python benchmarks/index.py [--passages 100000] [--text FOLDER]

The text is that of the folder's files (by default the Python standard library's sources), cut into turns of one
passage; vectors are random, since only their number matters here. Times are wall times of an otherwise idle machine;
CPU seconds stand beside them where something else may have run.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sqlite3
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import median, quantiles
from typing import Callable, Iterator, Mapping

import numpy as np
from _report import report

from memoranda.builtin import embedded
from memoranda.builtin.words import STOP
from memoranda.index import Index
from memoranda.model.index import Changes, Search
from memoranda.model.problem import Problem
from memoranda.model.record import Category, Channel, Confidence, Durability, Record
from memoranda.model.turn import Block, Turn
from memoranda.model.world import TurnFile

_DIMS = 384
_CHARS = 890
_BATCH_CHARS = 6_000_000
_COLD = """
import time; began = time.perf_counter()
from pathlib import Path; import sys
from memoranda.builtin import embedded; from memoranda.index import Index; from memoranda.model.index import Search
index = Index(Path(sys.argv[1]), embedded.make, None, Path("."))
assert index.rankings(Search(sys.argv[2], ("words", "entities")))["words"]
print(time.perf_counter() - began)
"""


class Truth:
    """Ten thousand records and as many turns files that hold nothing, as the index sees them."""

    def __init__(self, texts: list[str]) -> None:
        self.records = {
            f"records/2026/07/mem_{n:012x}.md": Record(
                id=f"mem_{n:012x}",
                created="2026-07-02T16:40:00Z",
                category=Category.NOTE,
                source="user_message",
                channel=Channel.DIRECT_SESSION,
                durability=Durability.DURABLE,
                confidence=Confidence.HIGH,
                screened="1",
                body=text[:250],
                digest=f"{n:012x}" * 5 + "0000",
                entities=(text.split()[0],),
            )
            for n, text in enumerate(texts)
        }
        self.files = [TurnFile(f"turns/claude/w/2026-07/s{n}.turns.jsonl", "claude", "w", 0, 0) for n in range(10_000)]

    def record_stamps(self) -> Mapping[str, str]:
        return dict.fromkeys(self.records, "1")

    def extract_stamps(self) -> Mapping[str, str]:
        return {}

    def record(self, path: str) -> Record | Problem:
        return self.records[path]

    def turn_files(self) -> Iterator[TurnFile]:
        return iter(self.files)

    def turns(self, path: str, start: int = 0) -> Iterator[tuple[Turn, int] | Problem]:
        return iter(())


def main() -> None:
    """Build, ask, build the rival, ask it the same, report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--text", type=Path, default=Path(sysconfig.get_path("stdlib")))
    options = parser.parse_args()
    texts = passages(options.text, options.passages)
    asked = questions(texts, 60)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        rows = [*ours(folder / "ours", texts, asked), *records(folder / "records", texts), *fts5(folder, texts, asked)]
    report(f"index, {len(texts)} passages", rows)


def passages(folder: Path, count: int) -> list[str]:
    """`count` passages of one size out of the folder's text files; windows move on when the text is used up."""
    whole = []
    for path in sorted(folder.rglob("*"))[:4000]:
        if path.suffix in (".py", ".md", ".txt", ".rst", ".jsonl") and "site-packages" not in path.parts:
            whole.append(path.read_text("utf-8", "replace"))
    text = "\n".join(whole)
    windows = len(text) // _CHARS - 1
    starts = ((n % windows) * _CHARS + n // windows * 97 for n in range(count))
    return [text[start : start + _CHARS] for start in starts]


def questions(texts: list[str], count: int) -> list[str]:
    """Four to eight words of a passage, none in more than a tenth of all, in a sentence that asks."""
    draw = random.Random(7)
    sample = draw.sample(texts, min(2000, len(texts)))
    common = Counter(word for text in sample for word in set(re.findall(r"[a-z]{3,}", text.lower())))
    asked = []
    while len(asked) < count:
        words = [w for w in re.findall(r"[a-z]{3,}", draw.choice(texts).lower()) if common[w] < len(sample) / 10]
        if len(words) > 8:
            asked.append(f"what did we do about the {' '.join(draw.sample(words, draw.randint(4, 8)))}")
    return asked


def ours(folder: Path, texts: list[str], asked: list[str]) -> list[dict[str, object]]:
    index = Index(folder, embedded.make, None, folder.parent)
    size = sum(len(text.encode()) for text in texts)
    wall, cpu = time.perf_counter(), time.process_time()
    batch: list[Turn] = []
    held = 0
    for n, text in enumerate(texts):
        batch.append(turn(n, text))
        held += len(text)
        if held > _BATCH_CHARS or n == len(texts) - 1:
            index.add_turns(batch, [], {})
            batch, held = [], 0
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    index.close()
    embed(folder, len(texts))
    index.close()
    disk = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    vector = memoryview(np.eye(1, _DIMS, dtype=np.float32)[0])
    words = timed(lambda text: index.rankings(Search(text, ("words",))), asked)
    dense = timed(lambda text: index.rankings(Search(text, ("dense",), vector=vector)), asked)
    every = timed(lambda text: index.rankings(Search(text, ("words", "dense", "entities"), vector=vector)), asked)
    index.close()
    cold = [
        float(subprocess.run([sys.executable, "-c", _COLD, str(folder), text], capture_output=True, check=True).stdout)
        for text in asked[:7]
    ]
    spawn = time.perf_counter()
    subprocess.run([sys.executable, "-c", _COLD, str(folder), asked[0]], capture_output=True, check=True)
    spawn = time.perf_counter() - spawn
    return [
        row("indexing (words, facts)", size / 1e6 / wall, "MB/s", ">= 10"),
        row("indexing, CPU", cpu / (size / 1e6) * 1000, "ms a MB"),
        row("index on disk, vectors included", disk / len(texts), "bytes a passage", "<= 1200"),
        row("warm words p50", words[0], "ms", "<= 5"),
        row("warm words p95", words[1], "ms"),
        row("warm words p50, CPU", words[2], "ms"),
        row("warm dense scan p50", dense[0], "ms", "9"),
        row("warm dense scan p50, CPU of both cores", dense[2], "ms"),
        row("warm words, dense, entities p50", every[0], "ms"),
        row("warm words, dense, entities p50, CPU", every[2], "ms"),
        row("cold words, imports to answer", median(cold) * 1000, "ms"),
        row("cold words, whole process", spawn * 1000, "ms", "<= 150"),
    ]


def records(folder: Path, texts: list[str]) -> list[dict[str, object]]:
    truth = Truth(texts[:10_000])
    index = Index(folder, embedded.make, None, folder.parent)
    began = time.perf_counter()
    index.sync(truth, lambda record: True)
    built = time.perf_counter() - began
    times = []
    for _ in range(5):
        began = time.perf_counter()
        index.sync(truth, lambda record: True)
        times.append(time.perf_counter() - began)
    index.close()
    return [
        row("build of 10,000 records, without reading them", built, "s", "<= 5"),
        row("sync of 10,000 records and 10,000 files, unchanged", median(times) * 1000, "ms", "<= 60"),
    ]


def fts5(folder: Path, texts: list[str], asked: list[str]) -> list[dict[str, object]]:
    path = folder / "fts5.sqlite"
    link = sqlite3.connect(path)
    size = sum(len(text.encode()) for text in texts)
    began = time.perf_counter()
    link.execute("CREATE VIRTUAL TABLE t USING fts5(text, tokenize='porter unicode61')")
    link.executemany("INSERT INTO t VALUES (?)", ((text,) for text in texts))
    link.execute("INSERT INTO t(t) VALUES ('optimize')")
    link.commit()
    wall = time.perf_counter() - began

    def ask(text: str) -> object:
        match = " OR ".join(f'"{word}"' for word in text.split() if word not in STOP)
        return link.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT 100", (match,)).fetchall()

    words = timed(ask, asked)
    link.close()
    return [
        row("FTS5 indexing", size / 1e6 / wall, "MB/s"),
        row("FTS5 on disk beyond the text", (path.stat().st_size - size) / len(texts), "bytes a passage"),
        row("FTS5 warm words p50", words[0], "ms"),
        row("FTS5 warm words p95", words[1], "ms"),
        row("FTS5 warm words p50, CPU", words[2], "ms"),
    ]


def embed(folder: Path, count: int) -> None:
    backend = embedded.make(folder)
    generator = np.random.default_rng(7)
    while True:
        _, pending = backend.pending(10_000)
        if not pending:
            break
        vectors = generator.normal(size=(len(pending), _DIMS)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        named = {one.key: memoryview(vector) for one, vector in zip(pending, vectors, strict=True)}
        backend.apply(Changes(vectors=named))
    backend.close()


def turn(n: int, text: str) -> Turn:
    return Turn(
        session=f"3f2a{n // 40:08x}-session",
        turn=f"b1c2d3e4-0000-4000-8000-{n:012x}",
        role=("user", "assistant")[n % 2],
        harness="claude",
        blocks=(Block("text", text),),
        ts=f"2026-{1 + n // 40 % 12:02}-{1 + n % 28:02}T10:00:00Z",
        seq=n % 40,
        cwd="/home/me/project",
    )


def timed(ask: Callable[[str], object], asked: list[str]) -> tuple[float, float, float]:
    """p50 and p95 of the wall time and p50 of the CPU time, in milliseconds, after one round to warm up."""
    walls, cpus = [], []
    for text in [*asked[:10], *asked]:
        wall, cpu = time.perf_counter(), time.process_time()
        ask(text)
        walls.append((time.perf_counter() - wall) * 1000)
        cpus.append((time.process_time() - cpu) * 1000)
    return median(walls[10:]), quantiles(walls[10:], n=20)[18], median(cpus[10:])


def row(measure: str, figure: float, unit: str, target: str = "") -> dict[str, object]:
    return {"measure": measure, "figure": round(figure, 2), "unit": unit, "target": target}


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
