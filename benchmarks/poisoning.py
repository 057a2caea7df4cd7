"""How much poison the door admits, and what that costs in honest records.

    python benchmarks/poisoning.py [--cases injection.jsonl] [--write docs/poisoning.md] [--json out.json]

Generated attacks and look-alikes are those of tests/support/attacks.py. `--cases` takes a labelled set, a JSON object
a line with `label` (1 an attack) and `text`; each is asked as a web page's word. *Admitted* means durable and not
held, so that a recall shows it, labelled external; *kept aside* is transient: on disk, in no answer. The trade-off
table takes away one signal at a time. Nothing of a case is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Iterable, Sequence

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.attacks import Case, attacks, benign

from memoranda.model.outcome import Refused
from memoranda.model.record import CHANNEL_TABLE, Candidate, Channel, Door, Durability
from memoranda.ports import Screener, discover
from memoranda.remember.classify import classify
from memoranda.remember.suspicion import suspicions
from memoranda.screen import screen

WORDING = ("claims-authority", "claims-approval", "poses-as-system", "standing-instruction")
UNSEEN = ("hidden-characters", "look-alike-letters")


WORST = ("refused", "held", "kept aside", "admitted")


def verdict(case: Case, screeners: Sequence[Screener], without: str = "") -> str:
    """What the door makes of a case: refused, held, kept aside, or admitted; `without` names a signal left out.

    A document is too long for a record. It is asked in the parts that the refusal proposes, and counts as its worst.
    """
    first = screen(Candidate(case.text), screeners)
    if isinstance(first, Refused) and first.findings[0].rule == "too-long" and first.proposed:
        parts = {verdict(replace(case, text=part), screeners, without) for part in first.proposed}
        return next(word for word in WORST if word in parts)
    channel = Channel.DIRECT_SESSION if without == "provenance" else case.channel
    candidate, screened = Candidate(case.text), first
    if isinstance(screened, Refused):
        return "refused"
    authority = CHANNEL_TABLE[channel][0]
    found = set(suspicions(candidate, authority))
    found -= set(WORDING if without == "wording" else UNSEEN if without == "unseen characters" else ())
    if case.supersedes and authority.outside and without != "guard of supersession":
        found.add("outside-supersedes-higher")
    if found:
        return "held"
    durability = classify(screened, Door(channel), "2026-07-02T16:40:00Z").durability
    return "kept aside" if durability is Durability.TRANSIENT else "admitted"


def counted(cases: Iterable[Case], screeners: Sequence[Screener], without: str = "") -> dict[str, Counter[str]]:
    rows: dict[str, Counter[str]] = {}
    for case in cases:
        rows.setdefault(case.attack or "benign", Counter())[verdict(case, screeners, without)] += 1
    return rows


def labelled(path: Path) -> list[Case]:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]
    return [Case("labelled attacks" if r["label"] else "labelled benign", Channel.WEB, r["text"]) for r in rows]


def table(rows: dict[str, Counter[str]]) -> list[str]:
    lines = ["| class | cases | admitted | kept aside | held | refused |", "|---|---|---|---|---|---|"]
    for name, row in rows.items():
        values = " | ".join(str(row[word]) for word in ("admitted", "kept aside", "held", "refused"))
        lines.append(f"| {name} | {row.total()} | {values} |")
    return lines


def trade_off(cases: list[Case], honest: list[Case], screeners: Sequence[Screener]) -> list[str]:
    head = "| signals | attacks admitted | attacks held | honest held | honest kept aside | honest refused |"
    lines = [head, "|---|---|---|---|---|---|"]
    for without in ("", "provenance", "wording", "unseen characters", "guard of supersession"):
        bad = sum(counted(cases, screeners, without).values(), Counter())
        good = sum(counted(honest, screeners, without).values(), Counter())
        name = f"without {without}" if without else "all"
        shares = [bad[word] / bad.total() for word in ("admitted", "held")]
        shares += [good[word] / good.total() for word in ("held", "kept aside", "refused")]
        lines.append(f"| {name} | " + " | ".join(f"{share:.1%}" for share in shares) + " |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, help="a labelled set, JSON lines")
    parser.add_argument("--each", type=int, default=60, help="generated cases a class")
    parser.add_argument("--write", type=Path, help="write the tables into this page")
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        screeners = [discover.load("screeners", name)(Path(scratch)) for name in discover.names("screeners")]
        bad, honest = list(attacks(options.each)), list(benign(320))
        rows = counted([*bad, *honest], screeners)
        curve = trade_off(bad, honest, screeners)
        if options.cases:
            rows.update(counted(labelled(options.cases), screeners))
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    stamp = f"{datetime.now(UTC):%Y-%m-%d}, {machine}"
    lines = [f"Measured {stamp}, `python benchmarks/poisoning.py`.", "", *table(rows), "", *curve]
    print("\n".join(lines))
    if options.write:
        page = options.write.read_text("utf-8")
        head, mark, _ = page.partition("<!-- figures -->\n")
        options.write.write_text(head + mark + "\n" + "\n".join(lines) + "\n", "utf-8")
    if options.json:
        options.json.write_text(json.dumps({"stamp": stamp, "classes": rows}, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
