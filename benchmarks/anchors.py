"""What anchors cost: a thousand of them held against a checkout, cold, warm, and with some that do not hold.

usage: anchors.py [--anchors N] [--files N] [--repeat N]

A repository of files of a few hundred lines is made here, the same every time, and lines of them are anchored through
the SDK's own world. "cold" looks at every file; "warm" comes after, in the same process and with a handle just opened
(what a new process pays beside its start); then a tenth of the files is edited, renamed or deleted and git is asked.
The files are in the page cache; they are let rest for some seconds, since a file that was written just now is always
read again.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Callable

from _report import report

from memoranda.anchor import states, take
from memoranda.memory import Memory
from memoranda.memory.store import Store
from memoranda.model.locator import FileLocator
from memoranda.model.record import Channel, Door
from memoranda.model.settings import Settings

_REST_SECONDS = 3.5


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--anchors", type=int, default=1000)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        top, user = Path(folder) / "shop", Path(folder) / "user"
        top.mkdir()
        user.mkdir()
        settings = Settings(user / "memory", user / "state", user / "cache", user, embedder="", commit=False)
        Memory.init(settings=settings).close()
        fill(top, options.files)
        anchors = anchored(settings, top, options.anchors, options.files)
        time.sleep(_REST_SECONDS)
        report(f"{options.anchors:,} anchors into {options.files} files", measure(settings, top, anchors, options))


def measure(settings: Settings, top: Path, anchors: list[str], options: argparse.Namespace) -> list[dict[str, object]]:
    door = Door(Channel.AGENT, None, "benchmark")
    store = Store(settings.home, settings, door)
    rows = [row("cold", lambda: look(store, anchors), 1)]
    rows.append(row("warm, the same handle", lambda: look(store, anchors), options.repeat, "50"))
    store.close()

    def anew() -> dict[str, int]:
        other = Store(settings.home, settings, door)
        found = look(other, anchors)
        other.close()
        return found

    rows.append(row("warm, a handle just opened", anew, options.repeat, "50"))
    spoil(top, options.files)
    time.sleep(_REST_SECONDS)
    store = Store(settings.home, settings, door)
    rows.append(row("a tenth of the files edited, renamed or gone", lambda: look(store, anchors), 1))
    rows.append(row("the same again", lambda: look(store, anchors), options.repeat))
    return rows


def row(measure: str, run: Callable[[], dict[str, int]], repeat: int, target: str = "") -> dict[str, object]:
    walls, found = [], {}
    for _ in range(repeat):
        wall = time.perf_counter()
        found = run()
        walls.append((time.perf_counter() - wall) * 1000)
    verdicts = ", ".join(f"{number} {state}" for state, number in sorted(found.items()))
    return {"measure": measure, "wall": round(min(walls), 1), "unit": "ms", "target": target, "verdicts": verdicts}


def look(store: Store, anchors: list[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for verdict in states(anchors, store.world()):
        counts[verdict.state] = counts.get(verdict.state, 0) + 1
    return counts


def anchored(settings: Settings, top: Path, number: int, files: int) -> list[str]:
    store = Store(settings.home, settings, Door(Channel.AGENT, None, "benchmark"))
    store.checkouts.note(top)
    world, found, places = store.world(), [], {}
    for n in range(number):
        name = f"pkg{n % files % 10}/file{n % files}.py"
        place = places.setdefault(name, store.checkouts.locate(top / name))
        first = 1 + (n // files * 37) % 280
        found.append(str(take(FileLocator(place.path, place.repo, (first, first + 9)), world)))
    store.close()
    return found


def fill(top: Path, files: int) -> None:
    for n in range(files):
        file = top / f"pkg{n % 10}" / f"file{n}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text("".join(f"def name_{n}_{k}(value):  # line {k}\n" for k in range(300)))
    git(top, "init", "-q")
    git(top, "add", ".")
    git(top, "commit", "-q", "-m", "files")


def spoil(top: Path, files: int) -> None:
    for n in range(0, files, 10):
        file = top / f"pkg{n % 10}" / f"file{n}.py"
        if n % 30 == 0:
            file.write_text(file.read_text().replace("value", "values"))
        elif n % 30 == 10:
            git(top, "mv", str(file), str(file.with_name(f"moved{n}.py")))
        else:
            git(top, "rm", "-q", str(file))
    git(top, "commit", "-q", "-a", "-m", "changes")


def git(top: Path, *words: str) -> None:
    who = ("-c", "user.name=benchmark", "-c", "user.email=benchmark@memoranda.invalid", "-c", "gc.auto=0")
    subprocess.run(["git", *who, *words], cwd=top, check=True, capture_output=True)


if __name__ == "__main__":
    main()
