"""The embedder's speed, quality and size, beside the float32 run of the same model.

usage: embedding.py [--passages N] [--stsb FILE.jsonl[.gz]] [--float MODEL.onnx]

The two models take turns on the same passages, so that a busy machine slows both. The text is the Python manual that
every interpreter carries, in passages of 1,100 characters. STS-B: lines of {"a": ..., "b": ..., "score": 0..5}.
`make model` leaves the float32 file where --float looks for it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from _report import report

from memoranda.builtin import minilm
from memoranda.builtin.onnx_embedder import Habits, ModelFiles, OnnxEmbedder

ROOT = Path(__file__).resolve().parent.parent
FLOAT = ROOT / ".model-build" / "model-float32.onnx"
PASSAGE_CHARS = 1100
ROUNDS = 4
STSB_MIN = 0.815

# What a fresh process pays before its first vector, and what it holds after a few hundred.
COLD = """
import json, sys, time
from pathlib import Path
start = time.perf_counter()
import numpy, onnxruntime, tokenizers
imported = time.perf_counter()
from memoranda.builtin import minilm
model = minilm.make()
model.query("warm up")
ready = time.perf_counter()
texts = json.load(sys.stdin)
model.passages(texts)
# The high-water mark of this program alone: what getrusage says begins with the parent's.
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
peak = int(status["VmHWM"].split()[0]) / 1024
print(json.dumps({"import": imported - start, "load": ready - imported, "peak_mb": peak}))
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--passages", type=int, default=160)
    parser.add_argument("--stsb", type=Path)
    parser.add_argument("--float", type=Path, default=FLOAT)
    options = parser.parse_args()
    texts = passages(options.passages)
    int8 = minilm.make()
    models = {"int8": int8, "int8, window 128": with_model(minilm.FOLDER / "model.onnx", 128)}
    if options.float.is_file():
        models["float32"] = with_model(options.float, 256)
    else:
        print("no float32 file; `make model` after `make clean` builds it", file=sys.stderr)
    rows = throughput(models, texts)
    rows += latency(int8, texts)
    rows += cold(texts)
    if options.stsb:
        for name in ("int8", "float32"):
            if name in models:
                rows.append(row(f"STS-B English, Spearman, {name}", stsb(models[name], options.stsb), "", STSB_MIN))
    report("embedding", rows)


def row(measure: str, figure: float, unit: str, target: object = "") -> dict[str, object]:
    return {"measure": measure, "figure": round(figure, 4), "unit": unit, "target": target}


def passages(count: int) -> list[str]:
    """The first `count` passages of the Python manual, in the order of its topics."""
    from pydoc_data.topics import topics

    text = "\n".join(topics[name] for name in sorted(topics))
    return [text[start : start + PASSAGE_CHARS] for start in range(0, count * PASSAGE_CHARS, PASSAGE_CHARS)]


def with_model(path: Path, window: int) -> OnnxEmbedder:
    """The shipped tokenizer and code over another file or window."""
    files = ModelFiles(path, minilm.FOLDER / "tokenizer.json")
    return OnnxEmbedder("benchmark", 384, Habits(window, "inside"), lambda: files)


def throughput(models: dict[str, OnnxEmbedder], texts: list[str]) -> list[dict[str, object]]:
    """Passages a second by the clock and by processor time, and how near int8 comes to float32."""
    wall, cpu = dict.fromkeys(models, 0.0), dict.fromkeys(models, 0.0)
    vectors: dict[str, list[np.ndarray]] = {name: [] for name in models}
    for model in models.values():
        model.query("warm up")
    for part in np.array_split(np.array(texts, dtype=object), ROUNDS):
        for name, model in models.items():
            began, used = time.perf_counter(), time.process_time()
            vectors[name].append(np.asarray(model.passages(list(part))))
            wall[name] += time.perf_counter() - began
            cpu[name] += time.process_time() - used
    rows = []
    for name in models:
        rows.append(row(f"passages of 1.1 kB, {name}", len(texts) / wall[name], "/s", 30 if name == "int8" else ""))
        rows.append(row(f"passages of 1.1 kB, {name}", len(texts) / cpu[name], "/CPU s"))
    if "float32" in models:
        rows.append(row("int8 is faster than float32 by", cpu["float32"] / cpu["int8"], "times (CPU)"))
        both = (np.concatenate(vectors["int8"]) * np.concatenate(vectors["float32"])).sum(axis=1)
        rows.append(row("cosine of int8 to float32, mean", float(both.mean()), ""))
        rows.append(row("cosine of int8 to float32, least", float(both.min()), ""))
    return rows


def latency(model: OnnxEmbedder, texts: list[str]) -> list[dict[str, object]]:
    """Questions of about a dozen words."""
    taken = []
    for text in texts[:100]:
        question = " ".join(text.split()[:12])
        began = time.perf_counter()
        model.query(question)
        taken.append((time.perf_counter() - began) * 1000)
    return [
        row("one question, p50", statistics.median(taken), "ms"),
        row("one question, p95", statistics.quantiles(taken, n=20)[-1], "ms"),
    ]


def cold(texts: list[str]) -> list[dict[str, object]]:
    """The best of three fresh processes."""
    runs = []
    for _ in range(3):
        command = [sys.executable, "-c", COLD]
        done = subprocess.run(command, input=json.dumps(texts[:60]), capture_output=True, text=True, check=True)
        runs.append(json.loads(done.stdout))
    return [
        row("cold: import numpy, onnxruntime, tokenizers", min(run["import"] for run in runs), "s"),
        row("cold: tokenizer, session and first question", min(run["load"] for run in runs), "s"),
        row("peak resident memory after 60 passages", max(run["peak_mb"] for run in runs), "MB"),
    ]


def stsb(model: OnnxEmbedder, path: Path) -> float:
    """Spearman's rank correlation between cosines and people's scores, ties at their mean rank."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as stream:
        pairs = [json.loads(line) for line in stream]
    left = np.asarray(model.passages([pair["a"] for pair in pairs]))
    right = np.asarray(model.passages([pair["b"] for pair in pairs]))
    scores = np.array([pair["score"] for pair in pairs], float)
    return float(np.corrcoef(ranks((left * right).sum(axis=1)), ranks(scores))[0, 1])


def ranks(values: np.ndarray) -> np.ndarray:
    """Mean ranks: equal values share the mean of the places they take."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[inverse]


if __name__ == "__main__":
    main()
