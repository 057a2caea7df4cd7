"""Converts the checked weights: float32 graph, int8 file, comparison with plain NumPy. Runs in the build environment.

usage: convert.py WEIGHTS TOKENIZER FLOAT_OUT INT8_OUT  (prints one JSON object: the figures of the comparison)
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import graph
import numpy as np
import onnx
import onnxruntime
import reference
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file
from sentences import SENTENCES
from tokenizers import Tokenizer

WINDOW = 256
# The float graph does the same arithmetic in another order; int8 loses what eight bits lose.
FLOAT_COSINE_MIN = 0.99999
INT8_COSINE_MEAN = 0.98
INT8_COSINE_MIN = 0.95


def main() -> None:
    weights_path, tokenizer_path, float_out, int8_out = map(Path, sys.argv[1:5])
    weights = load_file(weights_path)
    onnx.save(graph.build(weights, graph.Shape()), float_out)
    quantise(float_out, int8_out)
    texts = _ids(tokenizer_path)
    expected = [reference.encode(weights, ids) for ids in texts]
    plain, small = _cosines(float_out, texts, expected), _cosines(int8_out, texts, expected)
    figures = {
        "sentences": len(texts),
        "float_cosine_min": round(float(plain.min()), 6),
        "int8_cosine_mean": round(float(small.mean()), 6),
        "int8_cosine_min": round(float(small.min()), 6),
    }
    if plain.min() < FLOAT_COSINE_MIN or small.mean() < INT8_COSINE_MEAN or small.min() < INT8_COSINE_MIN:
        sys.exit(f"the converted model does not compute what the weights say: {figures}")
    print(json.dumps(figures))


def quantise(source: Path, target: Path) -> None:
    """Weights to int8, one scale a channel, activations quantised as they come.

    `reduce_range` keeps weights at seven bits: processors without VNNI add pairs of products in sixteen bits, and
    eight-bit weights would saturate there. The fused operators have no shape inference, hence the default type.
    """
    quantize_dynamic(
        source,
        target,
        weight_type=QuantType.QInt8,
        per_channel=True,
        reduce_range=True,
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
    )


def _ids(path: Path) -> list[list[int]]:
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.enable_truncation(WINDOW)
    return [tokenizer.encode(text).ids for text in SENTENCES]


def _cosines(model: Path, texts: list[list[int]], expected: list[np.ndarray]) -> np.ndarray:
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    rows = [session.run(None, {"input_ids": np.array([ids], np.int64)})[0][0] for ids in texts]
    return np.array([row @ want for row, want in zip(rows, expected, strict=True)])


if __name__ == "__main__":
    main()
