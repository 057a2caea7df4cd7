"""What capture costs: a first pass, a pass over an unchanged tree, and one new turn in a long session.

usage: capture.py [--megabytes N] [--files N] [--session-megabytes N]

The corpus is made here, the same every time: sessions in the shape of Claude Code's files, about a quarter of whose
bytes are text that is kept (measured on real sessions: 28 %), with words of a Zipf-like vocabulary and code-like tool
output. The screeners' rules are compiled before, as once for each user. Each measure runs in a process of its own with
the screeners, turns files and embedded index as installed, and no vectors. "raw" counts transcript bytes read, "text"
the text stored and indexed; a CPU second is one of this process, all threads together, and does not depend on what
else the machine does.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from _report import report

SESSION_BYTES = 400_000
TURN_BYTES = 4_000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=60)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--session-megabytes", type=int, default=50)
    parser.add_argument("--stage", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.stage:
        print(json.dumps(stage(options.stage[0], Path(options.stage[1]))))
        return
    with tempfile.TemporaryDirectory() as folder:
        report("capture", rows(Path(folder), options))


def rows(folder: Path, options: argparse.Namespace) -> list[dict[str, object]]:
    words = Words(7)
    many, tree, long = folder / "many", folder / "tree", folder / "long"
    for n in range(max(1, options.megabytes * 1_000_000 // SESSION_BYTES)):
        session(many, n, SESSION_BYTES, words)
    for n in range(options.files):
        session(tree, n, 1_500, words)
    session(long, 0, options.session_megabytes * 1_000_000, words)
    compiled = run("compile", many)
    first, tree_first, long_first = run("capture", many), run("capture", tree), run("capture", long)
    unchanged = min((run("capture", tree) for _ in range(3)), key=lambda found: float(found["seconds"]))
    with next((long / "home").rglob("*.jsonl")).open("a") as file:
        file.write(json.dumps(record(0, 10**6, words, "user")) + "\n")
    one = run("capture", long)
    assert (one["turns"], unchanged["turns"], unchanged["unchanged"]) == (1, 0, options.files), (one, unchanged)
    return [
        row("compiling the rules, once a user", compiled["seconds"], "s"),
        row("first pass, raw", first["raw"] / first["seconds"] / 1e6, "MB/s"),
        row("first pass, text", first["text"] / first["seconds"] / 1e6, "MB/s", ">= 10"),
        row("first pass, text a CPU second", first["text"] / first["cpu"] / 1e6, "MB"),
        row("first pass, highest RSS", first["rss"], "MB", "<= 300"),
        row("text of raw", 100 * first["text"] / first["raw"], "%"),
        row(f"{options.files} small sessions, first pass", tree_first["seconds"], "s"),
        row(f"{options.files} small sessions, highest RSS", tree_first["rss"], "MB", "<= 300"),
        row(f"{options.files} sessions unchanged", unchanged["seconds"], "s", "<= 0.5"),
        row(f"{options.files} sessions unchanged, CPU", unchanged["cpu"], "s"),
        row(f"session of {options.session_megabytes} MB, highest RSS", long_first["rss"], "MB", "<= 300"),
        row(f"one new turn in {options.session_megabytes} MB", 1000 * one["seconds"], "ms"),
        row(f"one new turn in {options.session_megabytes} MB, CPU after imports", 1000 * one["work"], "ms", "<= 60"),
    ]


def row(measure: str, figure: float, unit: str, target: str = "") -> dict[str, object]:
    return {"measure": measure, "figure": round(figure, 2), "unit": unit, "target": target}


def run(name: str, root: Path) -> dict[str, Any]:
    """One stage in a process of its own."""
    command = [sys.executable, __file__, "--stage", name, str(root)]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def stage(name: str, root: Path) -> dict[str, float]:
    """Capture the histories of `root/home` into `root/memory`. Imports count, since a person waits for them too."""
    begun = time.perf_counter()
    from memoranda.index import Index
    from memoranda.ports import discover
    from memoranda.remember.capture import capture
    from memoranda.truth.folder import Folder
    from memoranda.truth.lock import WriteLock
    from memoranda.truth.turns import TurnStore

    cache = root.parent / "cache"
    screeners = [discover.load("screeners", name)(cache) for name in discover.names("screeners")]
    if name == "compile":
        for screener in screeners:
            screener.look(["nothing to see"])
        return {"seconds": time.perf_counter() - begun}
    memory = root / "memory"
    memory.mkdir(exist_ok=True)
    store = TurnStore(Folder(memory, "personal"), "w0123456789ab", WriteLock(memory / ".lock"))
    index = Index(memory / ".index", discover.load("index_backends", "embedded"), None, cache)
    readers = [discover.load("readers", name)() for name in ("claude", "codex")]
    started = time.process_time()
    found = capture(readers, store, index, screeners, lambda: "2026-07-02T16:40:00Z", home=root / "home")
    index.close()
    seconds = time.perf_counter() - begun
    return {
        "seconds": seconds,
        "cpu": time.process_time(),
        "work": time.process_time() - started,
        "turns": found.turns,
        "unchanged": found.sources_unchanged,
        "raw": found.bytes_read,
        "text": found.text_bytes,
        "rss": highest_rss(),
    }


def highest_rss() -> float:
    """In MB. Of this program alone: what getrusage says begins with its parent's."""
    status = Path("/proc/self/status")
    if status.exists():
        facts = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(facts["VmHWM"].split()[0]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)


