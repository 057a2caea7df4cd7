"""Both lines in a process without any network interface, and with nothing on its path but git."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TRANSCRIPT = Path(__file__).parents[1] / "fixtures" / "transcripts" / "claude" / "sessions" / "session_b.jsonl"
ALONE = ["unshare", "--map-root-user", "--net"]


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    """A home of its own, and a path on which no program of a language model can be found."""
    if not shutil.which("unshare") or subprocess.run([*ALONE, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this system does not let a process drop its network")
    tools = tmp_path / "bin"
    tools.mkdir()
    for program in ("git", "unshare"):
        (tools / program).symlink_to(str(shutil.which(program)))
    return {"HOME": str(tmp_path), "PATH": str(tools), "LANG": os.environ.get("LANG", "C.UTF-8")}


def test_a5_a12_capture_embed_and_recall_need_neither_network_nor_language_model(variables: dict[str, str]) -> None:
    def memoranda(*words: str) -> str:
        command = [*ALONE, sys.executable, "-m", "memoranda.views.cli", *words]
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=variables)
        assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    memoranda("init")
    memoranda("capture", str(TRANSCRIPT))
    memoranda("embed")
    words = "which file tests how several sessions are handled?"
    assert "different session file" in memoranda("recall", words)
    assert '"dense"' in memoranda("recall", words, "--json")
    memoranda("remember", "Deploys to staging are fine on any weekday", "--category", "preference")
    assert "staging" in memoranda("recall", "when may we deploy to staging?")
