"""`ask`: what is handed over, to whom, and what never starts. The agents are small programs that note what they get."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memoranda import Memory
from memoranda.model.settings import Settings

CLAUDE = """#!{python}
import json, os, sys
from pathlib import Path
note = Path({note!r})
note.write_text(json.dumps({{"argv": sys.argv[1:], "stdin": sys.stdin.read(), "cwd": os.listdir("."),
                             "hooks off": os.environ.get("MEMORANDA_HOOK_OFF")}}))
print(json.dumps({{"type": "result", "is_error": {error}, "result": "On any weekday.\\nSessions: mine/s"}}))
sys.exit({code})
"""


class Scene:
    """A home with one memory, and a folder of fake agents as the whole PATH."""

    def __init__(self, settings: Settings, tmp_path: Path) -> None:
        self.home, self.bin, self.note = settings.user_home, tmp_path / "bin", tmp_path / "note.json"
        self.settings = settings
        self.bin.mkdir()

    def agent(self, name: str = "claude", error: bool = False, code: int = 0) -> None:
        path = self.bin / name
        path.write_text(CLAUDE.format(python=sys.executable, note=str(self.note), error=error, code=code))
        path.chmod(0o755)

    def ask(self, *args: str) -> subprocess.CompletedProcess[str]:
        environ = {
            "HOME": str(self.home), "PATH": str(self.bin), "MEMORANDA_HOME": str(self.settings.home),
            "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")),
        }  # fmt: skip
        command = [sys.executable, "-m", "memoranda.views.cli", *args]
        return subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=120)

    @property
    def noted(self) -> dict[str, object]:
        found: dict[str, object] = json.loads(self.note.read_text())
        return found


@pytest.fixture
def scene(memory: Memory, settings: Settings, tmp_path: Path) -> Scene:
    row = {"format": 1, "session": "s", "turn": "t1", "ts": "2026-07-02T16:40:00Z", "role": "user", "harness": "mine",
           "blocks": [{"type": "text", "text": "Staging deploys are fine on any weekday."}]}  # fmt: skip
    other = row | {"turn": "t2", "blocks": [{"type": "text", "text": "The zebra sleeps standing."}]}
    path = tmp_path / "a.turns.jsonl"
    path.write_text(json.dumps(row) + "\n" + json.dumps(other) + "\n")
    memory.capture([path], embed_seconds=0)
    memory.close()
    return Scene(settings, tmp_path)


def test_a29_the_question_and_the_passages_go_in_on_stdin_and_nothing_else(scene: Scene) -> None:
    scene.agent()
    done = scene.ask("ask", "claude", "when are staging deploys fine?")
    assert done.returncode == 0, done.stderr
    assert "On any weekday." in done.stdout
    assert "handed to claude: the question, 0 records and 1 passage of personal memory" in done.stderr
    given = str(scene.noted["stdin"])
    assert "Question: when are staging deploys fine?" in given
    assert "| Staging deploys are fine on any weekday." in given
    assert not any("deploy" in str(word) for word in scene.noted["argv"])  # type: ignore[attr-defined]
    assert scene.noted["cwd"] == []
    assert scene.noted["hooks off"] == "1"  # C17: what it starts does not come back to us


def test_a31_every_tool_is_switched_off(scene: Scene) -> None:
    scene.agent()
    scene.ask("ask", "claude", "when are staging deploys fine?")
    argv = list(scene.noted["argv"])  # type: ignore[call-overload]
    assert argv[argv.index("--tools") + 1] == ""
    assert "--strict-mcp-config" in argv
    assert argv[argv.index("--mcp-config") + 1] == '{"mcpServers":{}}'
    assert argv[argv.index("--setting-sources") + 1] == ""


def test_a30_a_named_memory_that_is_not_there_starts_nothing(scene: Scene, tmp_path: Path) -> None:
    scene.agent()
    done = scene.ask("--memory", str(tmp_path / "nowhere"), "ask", "claude", "when are staging deploys fine?")
    assert done.returncode == 3
    assert not scene.note.exists()


def test_a30_nothing_recalled_starts_nothing(scene: Scene) -> None:
    scene.agent()
    done = scene.ask("ask", "claude", "xylophone")
    assert done.returncode == 3
    assert "nothing was recalled" in done.stderr
    assert not scene.note.exists()


@pytest.mark.parametrize(("error", "code"), [(True, 0), (False, 3)])
def test_a_failing_agent_is_no_answer_and_its_words_are_not_shown(scene: Scene, error: bool, code: int) -> None:
    scene.agent(error=error, code=code)
    done = scene.ask("ask", "claude", "when are staging deploys fine?")
    assert done.returncode == 6
    assert "weekday" not in done.stdout + done.stderr


def test_an_agent_that_is_not_installed_or_not_known(scene: Scene) -> None:
    assert scene.ask("ask", "claude", "staging").returncode == 6
    assert scene.ask("ask", "clippy", "staging").returncode == 2
