"""What a recall costs as a person and a program meet it, beside SQLite's FTS5 on the same passages and questions.

usage: recall.py [--passages N] [--records N] [--text FOLDER]

A personal memory is made in a temporary folder: sessions of 40 turns with a passage of 890 characters each (by default
the text of the Python standard library), and records written as files. All vectors are random but for the question's,
which is the real model's, since only their number matters here. Warm figures are one handle asked again and again;
cold ones are whole processes of the installed command. CPU milliseconds stand beside those of the clock and do not
depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import os
import resource
import sqlite3
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Callable, Sequence

from _report import report
from index import embed, passages, questions, row, turn

from memoranda import Memory
from memoranda.builtin.words import STOP
from memoranda.model.record import Category, Channel, Confidence, Door, Durability, Record
from memoranda.model.settings import Settings
from memoranda.model.turn import Turn
from memoranda.truth.grammar import print_record, seal
from memoranda.truth.lines import print_turn
from memoranda.truth.names import record_folder, record_name

_DOOR = Door(Channel.DIRECT_SESSION, "owner", "benchmark")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--text", type=Path, default=Path(sysconfig.get_path("stdlib")))
    options = parser.parse_args()
    texts = passages(options.text, options.passages)
    asked = questions(texts, 40)
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        settings = Settings(
            home=home / ".memoranda", state=home / ".local/state/memoranda", cache=home / "cache", user_home=home
        )
        Memory.init(settings=settings).close()
        build = fill(settings, texts, options.records)
        rows = [*build, *warm(settings, asked), *cold(settings, asked), *rival(home, texts, asked)]
    report(f"recall, {len(texts)} passages, {options.records} records", rows)


def fill(settings: Settings, texts: Sequence[str], records: int) -> list[dict[str, object]]:
    """Write the files, then have them taken in as after a deleted index: turns and records apart."""
    keep_turns(settings, [turn(n, text) for n, text in enumerate(texts)])
    with Memory.open(settings=settings, door=_DOOR) as memory:
        took, cpu = measured(lambda: memory._store.index.sync(memory._store, memory._store.wanted))
    size = sum(len(text) for text in texts) / 1e6
    keep_records(settings, texts[:records])
    with Memory.open(settings=settings, door=_DOOR) as memory:
        records_took, records_cpu = measured(lambda: memory._store.index.sync(memory._store, memory._store.wanted))
    embed(settings.home / ".index", len(texts))
    stamp_model(settings)
    return [
        row("turns taken in from their files", size / took, "MB/s"),
        row("turns taken in from their files, CPU", cpu * 1000 / size, "ms a MB"),
        row(f"{records} records taken in from their files", records_took, "s", "<= 5"),
        row(f"{records} records taken in from their files, CPU", records_cpu, "s"),
    ]


def keep_turns(settings: Settings, turns: Sequence[Turn]) -> None:
    for at in range(0, len(turns), 40):
        session = turns[at : at + 40]
        folder = settings.home / "turns/claude/w0123456789ab" / session[0].ts[:7]
        folder.mkdir(parents=True, exist_ok=True)
        lines = b"".join(map(print_turn, session)).replace(b'"captured":""', b'"captured":"2026-07-02T16:40:00Z"')
        (folder / f"{session[0].session}.turns.jsonl").write_bytes(lines)


def keep_records(settings: Settings, texts: Sequence[str]) -> None:
    for n, text in enumerate(texts):
        record = seal(
            Record(
                id="",
                created=f"2026-{1 + n % 12:02}-02T16:40:00Z",
                category=Category.NOTE,
                source="user_message",
                channel=Channel.DIRECT_SESSION,
                durability=Durability.DURABLE,
                confidence=Confidence.HIGH,
                screened="1",
                body=f"{n} {text[:250]}",
                entities=tuple(word for word in text.split()[:1] if word.isalnum()),
            )
        )
        folder = settings.home / record_folder(record)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / record_name(record)).write_bytes(print_record(record))


def stamp_model(settings: Settings) -> None:
    from memoranda.index import stamp
    from memoranda.ports import discover

    model = discover.load("embedders", settings.embedder)()
    stamp.write(settings.home / ".index", stamp.Stamp(embedder=model.stamp, dims=model.dims))


def warm(settings: Settings, asked: Sequence[str]) -> list[dict[str, object]]:
    rows = []
    with Memory.open(settings=settings, door=_DOOR) as memory:
        store = memory._store
        for name, target, ask in (
            ("recall", "<= 25", memory.recall),
            ("recall by words", "", lambda text: memory.recall(text, lexical=True)),
            ("what came since, unchanged", "<= 60", lambda text: store.fresh().quick_sync()),
            ("the records' map", "", lambda text: store.fresh().catalog),
            ("question's vector", "", store.index.query_vector),
        ):
            rows += timed(f"warm {name}", target, ask, asked)
    return rows


def cold(settings: Settings, asked: Sequence[str]) -> list[dict[str, object]]:
    names = {"HOME": str(settings.user_home), "XDG_STATE_HOME": str(settings.user_home / ".local/state")}
    env = {**{key: value for key, value in os.environ.items() if "MEMORANDA" not in key}, **names}
    env["MEMORANDA_HOME"], env["XDG_CACHE_HOME"] = str(settings.home), str(settings.cache)
    rows: list[dict[str, object]] = []
    for name, target, options in (
        ("memoranda recall --lexical", "<= 150", ["--lexical"]),
        ("memoranda recall", "<= 800", []),
    ):
        walls, cpus = [], []
        for text in asked[:7]:
            used, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            command = [sys.executable, "-m", "memoranda.views.cli", "recall", *options, text]
            run = subprocess.run(command, env=env, cwd=settings.user_home, capture_output=True, text=True, check=False)
            assert run.returncode in (0, 1), run.stderr
            walls.append((time.perf_counter() - began) * 1000)
            now = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpus.append((now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime) * 1000)
        rows += [row(f"cold {name}", median(walls), "ms", target), row(f"cold {name}, CPU", median(cpus), "ms")]
    return rows


def rival(folder: Path, texts: Sequence[str], asked: Sequence[str]) -> list[dict[str, object]]:
    """FTS5 with the porter stemmer: the best hundred by rank, without reading anything back."""
    link = sqlite3.connect(folder / "fts5.sqlite")
    link.execute("CREATE VIRTUAL TABLE t USING fts5(text, tokenize='porter unicode61')")
    link.executemany("INSERT INTO t VALUES (?)", ((text,) for text in texts))
    link.commit()

    def ask(text: str) -> object:
        match = " OR ".join(f'"{word}"' for word in text.split() if word not in STOP)
        return link.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT 100", (match,)).fetchall()

    rows = timed("FTS5 warm words", "", ask, asked)
    link.close()
    return rows


def timed(name: str, target: str, ask: Callable[[str], object], asked: Sequence[str]) -> list[dict[str, object]]:
    taken = [measured(lambda text=text: ask(text)) for text in [*asked[:5], *asked]][5:]  # type: ignore[misc]
    walls, cpus = [1000 * wall for wall, _ in taken], [1000 * cpu for _, cpu in taken]
    return [
        row(f"{name} p50", median(walls), "ms", target),
        row(f"{name} p95", quantiles(walls, n=20)[18], "ms"),
        row(f"{name} p50, CPU", median(cpus), "ms"),
    ]


def measured(act: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock and of this process's CPU."""
    wall, cpu = time.perf_counter(), time.process_time()
    act()
    return time.perf_counter() - wall, time.process_time() - cpu


if __name__ == "__main__":
    main()
