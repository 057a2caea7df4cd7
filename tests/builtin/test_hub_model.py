"""A model from a hub: a stand-in hub on the loopback serves a tiny model made here; the real client fetches it.

The client reads its environment when imported, so each use of it is a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Iterator

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import BertPreTokenizer

from memoranda.builtin import hub_model
from memoranda.model.errors import Invalid

BGE = "BAAI/bge-small-en-v1.5"
E5 = "intfloat/multilingual-e5-small"
REVISION = "0123456789abcdef0123456789abcdef01234567"
WORDS = ("[UNK]", "query", "passage", ":", "hello", "world", "Represent", "this", "sentence")
TABLE = np.random.default_rng(7).normal(size=(len(WORDS), 384)).astype(np.float32)

SCRIPT = """
import json, sys
from memoranda.builtin import hub_model
from memoranda.model.errors import MemorandaError
model = hub_model.make()
try:
    passage, question = model.passages(["hello world"]), model.query("hello")
    print(json.dumps({"stamp": model.stamp, "passage": passage.tolist()[0], "query": question.tolist()}))
except MemorandaError as error:
    print(json.dumps({"code": error.code, "message": error.message, "hint": error.hint}))
"""


class Hub(ThreadingHTTPServer):
    """Serves `files` of every model at one revision, as a model hub does, and notes what was asked."""

    daemon_threads = True

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = files
        self.asked: set[str] = set()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Hub

    def do_GET(self) -> None:
        self.server.asked.add(self.path)
        _, marker, file = self.path.partition(f"/resolve/{REVISION}/")
        data = self.server.files.get(file) if marker else None
        self.send_response(404 if data is None else 200)
        if data is None:
            self.send_header("X-Error-Code", "EntryNotFound")
        else:
            self.send_header("ETag", f'"{len(data):040x}"')
            self.send_header("X-Repo-Commit", REVISION)
        self.send_header("Content-Length", str(len(data or b"")))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data or b"")

    do_HEAD = do_GET

    def log_message(self, *args: object) -> None:
        pass


def tiny_model() -> bytes:
    """Looks each token up in TABLE: (1, tokens, 384), with the three inputs of a common export."""
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, [1, "tokens"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [1, "tokens", 384])
    nodes = [
        helper.make_node("Add", ["input_ids", "token_type_ids"], ["ids"]),
        helper.make_node("Mul", ["ids", "attention_mask"], ["seen"]),
        helper.make_node("Gather", ["table", "seen"], ["last_hidden_state"]),
    ]
    graph = helper.make_graph(nodes, "tiny", inputs, [output], [numpy_helper.from_array(TABLE, "table")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())


def tiny_tokenizer() -> bytes:
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = BertPreTokenizer()
    return tokenizer.to_str().encode()


def expected(text: str, pooling: str) -> np.ndarray:
    rows = TABLE[[WORDS.index(word) if word in WORDS else 0 for word in text.split()]]
    vector = rows[0] if pooling == "first" else rows.mean(axis=0)
    return vector / np.linalg.norm(vector)


@pytest.fixture
def hub() -> Iterator[Hub]:
    server = Hub({"onnx/model.onnx": tiny_model(), "tokenizer.json": tiny_tokenizer()})
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def use(address: str, name: str, home: Path, **variables: str) -> dict[str, Any]:
    """What a process of its own gets from the hub model `name`."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("HF_")}
    clean |= {hub_model.MODEL: name, hub_model.REVISION: REVISION, "HF_ENDPOINT": address, "HF_HOME": str(home)}
    clean |= {"HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "NO_PROXY": "127.0.0.1", **variables}
    result = subprocess.run([sys.executable, "-c", SCRIPT], check=True, capture_output=True, text=True, env=clean)
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def test_e5_is_fetched_by_commit_and_gets_its_prefixes_and_mean(hub: Hub, tmp_path: Path) -> None:
    answer = use(hub.address, E5, tmp_path)
    assert answer["stamp"] == f"{E5}/onnx/model.onnx@{REVISION[:12]}"
    assert np.allclose(answer["passage"], expected("passage : hello world", "mean"), atol=1e-6)
    assert np.allclose(answer["query"], expected("query : hello", "mean"), atol=1e-6)
    assert hub.asked == {f"/{E5}/resolve/{REVISION}/{file}" for file in hub.files}


def test_bge_takes_the_first_token_and_prefixes_questions_only(hub: Hub, tmp_path: Path) -> None:
    answer = use(hub.address, BGE, tmp_path)
    assert np.allclose(answer["passage"], expected("hello world", "first"), atol=1e-6)
    assert np.allclose(answer["query"], expected("Represent", "first"), atol=1e-6)


def test_once_fetched_it_works_offline(hub: Hub, tmp_path: Path) -> None:
    online = use(hub.address, E5, tmp_path)
    hub.asked.clear()
    assert use(hub.address, E5, tmp_path, HF_HUB_OFFLINE="1") == online
    assert not hub.asked


def test_offline_and_never_fetched_says_so(hub: Hub, tmp_path: Path) -> None:
    answer = use(hub.address, E5, tmp_path, HF_HUB_OFFLINE="1")
    assert answer["code"] == "unavailable"
    assert "online" in str(answer["hint"])
    assert not hub.asked


def test_a_hub_without_the_file_says_which(hub: Hub, tmp_path: Path) -> None:
    del hub.files["tokenizer.json"]
    answer = use(hub.address, E5, tmp_path)
    assert answer["code"] == "unavailable"
    assert "tokenizer.json" in str(answer["message"])


def test_a_file_that_is_no_model_is_corrupt(hub: Hub, tmp_path: Path) -> None:
    hub.files["onnx/model.onnx"] = b"<html>moved</html>"
    assert use(hub.address, E5, tmp_path)["code"] == "corrupt"


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({}, "it is not set"),
        ({hub_model.MODEL: "someone/something", hub_model.REVISION: REVISION}, "someone/something"),
        ({hub_model.MODEL: E5}, "must be a commit"),
        ({hub_model.MODEL: E5, hub_model.REVISION: "main"}, "must be a commit"),
        ({hub_model.MODEL: E5, hub_model.REVISION: REVISION[:12]}, "must be a commit"),
        ({hub_model.MODEL: E5, hub_model.REVISION: REVISION + "\n"}, "must be a commit"),
    ],
)
def test_only_known_models_at_full_commits(variables: dict[str, str], message: str) -> None:
    with pytest.raises(Invalid, match=message):
        hub_model.make(variables)


def test_making_it_fetches_nothing() -> None:
    model = hub_model.make({hub_model.MODEL: BGE, hub_model.REVISION: REVISION})
    assert (model.dims, model.stamp) == (384, f"{BGE}/onnx/model.onnx@{REVISION[:12]}")
