"""How well recall finds labelled evidence, through the whole product, beside the scorer's plain baselines.

usage: quality.py SCORERS [--sets locomo,beam,...] [--retrievers fts5,bm25,dense,even,words,full]

SCORERS is a folder with `locomo_recall.py` and `more_recall.py`, two scorers that need only Python and find their data
beside themselves; neither they nor the data are part of this project. "locomo-pooled" puts all chats into one store.
Each retriever is a function `make_index(docs) -> search(query, k)`; ours are in plug.py. Vectors are cached, so only
the first run embeds.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any, Callable

from _report import report

#: Set, granularity, and the measures quoted for it. "entire" has 29,794 turns, a quarter of an hour to
#: embed the first time.
SETS: dict[str, tuple[str, str | None, tuple[str, ...], bool]] = {
    "locomo": ("locomo", "turn", ("recall@1", "recall@5", "recall@10"), True),
    "locomo-pooled": ("pooled", "turn", ("hit@1", "hit@5", "hit@50", "recall@5", "recall@10"), True),
    "beam-pairs": ("beam", "pair", ("recall@1", "recall@5", "recall@10"), True),
    "beam-messages": ("beam", "turn", ("recall@1", "recall@5", "recall@10"), True),
    "entire-turns": ("entire", "turn", ("recall@1", "recall@5", "recall@10"), True),
    "entire-sessions": ("entire", "session", ("recall@1", "recall@5", "recall@10"), False),
    "longmemeval": ("longmemeval", "session", ("recall@1", "recall@5", "recall@10"), True),
    "cosqa": ("cosqa", None, ("recall@1", "recall@5", "ndcg@10"), True),
    "cranfield": ("cranfield", None, ("recall@5", "recall@10", "ndcg@10"), True),
}
OURS = {"words": "make_words", "full": "make_index", "dense": "make_dense", "even": "make_even"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scorers", type=Path)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--retrievers", default="fts5,bm25,dense,even,words,full")
    options = parser.parse_args()
    sys.path[:0] = [str(options.scorers), str(Path(__file__).parent)]
    rows = []
    for name in options.sets.split(","):
        for retriever in options.retrievers.split(","):
            if retriever in {"words", "fts5", "bm25"} or SETS[name][3]:
                rows.append(scored(name, retriever))
                print(rows[-1], file=sys.stderr, flush=True)
    report("quality", rows)


def scored(name: str, retriever: str) -> dict[str, object]:
    """One row: a set under one retriever."""
    data, granularity, measures, _ = SETS[name]
    locomo, more = (importlib.import_module(module) for module in ("locomo_recall", "more_recall"))
    make = getattr(importlib.import_module("plug"), OURS[retriever]) if retriever in OURS else locomo.plug(retriever)
    begun = time.monotonic()
    taken: list[float] = []
    timed = _timed(make, taken)
    got = more.run(data, timed, granularity) if data not in {"locomo", "pooled"} else _locomo(locomo, timed, data)
    mean = locomo.mean_rows(got["groups"]["all"])
    return {
        "set": name,
        "retriever": retriever,
        "questions": len(got["groups"]["all"]),
        **{measure: round(mean[measure], 3) for measure in measures},
        "ms a question, p50": round(1000 * median(taken), 1),
        "build s": round(got["build_s"], 1),  # type: ignore[arg-type]
        "seconds": round(time.monotonic() - begun),
    }


def _locomo(locomo: ModuleType, make: Callable[..., object], data: str) -> dict[str, dict[str, list[dict[str, float]]]]:
    """Single turns, all five kinds of question, as the paper counts; each chat by itself, or all in one store."""
    chats = locomo.load(locomo.find_data("locomo5.json"))
    scope = "pooled" if data == "pooled" else "conversation"
    found: dict[str, dict[str, list[dict[str, float]]]] = locomo.run(
        chats, make, scope=scope, ks=(1, 5, 10, 20, 50), categories=(1, 2, 3, 4, 5)
    )
    return found


def _timed(make: Callable[..., Any], taken: list[float]) -> Callable[..., Any]:
    """The same retriever, each search's seconds noted."""

    def make_timed(docs: Any) -> Any:
        search = make(docs)

        def timed(text: str, k: int, meta: object = None) -> Any:
            begun = time.perf_counter()
            found = search(text, k, meta)
            taken.append(time.perf_counter() - begun)
            return found

        timed.close = getattr(search, "close", lambda: None)  # type: ignore[attr-defined]
        return timed

    return make_timed


if __name__ == "__main__":
    main()
