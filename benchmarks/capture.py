"""What capture costs, and what it holds in memory, from one new turn to a hundred thousand sessions.

usage: capture.py [--only PART ...] [--megabytes N] [--files N] [--session-megabytes N] [--minute-sessions N]
                  [--minute-bytes N] [--large-megabytes N] [--line-megabytes N] [--crowd-sessions N] [--cache DIR]

Parts: `first` a first pass; `unchanged` many small sessions, and a pass over them when nothing is new; `turn` one new
turn in a long session, alone and beside a long history; and, only when named, `minute` (an empty memory until a new
process finds by words), `large` (one huge file), `line` (one huge line), `crowd` (very many sessions).

The corpus is `_corpus.py`'s. The screeners' rules are compiled before, as once for each user, or lie in `--cache`. Each
measure runs in a process of its own with the screeners, turns files and embedded index as installed, and no vectors.
"raw" counts transcript bytes read, "text" the text stored and indexed; a CPU second is one of this process, all threads
together, and does not depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Iterator

from _corpus import Words, grow, repeated, session, wide
from _report import report

SESSION_BYTES = 400_000
Rows = Iterator[dict[str, object]]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*", choices=list(PARTS), default=["first", "unchanged", "turn"])
    parser.add_argument("--megabytes", type=int, default=60)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--session-megabytes", type=int, default=50)
    parser.add_argument("--minute-sessions", type=int, default=19_000)
    parser.add_argument("--minute-bytes", type=int, default=6_000)
    parser.add_argument("--large-megabytes", type=int, default=2_000)
    parser.add_argument("--line-megabytes", type=int, default=100)
    parser.add_argument("--crowd-sessions", type=int, default=100_000)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--stage", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.stage:
        name, root, cache = options.stage
        print(json.dumps(STAGES[name](Path(root), Path(cache))))
        return
    with tempfile.TemporaryDirectory() as folder:
        at = Place(Path(folder), options.cache or Path(folder) / "cache")
        found = []
        if not options.cache:
            found += [row("compiling the rules, once a user", at.run("compile", "")["seconds"], "s")]
        for name in options.only:
            found += PARTS[name](at, options)
        report("capture", found)


class Place:
    """Where the corpora and memories of the parts are made, and how a stage of one is run."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder, self.cache = folder, cache

    def run(self, stage: str, name: str) -> dict[str, Any]:
        """One stage in a process of its own."""
        command = [sys.executable, __file__, "--stage", stage, str(self.folder / name), str(self.cache)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        found: dict[str, Any] = json.loads(done)
        return found


def row(measure: str, figure: float, unit: str, target: str = "") -> dict[str, object]:
    return {"measure": measure, "figure": round(figure, 2), "unit": unit, "target": target}


# --- the parts


def first(at: Place, options: argparse.Namespace) -> Rows:
    words = Words(7)
    for n in range(max(1, options.megabytes * 1_000_000 // SESSION_BYTES)):
        session(at.folder / "many", n, SESSION_BYTES, words)
    found = at.run("capture", "many")
    yield row("first pass, raw", found["raw"] / found["seconds"] / 1e6, "MB/s")
    yield row("first pass, text", found["text"] / found["seconds"] / 1e6, "MB/s", ">= 10")
    yield row("first pass, text a CPU second", found["text"] / found["cpu"] / 1e6, "MB")
    yield row("first pass, text a CPU second of the line itself", found["text"] / found["line"] / 1e6, "MB")
    yield row("first pass, highest RSS", found["rss"], "MB", "<= 300")
    yield row("text of raw", 100 * found["text"] / found["raw"], "%")


def unchanged(at: Place, options: argparse.Namespace) -> Rows:
    words, files = Words(7), options.files
    for n in range(files):
        session(at.folder / "tree", n, 1_500, words)
    found = at.run("capture", "tree")
    again = min((at.run("capture", "tree") for _ in range(3)), key=lambda found: float(found["seconds"]))
    assert (again["turns"], again["unchanged"], again["rules"]) == (0, files, 0), again
    yield row(f"{files} small sessions, first pass", found["seconds"], "s")
    yield row(f"{files} small sessions, highest RSS", found["rss"], "MB", "<= 300")
    yield row(f"{files} sessions unchanged, imports included", again["seconds"], "s", "<= 0.3")
    yield row(f"{files} sessions unchanged, CPU with imports", again["cpu"], "s")
    yield row(f"{files} sessions unchanged, CPU after imports", again["work"], "s")


def turn(at: Place, options: argparse.Namespace) -> Rows:
    """`work` is what the turn costs once the program and the rules are loaded, which is the same for every process."""
    words, size = Words(7), options.session_megabytes
    small, long = (
        session(at.folder / "small", 0, 20_000, words),
        session(at.folder / "long", 0, size * 1_000_000, words),
    )
    at.run("capture", "small")
    found = at.run("capture", "long")
    yield row(f"session of {size} MB, highest RSS", found["rss"], "MB", "<= 300")
    for what, name, path in (("20 kB", "small", small), (f"{size} MB", "long", long)):
        grow(path, words)
        one = at.run("turn", name)
        assert (one["turns"], one["sources"]) == (1, 1), one
        yield row(f"one new turn in {what}, CPU after imports and rules", 1000 * one["work"], "ms", "<= 60")
        yield row(f"one new turn in {what}, the whole process", 1000 * one["seconds"], "ms")
    yield row("loading the rules, once a process, CPU", 1000 * one["rules"], "ms")


def minute(at: Place, options: argparse.Namespace) -> Rows:
    words, count = Words(7), options.minute_sessions
    for n in range(count):
        session(at.folder / "minute", n, options.minute_bytes, words)
    found = at.run("capture", "minute")
    asked = at.run("find", "minute")
    assert found["sources"] == count, found
    assert asked["hits"], asked
    yield row(f"{count} sessions, their transcripts", found["raw"] / 1e6, "MB")
    yield row(f"{count} sessions, their text", found["text"] / 1e6, "MB")
    yield row(f"{count} sessions, recallable by words", found["seconds"] + asked["seconds"], "s", "<= 60")
    yield row(f"{count} sessions, CPU", found["cpu"] + asked["cpu"], "s")
    yield row(f"{count} sessions, highest RSS", found["rss"], "MB", "<= 300")


def large(at: Place, options: argparse.Namespace) -> Rows:
    size = options.large_megabytes
    path = repeated(at.folder / "large", size, Words(7))
    found = at.run("capture", "large")
    yield from _bounded(f"one file of {path.stat().st_size / 1e6:.0f} MB", found, "<= 300")
    assert at.run("capture", "large")["turns"] == 0


def line(at: Place, options: argparse.Namespace) -> Rows:
    size = options.line_megabytes
    path = session(at.folder / "line", 0, 100_000, Words(7))
    wide(path, size)
    found = at.run("capture", "line")
    assert found["skipped"].get("broken line", 0) == (size > 16), found
    yield from _bounded(f"a line of {size} MB", found, "<= 300")


def crowd(at: Place, options: argparse.Namespace) -> Rows:
    words, count = Words(7), options.crowd_sessions
    for n in range(count):
        session(at.folder / "crowd", n, 1, words)
    yield from _bounded(f"{count} sessions", at.run("capture", "crowd"), "<= 400")
    again = at.run("capture", "crowd")
    assert again["unchanged"] == count, again
    yield row(f"{count} sessions unchanged", again["seconds"], "s")
    yield row(f"{count} sessions unchanged, highest RSS", again["rss"], "MB", "<= 400")


def _bounded(what: str, found: dict[str, Any], target: str) -> Rows:
    yield row(f"{what}, first pass", found["seconds"], "s")
    yield row(f"{what}, CPU", found["cpu"], "s")
    yield row(f"{what}, text", found["text"] / 1e6, "MB")
    yield row(f"{what}, highest RSS", found["rss"], "MB", target)


PARTS: dict[str, Callable[[Place, argparse.Namespace], Rows]] = {
    "first": first,
    "unchanged": unchanged,
    "turn": turn,
    "minute": minute,
    "large": large,
    "line": line,
    "crowd": crowd,
}


# --- the stages, each in a process of its own


def compiling(root: Path, cache: Path) -> dict[str, Any]:
    begun = time.perf_counter()
    for screener in _screeners(cache):
        screener.look(["nothing to see"])
    return {"seconds": time.perf_counter() - begun}


def capturing(root: Path, cache: Path, load: bool = False) -> dict[str, Any]:
    """Capture the histories of `root/home` into `root/memory`. Imports count, since a person waits for them too;
    `load` has the rules loaded before."""
    begun = time.perf_counter()
    from memoranda.index import Index
    from memoranda.ports import discover
    from memoranda.remember.capture import capture
    from memoranda.truth.folder import Folder
    from memoranda.truth.lock import WriteLock
    from memoranda.truth.turns import TurnStore

    screeners, memory = _screeners(cache), root / "memory"
    memory.mkdir(exist_ok=True)
    store = TurnStore(Folder(memory, "personal"), "w0123456789ab", WriteLock(memory / ".lock"))
    index = Index(memory / ".index", discover.load("index_backends", "embedded"), None, cache)
    readers = [discover.load("readers", name)() for name in ("claude", "codex")]
    loading = time.process_time()
    for screener in screeners if load else ():
        screener.look([""])
    started = time.process_time()
    found = capture(readers, store, index, screeners, lambda: "2026-07-02T16:40:00Z", home=root / "home")
    index.close()
    return {
        "seconds": time.perf_counter() - begun,
        "cpu": time.process_time(),
        "line": time.thread_time(),
        "rules": started - loading if load else int("memoranda.builtin.rules.tokens" in sys.modules),
        "work": time.process_time() - started,
        "turns": found.turns,
        "sources": found.sources,
        "unchanged": found.sources_unchanged,
        "skipped": dict(found.skipped),
        "raw": found.bytes_read,
        "text": found.text_bytes,
        "rss": highest_rss(),
    }


def finding(root: Path, cache: Path) -> dict[str, Any]:
    """Ask the index for words of the newest session, in a new process."""
    begun = time.perf_counter()
    from memoranda.index import Index
    from memoranda.model.index import Search
    from memoranda.ports import discover

    newest = max((root / "home").rglob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns)
    said = json.loads(newest.read_text().splitlines()[0])["message"]["content"]
    index = Index(root / "memory" / ".index", discover.load("index_backends", "embedded"), None, cache)
    hits = index.rankings(Search(said, ("words",), 10))["words"]
    index.close()
    assert newest.stem in {hit.session for hit in hits}, newest
    return {"seconds": time.perf_counter() - begun, "cpu": time.process_time(), "hits": len(hits)}


STAGES: dict[str, Callable[[Path, Path], dict[str, Any]]] = {
    "compile": compiling,
    "capture": capturing,
    "turn": lambda root, cache: capturing(root, cache, load=True),
    "find": finding,
}


def _screeners(cache: Path) -> list[Any]:
    from memoranda.ports import discover

    return [discover.load("screeners", name)(cache) for name in discover.names("screeners")]


def highest_rss() -> float:
    """In MB. Of this program alone: what getrusage says begins with its parent's."""
    status = Path("/proc/self/status")
    if status.exists():
        facts = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(facts["VmHWM"].split()[0]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)


if __name__ == "__main__":
    main()
