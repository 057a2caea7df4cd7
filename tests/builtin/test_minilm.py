"""The default embedder on the real model (`make model` puts it there), and what happens when it is not there."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from memoranda.builtin import minilm
from memoranda.builtin.onnx_embedder import OnnxEmbedder
from memoranda.model.errors import Corrupt, Unavailable

STORE = "We moved the session store from Redis to Postgres because the eviction policy lost logins."
TEXTS = (STORE, "ok", "", "def f(x): return x + 1", "数据库迁移失败了。", "long " * 400)


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return minilm.make()


def rows(view: memoryview) -> np.ndarray:
    return np.asarray(view)


def test_passages_are_unit_rows_of_float32(embedder: OnnxEmbedder) -> None:
    view = embedder.passages(TEXTS)
    assert (view.format, view.shape, view.c_contiguous) == ("f", (len(TEXTS), 384), True)
    assert np.allclose(np.linalg.norm(rows(view), axis=1), 1, atol=1e-6)
    assert embedder.query("where are sessions kept?").shape == (384,)
    assert embedder.passages(()).shape == (0, 384)


def test_a_text_has_the_same_bytes_in_any_company(embedder: OnnxEmbedder) -> None:
    together = rows(embedder.passages(TEXTS))
    backwards = rows(embedder.passages(TEXTS[::-1]))[::-1]
    alone = np.stack([rows(embedder.passages([text]))[0] for text in TEXTS])
    asked = np.stack([rows(embedder.query(text)) for text in TEXTS])
    again = rows(minilm.make().passages(TEXTS))
    for other in (backwards, alone, asked, again):
        assert other.tobytes() == together.tobytes()


def test_one_embedder_serves_several_threads(embedder: OnnxEmbedder) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(lambda _: bytes(embedder.passages(TEXTS).cast("B")), range(8)))
    assert len(found) == 1


# Cosines of the published float weights, computed by tools/model/reference.py. Pooling, masking or tokenising wrongly
# moves them by tenths; eight bits move them by hundredths.
@pytest.mark.parametrize(
    ("left", "right", "cosine"),
    [
        (STORE, "Which database did we choose for the session store?", 0.3152),
        (STORE, "The cat sat on the warm windowsill.", 0.0325),
        ("A man is playing a guitar.", "Someone plays an instrument.", 0.6674),
        ("TypeError: cannot unpack NoneType", "the loader crashed on a missing value", 0.2006),
        ("deploys never run on Fridays", "no releases at the end of the week", 0.4575),
    ],
)
def test_cosines_are_those_of_the_published_weights(
    embedder: OnnxEmbedder, left: str, right: str, cosine: float
) -> None:
    a, b = rows(embedder.passages([left, right]))
    assert a @ b == pytest.approx(cosine, abs=0.04)


def test_text_beyond_256_tokens_is_cut(embedder: OnnxEmbedder) -> None:
    inside = rows(embedder.passages(["the " * 253 + "cat", "the " * 253 + "dog"]))
    beyond = rows(embedder.passages(["the " * 254 + "cat", "the " * 254 + "dog"]))
    assert not np.array_equal(*inside)
    assert np.array_equal(*beyond)


@pytest.mark.parametrize("text", ["\ud800 lone", "\x00", "\n\t ", "x" * 1_000_000, " " * 1_000_000 + "end", "é" * 300])
def test_odd_text_still_gets_a_unit_vector(embedder: OnnxEmbedder, text: str) -> None:
    assert np.linalg.norm(rows(embedder.query(text))) == pytest.approx(1, abs=1e-6)


def test_a14_the_stamp_names_the_model_and_the_hash_of_its_file(embedder: OnnxEmbedder) -> None:
    digest = hashlib.sha256((minilm.FOLDER / "model.onnx").read_bytes()).hexdigest()
    assert embedder.stamp == f"all-MiniLM-L6-v2/int8/{digest[:12]}"
    assert embedder.dims == 384


@pytest.mark.parametrize("name", ["model.json", "model.onnx", "tokenizer.json"])
def test_a_missing_file_says_what_to_do(tmp_path: Path, name: str) -> None:
    folder = shutil.copytree(minilm.FOLDER, tmp_path / "model")
    (folder / name).unlink()
    with pytest.raises(Unavailable, match=name) as caught:
        minilm.make(folder)
    assert "make model" in caught.value.hint
    assert "pip install" in caught.value.hint


@pytest.mark.parametrize("card", ["", "[]", "{}", '{"name": 1}'])
def test_an_unreadable_card_says_what_to_do(tmp_path: Path, card: str) -> None:
    folder = shutil.copytree(minilm.FOLDER, tmp_path / "model")
    (folder / "model.json").write_text(card)
    with pytest.raises(Unavailable, match=r"model\.json"):
        minilm.make(folder)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_damaged_file_is_corrupt(tmp_path: Path, name: str) -> None:
    folder = shutil.copytree(minilm.FOLDER, tmp_path / "model")
    path = folder / name
    path.write_bytes(path.read_bytes()[:10_000])
    with pytest.raises(Corrupt, match="cannot be loaded"):
        minilm.make(folder).query("anything")


def test_another_width_than_the_card_says_is_corrupt(tmp_path: Path) -> None:
    folder = shutil.copytree(minilm.FOLDER, tmp_path / "model")
    card = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps(card | {"dims": 383}))
    with pytest.raises(Corrupt, match="383"):
        minilm.make(folder).query("anything")


def test_a_stamp_costs_no_library() -> None:
    code = (
        "import sys; from memoranda.builtin import minilm; e = minilm.make(); assert e.stamp and e.dims;"
        "print(*{'numpy', 'onnxruntime', 'tokenizers'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "\n"


def test_a12_embedding_works_without_any_network_interface() -> None:
    alone = ["unshare", "--map-root-user", "--net"]
    if not shutil.which("unshare") or subprocess.run([*alone, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this system does not let a process drop its network")
    code = "from memoranda.builtin import minilm; print(minilm.make().query('alone').shape[0])"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    command = [*alone, sys.executable, "-c", code]
    result = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    assert (result.stdout, result.stderr) == ("384\n", "")
