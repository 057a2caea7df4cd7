"""Both lines in a process without any network interface, and with nothing on its path but git."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.memories import shared_cache

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
    cache = str(shared_cache())  # compiled rules: made once for all tests
    return {
        "HOME": str(tmp_path),
        "PATH": str(tools),
        "LANG": os.environ.get("LANG", "C.UTF-8"),
        "MEMORANDA_CACHE": cache,
    }


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


SNIFFED = """
import sys
asked = []
sys.addaudithook(lambda name, values: asked.append(name) if name.startswith("socket.") else None)
from pathlib import Path
from memoranda import Memory
from memoranda.memory.settings import load
from memoranda.model.record import Channel, Door
import os
with Memory.init(settings=load(os.environ), door=Door(Channel.DIRECT_SESSION, "owner", "test")) as memory:
    memory.capture([Path(sys.argv[1])], embed_seconds=60)
    memory.remember("Deploys to staging are fine on any weekday")
    memory.reindex()
    said = memory.recall("which file tests how several sessions are handled?").said
    assert memory.get(said[0].locator)
    assert any(signal == "dense" for passage in said for signal, _ in passage.ranks), said
    memory.verify(), memory.status(), memory.check()
print(asked)
"""


def test_a21_nothing_asks_for_a_socket_while_histories_are_indexed_recalled_and_read(tmp_path: Path) -> None:
    """What Python asks of the network goes by its hook, a name to look up included; what native code asks, by strace
    where that is to be had."""
    own = {"HOME": str(tmp_path), "MEMORANDA_HOME": str(tmp_path / "memory"), "MEMORANDA_CACHE": str(shared_cache())}
    variables = {**os.environ, **own}
    command, calls = [sys.executable, "-c", SNIFFED, str(TRANSCRIPT)], tmp_path / "calls"
    tracer = ["strace", "-f", "-qq", "-e", "trace=%network", "-o", str(calls)]
    traced = (
        shutil.which("strace") and not subprocess.run([*tracer, "true"], check=False, capture_output=True).returncode
    )
    done = subprocess.run(
        [*tracer, *command] if traced else command, check=False, capture_output=True, text=True, env=variables
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
    assert not traced or "AF_INET" not in calls.read_text()
