"""How well recall finds labelled evidence, through the whole product, beside the scorer's plain baselines.

usage: quality.py SCORERS [--sets locomo,beam,...] [--retrievers words,full,fts5,bm25]

SCORERS is a folder with `locomo_recall.py` and `more_recall.py`, two scorers that need only Python and find their data
beside themselves; neither they nor the data are part of this project. Each retriever is a function
`make_index(docs) -> search(query, k)`; ours are in plug.py. Vectors are cached, so only the first run embeds.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Callable

from _report import report

#: Set, granularity, and the measures quoted for it; "entire" has 29,794 turns, too many to embed in passing.
SETS: dict[str, tuple[str, str | None, tuple[str, ...], bool]] = {
    "locomo": ("locomo", "turn", ("recall@1", "recall@5", "recall@10"), True),
    "beam-pairs": ("beam", "pair", ("recall@1", "recall@5", "recall@10"), True),
    "beam-messages": ("beam", "turn", ("recall@1", "recall@5", "recall@10"), True),
    "entire-turns": ("entire", "turn", ("recall@1", "recall@5", "recall@10"), False),
    "entire-sessions": ("entire", "session", ("recall@1", "recall@5", "recall@10"), False),
    "longmemeval": ("longmemeval", "session", ("recall@1", "recall@5", "recall@10"), True),
    "cosqa": ("cosqa", None, ("recall@1", "recall@5", "ndcg@10"), True),
    "cranfield": ("cranfield", None, ("recall@5", "recall@10", "ndcg@10"), True),
}
OURS = {"words": "make_words", "full": "make_index"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scorers", type=Path)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--retrievers", default="fts5,words,full")
    options = parser.parse_args()
    sys.path[:0] = [str(options.scorers), str(Path(__file__).parent)]
    rows = []
    for name in options.sets.split(","):
        for retriever in options.retrievers.split(","):
            if retriever != "full" or SETS[name][3]:
                rows.append(scored(name, retriever))
                print(rows[-1], file=sys.stderr, flush=True)
    report("quality", rows)


def scored(name: str, retriever: str) -> dict[str, object]:
    """One row: a set under one retriever."""
    data, granularity, measures, _ = SETS[name]
    locomo, more = (importlib.import_module(module) for module in ("locomo_recall", "more_recall"))
    make = getattr(importlib.import_module("plug"), OURS[retriever]) if retriever in OURS else locomo.plug(retriever)
    begun = time.monotonic()
    got = _locomo(locomo, make) if data == "locomo" else more.run(data, make, granularity)
    mean = locomo.mean_rows(got["groups"]["all"])
    return {
        "set": name,
        "retriever": retriever,
        "questions": len(got["groups"]["all"]),
        **{measure: round(mean[measure], 3) for measure in measures},
        "ms a question": round(got["search_ms"], 1),
        "seconds": round(time.monotonic() - begun),
    }


def _locomo(locomo: ModuleType, make: Callable[..., object]) -> dict[str, dict[str, list[dict[str, float]]]]:
    """Single turns, all five kinds of question, as the paper counts."""
    data = locomo.load(locomo.find_data("locomo5.json"))
    found: dict[str, dict[str, list[dict[str, float]]]] = locomo.run(data, make, categories=(1, 2, 3, 4, 5))
    return found


if __name__ == "__main__":
    main()