class Words:
    """Text with the repetition of real text: few words often, many words seldom."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        letters = "etaoinshrdlucmfwypvbgkqjxz"
        self._known = [
            "".join(self.draw.choices(letters, weights=range(26, 0, -1), k=self.draw.randint(2, 11)))
            for _ in range(30_000)
        ]
        self._weights = [1 / (n + 3) for n in range(len(self._known))]
        self._drawn = self.draw.choices(self._known, self._weights, k=200_000)

    def text(self, length: int) -> str:
        at = self.draw.randrange(len(self._drawn) - length // 2)
        return " ".join(self._drawn[at : at + length // 6])

    def code(self, length: int) -> str:
        words = self.text(length).split(" ")
        lines = [
            f"{n:6d}\t    self.{words[n]}_{words[n + 1]}({words[n + 2]}={n}, path='src/{words[n + 3]}.py')"
            for n in range(0, len(words) - 4, 5)
        ]
        return "\n".join(lines)


def record(session: int, n: int, words: Words, kind: str) -> dict[str, Any]:
    uuid = f"{session:08x}-0000-4000-8000-{n:012x}"
    head = {
        "parentUuid": f"{session:08x}-0000-4000-8000-{n - 1:012x}",
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/dev/harbor",
        "sessionId": f"{session:08x}-0000-4000-8000-000000000000",
        "version": "2.1.42",
        "gitBranch": "main",
        "type": kind,
        "uuid": uuid,
        "timestamp": f"2026-05-{1 + session % 28:02d}T{n // 3600 % 24:02d}:{n // 60 % 60:02d}:{n % 60:02d}.000Z",
    }
    if kind == "progress":
        return head | {"data": {"type": "bash_progress", "output": words.code(TURN_BYTES)}}
    if kind == "result":
        output = words.code(TURN_BYTES)
        content = [{"type": "tool_result", "tool_use_id": f"toolu_{n - 1}", "content": output}]
        twice = {"stdout": output, "stderr": "", "original": output}  # the file says a result more than once
        return head | {"type": "user", "message": {"role": "user", "content": content}, "toolUseResult": twice}
    if kind == "assistant":
        call = {"command": words.text(200), "description": words.text(60)}
        blocks = [
            {"type": "text", "text": words.text(600)},
            {"type": "tool_use", "id": f"toolu_{n}", "name": "Bash", "input": call},
        ]
        usage = {"input_tokens": n, "output_tokens": 7, "cache_read_input_tokens": 1}
        return head | {"message": {"role": "assistant", "model": "m", "content": blocks, "usage": usage}}
    return head | {"message": {"role": "user", "content": words.text(300)}}


def session(root: Path, n: int, size: int, words: Words) -> None:
    folder = root / "home" / ".claude" / "projects" / f"-home-dev-p{n % 40}"
    folder.mkdir(parents=True, exist_ok=True)
    written = count = 0
    with (folder / f"{n:08x}-0000-4000-8000-000000000000.jsonl").open("w", encoding="utf-8") as file:
        while written < size:
            for kind in ("user", "assistant", "result", "progress") if size > 10_000 else ("user", "assistant"):
                line = json.dumps(record(n, count, words, kind), separators=(",", ":")) + "\n"
                written += len(line)
                count += 1
                file.write(line)


if __name__ == "__main__":
    main()
