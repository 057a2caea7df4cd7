"""How long an agent framework waits for its memory: LangGraph's store and the session of the OpenAI Agents SDK.

Makes a memory of its own; words only, no model. Without LangGraph only the session is measured. With it:

    make frameworks; PYTHONPATH=.frameworks .venv/bin/python benchmarks/frameworks.py
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import importlib.util
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Callable

from _report import report

from memoranda import Memory
from memoranda.model.record import Channel, Door
from memoranda.model.settings import Settings
from memoranda.views.frameworks.langgraph import langgraph_store
from memoranda.views.frameworks.openai_agents import AgentsSession

LIKES = ("tea without milk", "dark themes", "short answers", "trains over planes", "meetings before noon")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=1000, help="of the store, five a namespace")
    parser.add_argument("--turns", type=int, default=500, help="of the session")
    parser.add_argument("--times", type=int, default=50)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        settings = Settings(
            home=home / ".memoranda",
            state=home / "state",
            cache=Path(tempfile.gettempdir()) / f"memoranda-bench-{os.getuid()}",
            user_home=home,
            embedder="",
            variables={},
        )
        with Memory.init(settings=settings, door=Door(Channel.AGENT, "bench", "bench")) as memory:
            memory.prepare()
            rows = asyncio.run(said(memory, args.turns, args.times))
            if importlib.util.find_spec("langgraph"):
                rows += stored(memory, args.items, args.times)
    report("frameworks", rows)


async def said(memory: Memory, turns: int, times: int) -> list[dict[str, object]]:
    session = AgentsSession("bench", memory)
    spans = []
    for n in range(turns):
        start = time.perf_counter()
        await session.add_items([{"role": "user", "content": f"What about matter {n}, which we left open?"}])
        spans.append((time.perf_counter() - start) * 1000)
    reads = []
    for _ in range(times):
        start = time.perf_counter()
        await session.get_items()
        reads.append((time.perf_counter() - start) * 1000)
    return [row("session: add an item", spans), row(f"session: get {turns} items", reads)]


def stored(memory: Memory, items: int, times: int) -> list[dict[str, object]]:
    store = langgraph_store(memory, importlib.import_module("langgraph.store.base"))
    places = [("users", f"person{n // len(LIKES)}") for n in range(items)]
    puts = measured(
        [
            lambda n=n, place=place: store.put(place, f"k{n % 5}", {"text": f"{place[1]} likes {LIKES[n % 5]}"})  # type: ignore[misc]
            for n, place in enumerate(places)
        ]
    )
    gets = measured([lambda: store.get(("users", "person7"), "k3")] * times)
    narrow = measured([lambda: store.search(("users", "person7"), query="does she take milk?")] * times)
    wide = measured([lambda: store.search(("users",), query="does she take milk?")] * times)
    return [
        row("store: put", puts),
        row(f"store: get of {items}", gets),
        row("store: search of one namespace", narrow),
        row(f"store: search of all {items // len(LIKES)} namespaces", wide),
    ]


def measured(calls: list[Callable[[], object]]) -> list[float]:
    """Milliseconds of each call."""
    spans = []
    for call in calls:
        start = time.perf_counter()
        call()
        spans.append((time.perf_counter() - start) * 1000)
    return spans


def row(measure: str, spans: list[float]) -> dict[str, object]:
    middle, late = statistics.median(spans), sorted(spans)[int(len(spans) * 0.95)]
    return {"measure": measure, "median": round(middle, 1), "p95": round(late, 1), "unit": "ms"}


if __name__ == "__main__":
    main()
