"""Figures that are published are those a command prints: the pooled mode runs, and its table stands on the page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

#: A scorer in miniature: two chats in one store, three questions.
SCORER = """
TURNS = [("a", "1", "the gateway drops retries"), ("a", "2", "since friday"), ("b", "1", "the parser lost lines")]
QUESTIONS = [("gateway retries", "a/1"), ("parser lines", "b/1"), ("lost lines", "b/1")]

def find_data(name):
    return name

def load(path):
    return TURNS

def fts5(docs):
    return lambda query, k, meta=None: [doc["id"] for doc in docs if set(query.split()) & set(doc["text"].split())][:k]

def plug(name):
    return {"fts5": fts5}[name]

def run(data, make, *, scope, ks, categories):
    assert scope == "pooled"
    docs = [{"id": f"{sample}/{turn}", "text": text, "session": 1, "sample": sample, "iso": "2026-07-02T10:00"}
            for sample, turn, text in data]
    search, rows = make(docs), []
    for text, gold in QUESTIONS:
        found = search(text, 50, {})
        rows.append({f"{m}@{k}": float(gold in found[:k]) for m in ("hit", "recall") for k in ks})
    search.close()
    return {"groups": {"all": rows}, "build_s": 0.1, "search_ms": 1.0}

def mean_rows(rows):
    return {key: sum(row[key] for row in rows) / len(rows) for key in rows[0]}
"""


def test_c31_one_store_for_all_questions_is_scored_by_one_command(tmp_path: Path) -> None:
    (tmp_path / "locomo_recall.py").write_text(SCORER)
    (tmp_path / "more_recall.py").write_text("")
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks/quality.py", tmp_path, "--sets=locomo-pooled", "--retrievers=fts5,words"],
        capture_output=True,
        text=True,
        env={**os.environ, "MEMORANDA_BENCH_CACHE": str(tmp_path / "cache")},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout.splitlines()[-1])["rows"]
    assert [row["retriever"] for row in rows] == ["fts5", "words"]
    assert (rows[1]["hit@1"], rows[1]["hit@5"], rows[1]["hit@50"], rows[1]["questions"]) == (1.0, 1.0, 1.0, 3)
    assert {"ms a question, p50", "build s"} <= rows[1].keys()


def test_c31_the_pooled_table_is_published_beside_others() -> None:
    page = (ROOT / "docs/benchmarks.md").read_text("utf-8")
    table = page.partition("## One store")[2].partition("\n## ")[0]
    for column in ("hit@1", "hit@5", "found@50", "build", "p50"):
        assert column in table
    for row in ("memoranda", "BM25", "FTS5", "even"):
        assert row in table
