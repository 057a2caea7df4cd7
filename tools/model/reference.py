"""The same encoder in plain NumPy: the yardstick every converted file is held against.

It shares no code with `graph.py`: what one gets wrong the other shows.
"""

from __future__ import annotations

import math
from typing import Mapping, Sequence

import numpy as np

Weights = Mapping[str, np.ndarray]

_erf = np.frompyfunc(math.erf, 1, 1)


def encode(
    weights: Mapping[str, np.ndarray], ids: Sequence[int], heads: int = 12, epsilon: float = 1e-12
) -> np.ndarray:
    """The unit vector of one text, float32 (width,), from its token ids."""
    tables = [weights[f"embeddings.{kind}_embeddings.weight"] for kind in ("word", "position", "token_type")]
    hidden = tables[0][list(ids)] + tables[1][: len(ids)] + tables[2][0]
    hidden = _norm(weights, "embeddings.LayerNorm", hidden, epsilon)
    number = 0
    while f"encoder.layer.{number}.output.dense.weight" in weights:
        name = f"encoder.layer.{number}"
        context = _attend(weights, f"{name}.attention.self", hidden, heads)
        out = _linear(weights, f"{name}.attention.output.dense", context)
        hidden = _norm(weights, f"{name}.attention.output.LayerNorm", hidden + out, epsilon)
        inner = _gelu(_linear(weights, f"{name}.intermediate.dense", hidden))
        out = _linear(weights, f"{name}.output.dense", inner)
        hidden = _norm(weights, f"{name}.output.LayerNorm", hidden + out, epsilon)
        number += 1
    mean = hidden.mean(axis=0)
    return (mean / np.linalg.norm(mean)).astype(np.float32)


def _linear(weights: Weights, name: str, value: np.ndarray) -> np.ndarray:
    return value @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def _norm(weights: Weights, name: str, value: np.ndarray, epsilon: float) -> np.ndarray:
    centred = value - value.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + epsilon)
    return centred / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def _gelu(value: np.ndarray) -> np.ndarray:
    return value * 0.5 * (1 + _erf(value / math.sqrt(2)).astype(np.float32))


def _attend(weights: Weights, name: str, hidden: np.ndarray, heads: int) -> np.ndarray:
    tokens, width = hidden.shape

    def split(part: str) -> np.ndarray:
        """(heads, tokens, width / heads)"""
        return _linear(weights, f"{name}.{part}", hidden).reshape(tokens, heads, -1).transpose(1, 0, 2)

    query, key, value = split("query"), split("key"), split("value")
    scores = query @ key.transpose(0, 2, 1) / math.sqrt(width // heads)
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    scores /= scores.sum(axis=-1, keepdims=True)
    return (scores @ value).transpose(1, 0, 2).reshape(tokens, width)
