"""The runtime that embeds reports its use to its maker unless told not to. It is told not to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memoranda.builtin import minilm

CODE = """
from memoranda.builtin.minilm import make
make().query("what leaves this machine?")
import os, onnxruntime
print(os.environ["ORT_DISABLE_TELEMETRY"])
"""


def test_a21_embedding_queues_nothing_for_anybody(tmp_path: Path) -> None:
    """Its queue lies in the home folder, so a new home shows whether there is one."""
    if not (minilm.FOLDER / "model.onnx").exists():
        pytest.skip("no model here: make model")
    variables = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", CODE], env=variables, capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.strip() == "1"
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []
