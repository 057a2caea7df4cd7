"""How long a hook takes, as an agent sees it: from starting the process to its end.

    python benchmarks/hooks.py [--records N] [--runs N]

A memory of N records, ten of them in core. Each line is a new process with JSON on its standard input: the core block
by a sound sheet, by one that has to be made first, a prompt that changes nothing, the automatic pass, and the hook that
starts the worker. The runs of a line follow one another, so files are in the system's cache, as they are in a session.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _report import report

from memoranda import Memory
from memoranda.memory.settings import load
from memoranda.model.outcome import Stored
from memoranda.model.record import Channel, Door
from memoranda.truth import sheet

START = {"session_id": "s", "source": "startup"}
PROMPT = {"session_id": "s", "prompt": "which service needs a deploy window of two hours?"}


def build(variables: dict[str, str], records: int) -> None:
    with Memory.init(settings=load(variables), door=Door(Channel.DIRECT_SESSION, "owner", "bench")) as memory:
        for n in range(records):
            kept = memory.remember(
                f"Service {n} of team {n % 17} needs a deploy window of {n % 9} hours", durability="durable"
            )
            if n < 10 and isinstance(kept, Stored):
                memory.promote(kept.record.id, core=True)


def measured(
    words: list[str], data: dict[str, str], variables: dict[str, str], runs: int, before: object = None
) -> list[float]:
    """Milliseconds of each run. `before` is a file that is taken away first."""
    command = [str(Path(sys.executable).with_name("memoranda")), "hook", "claude", *words]
    times = []
    for _ in range(runs):
        if isinstance(before, Path):
            for path in before.rglob(sheet.NAME):
                path.unlink()
        began = time.perf_counter()
        subprocess.run(command, input=json.dumps(data).encode(), env=variables, capture_output=True, check=True)
        times.append((time.perf_counter() - began) * 1000)
    return times


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=20)
    args = parser.parse_args()
    few = max(args.runs // 4, 3)
    with tempfile.TemporaryDirectory() as folder:
        own = {"CLAUDE_CODE_ENTRYPOINT": "cli", "MEMORANDA_EMBEDDER": "", "MEMORANDA_CORE_TOKENS": "1500"}
        variables = {"HOME": folder, "PATH": os.environ["PATH"], **own}
        build(variables, args.records)
        time.sleep(4)  # what changed within three seconds is looked at again by every hook
        state = Path(folder) / ".local" / "state"
        core, prompt = ["SessionStart", "--core"], ["UserPromptSubmit", "--core"]
        rows = [
            *row("an empty Python", [bare() for _ in range(args.runs)]),
            *row("core, the sheet to be made", measured(core, START, variables, few, state)),
            *row("core", measured(core, START, variables, args.runs), 100),
            *row("a prompt that changes nothing", measured(prompt, PROMPT, variables, args.runs), 100),
            *row("the automatic pass", measured(["UserPromptSubmit", "--recall"], PROMPT, variables, few)),
        ]
        stops = []
        for _ in range(few):
            stops += measured(["Stop"], START, variables, 1)
            time.sleep(2.5)  # its worker is no longer at it when the next is measured
        rows += row("the turn's end", stops, 100)
        time.sleep(2)
    report(f"hooks, {args.records} records", rows)


def bare() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return (time.perf_counter() - began) * 1000


def row(name: str, times: list[float], target: int | None = None) -> list[dict[str, object]]:
    aim = {"target": f"<= {target}"} if target else {}
    return [{"measure": f"{name}, {what}", "figure": round(value), "unit": "ms", **aim}
            for what, value in (("p50", statistics.median(times)), ("max", max(times)))]  # fmt: skip


if __name__ == "__main__":
    main()
