"""How well personal details are found in prose, over sentences with labelled spans; shared by test and benchmark."""

from __future__ import annotations

import gzip
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any, Sequence

from memoranda.ports import Screener
from memoranda.screen.look import look

# A labelled kind -> how our rules for it begin, and the kinds that an address may also run into.
KINDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "STREET_ADDRESS": (("address",), ("GPE", "ZIP_CODE")),
    "PHONE_NUMBER": (("phone",), ()),
    "EMAIL_ADDRESS": (("e-mail",), ()),
    "US_SSN": (("us-ssn", "national-id"), ()),
    "IBAN_CODE": (("iban",), ()),
    "CREDIT_CARD": (("payment-card",), ()),
}
# What only the small model looks for; in no total, so that totals with and without it compare.
NAMES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {"PERSON": (("person-name",), ("TITLE",))}


def personal(path: Path, screeners: Sequence[Screener]) -> dict[str, Any]:
    """Precision, recall and F2 by kind: a span counts as found when a finding of its kind overlaps it.

    Kinds that the screen does not look for (names alone, organisations, countries, ages, addresses of web sites) are
    counted as *not looked for* and are in no total.
    """
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
    start = time.process_time()
    seen = [look(row["text"], screeners) for row in rows]
    result: dict[str, Any] = {
        "sentences": len(rows),
        "ms a sentence": round((time.process_time() - start) / len(rows) * 1000, 2),
    }
    total = Counter[str]()
    kinds_here = {**KINDS, **NAMES} if any(f.rule == "person-name" for found in seen for f in found) else KINDS
    for kind, (rules, also) in kinds_here.items():
        count = Counter[str]()
        for row, found in zip(rows, seen, strict=True):
            ours = [f for f in found if any(f.rule.startswith(rule) for rule in rules)]
            spans = [s for s in row["spans"] if s["type"] == kind]
            near = [s for s in row["spans"] if s["type"] == kind or s["type"] in also]
            hit = sum(any(f.start < s["end"] and s["start"] < f.end for f in ours) for s in spans)
            count.update(hit=hit, missed=len(spans) - hit)
            count.update(wrong=sum(not any(f.start < s["end"] and s["start"] < f.end for s in near) for f in ours))
        result[kind] = scores(count)
        total += count if kind in KINDS else Counter()
    result["overall"] = scores(total)
    kinds = Counter(s["type"] for row in rows for s in row["spans"])
    result["not looked for"] = {kind: n for kind, n in kinds.items() if kind not in kinds_here}
    return result


def scores(count: Counter[str]) -> dict[str, float]:
    """Precision, recall and F2 of counted hits, misses and false findings."""
    precision = count["hit"] / max(1, count["hit"] + count["wrong"])
    recall = count["hit"] / max(1, count["hit"] + count["missed"])
    f2 = 5 * precision * recall / max(1e-9, 4 * precision + recall)
    return {
        "precision": round(precision, 4),
        "recall": round(recall, 4),
        "f2": round(f2, 4),
        "spans": count["hit"] + count["missed"],
    }
