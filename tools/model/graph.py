"""Writes a BERT sentence encoder as an ONNX graph, from its weights alone.

In: `input_ids`, int64 (1, tokens). Out: `sentence_embedding`, float32 (1, width): the mean over all tokens, of unit
length.

The batch is fixed at one on purpose. One text at a time knows no padding, so the graph needs no attention mask, and the
dynamic quantisation of its activations sees one text only: the same text gives the same bytes in any company.
Attention, BiasGelu and SkipLayerNormalization are the runtime's fused operators (domain com.microsoft).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 20  # the first with a standard Gelu; every runtime since 2024 knows it
IR_VERSION = 9
FUSED = "com.microsoft"


@dataclass(frozen=True)
class Shape:
    """What the weights alone do not say. Width and depth are read from them."""

    heads: int = 12
    epsilon: float = 1e-12


@dataclass
class _Graph:
    weights: Mapping[str, np.ndarray]
    shape: Shape
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: list[onnx.TensorProto] = field(default_factory=list)

    def constant(self, name: str, value: np.ndarray) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def weight(self, name: str) -> str:
        return self.constant(name, self.weights[name].astype(np.float32))

    def kernel(self, name: str) -> str:
        """A linear layer's matrix, turned to (in, out)."""
        return self.constant(name, self.weights[name].astype(np.float32).T)

    def node(self, kind: str, inputs: list[str], output: str, domain: str = "", **attributes: object) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, domain=domain, **attributes))
        return output


def build(weights: Mapping[str, np.ndarray], shape: Shape) -> onnx.ModelProto:
    """The float32 model. Raises KeyError when a weight is missing."""
    graph = _Graph(weights, shape)
    width = weights["embeddings.word_embeddings.weight"].shape[1]
    hidden = _embed(graph)
    for number in range(depth(weights)):
        hidden = _layer(graph, hidden, number)
    _pool(graph, hidden)
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])
    out = helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, [1, width])
    body = helper.make_graph(graph.nodes, "sentence_encoder", [ids], [out], graph.constants)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(FUSED, 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=IR_VERSION)


def depth(weights: Mapping[str, np.ndarray]) -> int:
    """The number of layers: one more than the highest in the names."""
    return 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))


def _embed(graph: _Graph) -> str:
    """Word + position + type embeddings, normalised. There is one type only, so its row is folded into positions."""
    positions = (
        graph.weights["embeddings.position_embeddings.weight"]
        + (graph.weights["embeddings.token_type_embeddings.weight"][0])
    )
    words = graph.node("Gather", [graph.weight("embeddings.word_embeddings.weight"), "input_ids"], "words")
    graph.node("Shape", ["input_ids"], "length", start=1, end=2)
    zero = graph.constant("zero", np.array([0], np.int64))
    table = graph.constant("positions.weight", positions.astype(np.float32))
    graph.node("Slice", [table, zero, "length", zero], "positions")
    graph.node("Add", [words, "positions"], "embedded")
    norm = "embeddings.LayerNorm"
    parts = ["embedded", graph.weight(f"{norm}.weight"), graph.weight(f"{norm}.bias")]
    return graph.node("LayerNormalization", parts, "embedded.norm", axis=-1, epsilon=graph.shape.epsilon)


def _layer(graph: _Graph, hidden: str, number: int) -> str:
    name = f"encoder.layer.{number}"
    attended = _attend(graph, hidden, f"{name}.attention")
    middle = _add_and_norm(graph, attended, hidden, f"{name}.attention.output")
    inner = graph.node("MatMul", [middle, graph.kernel(f"{name}.intermediate.dense.weight")], f"{name}.inner")
    bias = graph.weight(f"{name}.intermediate.dense.bias")
    active = graph.node("BiasGelu", [inner, bias], f"{name}.active", domain=FUSED)
    return _add_and_norm(graph, active, middle, f"{name}.output")


def _attend(graph: _Graph, hidden: str, name: str) -> str:
    """Self-attention over all tokens; the fused operator wants query, key and value side by side."""
    parts = [f"{name}.self.{part}" for part in ("query", "key", "value")]
    kernel = np.concatenate([graph.weights[f"{part}.weight"].T for part in parts], axis=1).astype(np.float32)
    bias = np.concatenate([graph.weights[f"{part}.bias"] for part in parts]).astype(np.float32)
    inputs = [hidden, graph.constant(f"{name}.kernel", kernel), graph.constant(f"{name}.bias", bias)]
    return graph.node("Attention", inputs, f"{name}.context", domain=FUSED, num_heads=graph.shape.heads)


def _add_and_norm(graph: _Graph, value: str, residual: str, name: str) -> str:
    """LayerNorm(value x dense + bias + residual)."""
    projected = graph.node("MatMul", [value, graph.kernel(f"{name}.dense.weight")], f"{name}.projected")
    scale, shift = graph.weight(f"{name}.LayerNorm.weight"), graph.weight(f"{name}.LayerNorm.bias")
    inputs = [projected, residual, scale, shift, graph.weight(f"{name}.dense.bias")]
    kind = "SkipLayerNormalization"
    return graph.node(kind, inputs, f"{name}.norm", domain=FUSED, epsilon=graph.shape.epsilon)


def _pool(graph: _Graph, hidden: str) -> str:
    axis = graph.constant("token_axis", np.array([1], np.int64))
    mean = graph.node("ReduceMean", [hidden, axis], "mean", keepdims=0)
    return graph.node("LpNormalization", [mean], "sentence_embedding", axis=-1, p=2)
