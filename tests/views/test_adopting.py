"""The command adopt: a person sees each file and answers; anything else is an import and asks nothing."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

CACHE = Path(os.environ.get("TMPDIR", "/tmp")) / f"memoranda-tests-{os.getuid()}"
COMMAND = [sys.executable, "-m", "memoranda.views.cli"]


def variables(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TMPDIR")}
    own = {"HOME": str(home), "MEMORANDA_CACHE": str(CACHE), "MEMORANDA_EMBEDDER": "", "TERM": "xterm"}
    return {**kept, **own, "PYTHONUTF8": "1", "NO_COLOR": "1"}


def run(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *words], env=variables(home), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )


def at_terminal(home: Path, *words: str, answer: str) -> tuple[int, str]:
    """Runs a command on a terminal of its own and answers every question."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(sys.executable, [*COMMAND, *words], variables(home))
    output, asked, deadline = b"", 0, time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        output += data
        if output.count(b"[y/N]") > asked:
            asked += 1
            os.write(terminal, answer.encode() + b"\n")
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), output.decode()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    assert run(home, "init").returncode == 0
    (home / ".memoranda" / "records" / "idea.md").write_text("Retries are capped at five, decided with the team.\n")
    return home


def test_b3_a_person_sees_the_text_says_yes_and_it_is_theirs(home: Path) -> None:
    code, shown = at_terminal(home, "adopt", answer="y")
    assert code == 0, shown
    assert "Retries are capped at five" in shown
    assert "direct_session" in shown
    assert "nothing to adopt" in at_terminal(home, "adopt", answer="y")[1]


def test_b3_no_leaves_the_file_where_it_is(home: Path) -> None:
    code, shown = at_terminal(home, "adopt", answer="")
    assert code == 0
    assert "nothing was adopted" in shown
    assert (home / ".memoranda" / "records" / "idea.md").exists()


def test_b3_without_a_terminal_it_is_an_import_and_a_dry_run_changes_nothing(home: Path) -> None:
    looked = run(home, "adopt", "--dry-run")
    assert "Retries are capped at five" in looked.stdout
    assert (home / ".memoranda" / "records" / "idea.md").exists()
    done = run(home, "--json", "adopt")
    assert done.returncode == 0, done.stderr
    assert '"channel":"import"' in done.stdout
    assert not (home / ".memoranda" / "records" / "idea.md").exists()


def test_diff_blame_and_history_as_of_at_the_command_line(home: Path) -> None:
    import json

    run(home, "adopt")
    id = json.loads(run(home, "--json", "diff", "--since", "1d").stdout)["data"]["learnt"][0]["id"]
    assert "learnt" in run(home, "diff", "2000-01-01").stdout
    assert run(home, "diff", "2000-01-01", "2000-01-02").returncode == 1
    assert run(home, "diff").returncode == 2
    assert "through import" in run(home, "blame", id).stdout
    assert run(home, "history", id, "--as-of", "2000-01-01").returncode == 3
    assert run(home, "recall", "retries", "--as-of", "no such commit").returncode == 2
