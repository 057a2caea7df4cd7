"""How well and how fast the screen works: recall and false alarms on labelled cases, megabytes a second on histories.

    python benchmarks/screen.py --cases cases.jsonl --histories FOLDER [--json out.json]

A case is a JSON object a line: `b64` (the text), `label` (1 holds a credential, 0 does not), `rule` (a name to group
by). Histories are files of JSON lines, gzip or not; every string of at least 40 characters in them counts as a block.
Nothing of a case or history is printed.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
import platform
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Iterator

from memoranda.model.outcome import Refused
from memoranda.model.record import Candidate
from memoranda.model.turn import Block, Turn
from memoranda.ports import Screener
from memoranda.ports.discover import load
from memoranda.screen import RULES, redact, screen
from memoranda.screen.look import look


def main() -> None:
    """Read the arguments, measure what was asked for, print a table and optionally write JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, help="labelled cases, JSON lines")
    parser.add_argument("--histories", type=Path, help="a folder of transcripts")
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        screeners = [load("screeners", name)(Path(scratch)) for name in ("kingfisher", "rules")]
        start = time.perf_counter()
        look("warm", screeners)
        figures: dict[str, Any] = {
            "date": datetime.now(UTC).strftime("%Y-%m-%d"),
            "machine": f"{platform.machine()}, Python {platform.python_version()}",
            "rules": RULES,
            "engines": [s.rules for s in screeners],
            "first_load_seconds": round(time.perf_counter() - start, 2),
            "record_4kb_ms": record_time(screeners),
        }
        if options.cases:
            figures["cases"] = labelled(options.cases, screeners)
        if options.histories:
            figures["histories"] = histories(options.histories, screeners)
    show(figures)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


def labelled(path: Path, screeners: list[Screener]) -> dict[str, Any]:
    """Recall and false alarms, of both screeners together and of each alone."""
    rows = [json.loads(line) for line in path.read_text().splitlines() if line]
    texts = [base64.b64decode(row["b64"]).decode("utf-8", "replace") for row in rows]
    result: dict[str, Any] = {"positive": sum(r["label"] for r in rows), "negative": sum(not r["label"] for r in rows)}
    for name, who in (("all", screeners), ("kingfisher", screeners[:1]), ("rules", screeners[1:])):
        for thorough in (True, False) if name == "all" else (True,):
            seen = [any(f.layer == "credentials" for f in look(t, who, thorough)) for t in texts]
            hit = sum(s for s, r in zip(seen, rows, strict=True) if r["label"])
            false = sum(s for s, r in zip(seen, rows, strict=True) if not r["label"])
            result[f"{name}, {'record' if thorough else 'turn'}"] = {
                "recall": round(hit / result["positive"], 4),
                "false_alarms": false,
                "missed": dict(Counter(r["rule"] for s, r in zip(seen, rows, strict=True) if r["label"] and not s)),
            }
    return result


def histories(folder: Path, screeners: list[Screener]) -> dict[str, Any]:
    """Speed of `redact` on one core, and every redaction by rule (each is a false alarm until a person says not)."""
    texts = [text for file in sorted(folder.rglob("*")) if file.is_file() for text in strings(file) if len(text) >= 40]
    turns = [Turn("s", str(n), "user", "any", (Block("text", text),)) for n, text in enumerate(texts)]
    size = sum(len(text.encode("utf-8", "replace")) for text in texts)
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        done = redact(turns, screeners)
        best = min(best, time.process_time() - start)
    marks = Counter(m.partition("@")[0] for r in done for b in r.value.blocks for m in b.marks)
    return {
        "blocks": len(texts),
        "megabytes": round(size / 1e6, 2),
        "megabytes_a_second": round(size / 1e6 / best, 1),
        "redacted": {m: n for m, n in marks.items() if m.startswith("redacted:")},
        "marked": {m: n for m, n in marks.items() if m.startswith("seen:")},
        "elided": sum(n for m, n in marks.items() if m.startswith("elided:")),
    }


def strings(file: Path) -> Iterator[str]:
    """Every string in a file of JSON, one document or one a line."""
    data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    text = data.decode("utf-8", "replace")
    try:
        documents = [json.loads(text)]
    except ValueError:
        documents = []
        decoder = json.JSONDecoder()
        for line in text.split("\n"):
            at = 0
            while at < len(line):
                try:
                    document, at = decoder.raw_decode(line, at)
                except ValueError:
                    break
                documents.append(document)
    waiting: list[Any] = documents
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, dict):
            waiting.extend(value.values())


def record_time(screeners: list[Screener]) -> float:
    """Milliseconds for a record of 2,000 characters in the body and 2,000 more in its fields, warm, median of 20."""
    words = "The worker reads its limits from the settings file and retries twice. "
    candidate = Candidate((words * 40)[:2000], entities=tuple((words * 2)[:100] for _ in range(20)))
    taken = []
    for _ in range(20):
        start = time.perf_counter()
        assert not isinstance(screen(candidate, screeners), Refused)
        taken.append(time.perf_counter() - start)
    return round(sorted(taken)[10] * 1000, 2)


def show(figures: dict[str, Any], indent: str = "") -> None:
    """A plain table: a name and a figure a line."""
    for name, value in figures.items():
        if isinstance(value, dict) and value:
            print(f"{indent}{name}")
            show(value, indent + "  ")
        else:
            print(f"{indent}{name:<28} {value}")


if __name__ == "__main__":
    main()
