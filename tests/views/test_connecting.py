"""connect and disconnect, as a person and as a program run them."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from support.hooking import User, at_terminal, user

SETTINGS = (
    '{\n  // my own\n  "hooks": {\n    "Stop": [{"hooks": [{"type": "command", "command": "mine"}]}] // kept\n  },\n}\n'
)
CONFIG = 'model = "x" # mine\n\n[mcp_servers.other]\ncommand = "y"\n'


@pytest.fixture
def home(tmp_path) -> User:
    found = user(tmp_path / "user", Path(tempfile.gettempdir()) / f"memoranda-tests-{os.getuid()}")
    (found.home / ".claude").mkdir()
    (found.home / ".codex").mkdir()
    (found.home / ".claude/settings.json").write_text(SETTINGS)
    (found.home / ".codex/config.toml").write_text(CONFIG)
    os.chmod(found.home / ".codex/config.toml", 0o600)
    folder = found.home / ".claude/projects/-code"
    folder.mkdir(parents=True)
    line = {"type": "user", "uuid": "u1", "parentUuid": None, "sessionId": "s", "cwd": "/code"}
    line |= {"timestamp": "2026-07-01T00:00:00Z", "message": {"role": "user", "content": "is zanzibar an island?"}}
    (folder / "11111111-2222-3333-4444-555555555555.jsonl").write_text(json.dumps(line) + "\n")
    return found


def files(home: User) -> dict[str, str]:
    """Every file of the agents with its hash and mode, ours apart."""
    return {
        str(path.relative_to(home.home)): f"{hashlib.sha256(path.read_bytes()).hexdigest()} {path.stat().st_mode:o}"
        for path in sorted(home.home.rglob("*"))
        if path.is_file() and not {".memoranda", ".local", ".cache"} & set(path.relative_to(home.home).parts)
    }


def run(home: User, *words: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "memoranda.views.cli", *words],
        env=dict(home.variables), cwd=home.home, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def test_a45_one_command_captures_wires_and_a_second_run_changes_nothing(home):
    code, shown = at_terminal(home, "connect", typed="\n\n\n\n")
    assert code == 0, shown
    assert "Claude Code, 3 files" in shown
    assert "Codex, 3 files" in shown
    assert "npm install -g @anthropic-ai/claude-code" in shown
    hooks = (home.home / ".claude/settings.json").read_text()
    assert "hook claude SessionStart --core" in hooks
    assert "--recall" not in hooks
    assert "// my own" in hooks
    assert "mcpServers" in (home.home / ".claude.json").read_text()
    with home.memory() as memory:
        assert "zanzibar" in memory.recall("zanzibar", lexical=True).said[0].text
    assert "connected   claude (core rules), codex (core rules)" in run(home, "status")[1]
    after = files(home)
    code, shown = at_terminal(home, "connect", typed="\n\n\n\n")
    assert code == 0
    assert files(home) == after
    assert "unchanged" in shown


@pytest.mark.parametrize("typed", ["\x04", "y\n\x04", "\n\n\n\x04", "\n\n\nn\n"])
def test_a46_ending_the_input_or_saying_no_changes_nothing(home, typed):
    before = files(home)
    code, shown = at_terminal(home, "connect", typed=typed)
    assert code == 0, shown
    assert "nothing was changed" in shown
    assert files(home) == before
    assert not (home.home / ".memoranda").exists()
    assert not home.state("agents.json").exists()


def test_each_thing_that_goes_before_a_model_is_asked_for_with_its_cost(home):
    code, shown = at_terminal(home, "connect", "claude", typed="n\ny\nn\ny\n")
    assert code == 0, shown
    assert "1,500 tokens a session" in shown
    assert "400 tokens a prompt" in shown
    hooks = (home.home / ".claude/settings.json").read_text()
    assert "--core" not in hooks
    assert "SessionStart" not in hooks
    assert "hook claude UserPromptSubmit --recall" in hooks
    assert not (home.home / ".claude/rules").exists()
    after = files(home)
    assert at_terminal(home, "connect", "claude", typed="\n\n\n\n")[0] == 0
    assert files(home) == after


def test_a47_what_was_there_comes_back_to_the_byte_with_hooks_of_the_user_kept(home):
    before = files(home)
    assert run(home, "connect", "--yes", "--no-capture")[0] == 0
    assert run(home, "connect", "--yes", "--no-capture", "--recall")[0] == 0
    assert "--core --recall" in (home.home / ".claude/settings.json").read_text()
    assert files(home) != before
    code, out, _ = run(home, "disconnect")
    assert code == 0, out
    assert files(home) == before
    assert run(home, "disconnect")[:2] == (0, "no agent is connected\n")


def test_a47_what_the_user_added_meanwhile_stays_and_only_ours_goes(home):
    run(home, "connect", "claude", "codex", "--yes", "--no-capture")
    state = json.loads((home.home / ".claude.json").read_text())
    state["numStartups"] = 3
    (home.home / ".claude.json").write_text(json.dumps(state))  # as the agent prints it
    with (home.home / ".codex/config.toml").open("a") as file:
        file.write("\n[mine]\nx = 1\n")
    assert run(home, "disconnect")[0] == 0
    assert json.loads((home.home / ".claude.json").read_text()) == {"numStartups": 3}
    assert (home.home / ".codex/config.toml").read_text() == CONFIG + "\n[mine]\nx = 1\n"


def test_a_dry_run_shows_the_change_and_makes_none_and_no_line_of_the_users(home):
    (home.home / ".claude/settings.json").write_text('{\n  "apiKey": "do-not-show"\n}\n')
    before = files(home)
    for more in ((), ("--json",)):
        code, out, _ = run(home, "connect", "claude", "--dry-run", *more)
        assert code == 0
        assert "do-not-show" not in out
    assert '+      "command"' in run(home, "connect", "claude", "--dry-run")[1]
    assert files(home) == before
    assert not home.state("agents.json").exists()
    assert not (home.home / ".memoranda").exists()


def test_where_nobody_can_be_asked_nothing_is_changed(home):
    before = files(home)
    code, _, error = run(home, "connect")
    assert code == 2
    assert "--yes" in error
    assert files(home) == before


def test_a_file_that_cannot_be_understood_is_left_and_told_what_to_add(home):
    (home.home / ".claude/settings.json").write_text("{ broken")
    code, out, _ = run(home, "connect", "claude", "--yes", "--no-capture")
    assert code == 1
    assert "add this by hand" in out
    assert (home.home / ".claude/settings.json").read_text() == "{ broken"
    assert "mcpServers" in (home.home / ".claude.json").read_text()


def test_an_entry_of_the_users_own_under_our_name_is_theirs(home):
    own = '{"mcpServers": {"memoranda": {"command": "/mine"}}}'
    (home.home / ".claude.json").write_text(own)
    code, out, _ = run(home, "connect", "claude", "--yes", "--no-capture")
    assert code == 1
    assert "something else stands" in out
    run(home, "disconnect")
    assert (home.home / ".claude.json").read_text() == own


def test_a_link_stays_a_link_and_a_mode_stays_a_mode(home):
    target = home.home / "dotfiles.json"
    (home.home / ".claude/settings.json").rename(target)
    os.chmod(target, 0o640)
    (home.home / ".claude/settings.json").symlink_to(target)
    run(home, "connect", "claude", "--yes", "--no-capture")
    assert (home.home / ".claude/settings.json").is_symlink()
    assert "hook claude" in target.read_text()
    assert target.stat().st_mode & 0o777 == 0o640
    run(home, "disconnect")
    assert target.read_text() == SETTINGS


def test_a_ledger_that_is_damaged_is_not_guessed_from(home):
    run(home, "connect", "claude", "--yes", "--no-capture")
    after = files(home)
    home.state("agents.json").write_text("{")
    assert run(home, "disconnect")[0] == 7
    assert run(home, "connect", "claude", "--yes")[0] == 7
    assert files(home) == after


def test_agents_nobody_knows_and_no_agent_at_all(tmp_path, home):
    assert run(home, "connect", "nobody", "--yes")[0] == 2
    assert run(home, "disconnect", "claude")[0] == 3
    bare = user(tmp_path / "bare", Path(tempfile.gettempdir()) / "unused")
    bare = User(bare.home, {**bare.variables, "PATH": "/usr/bin:/bin"})
    assert run(bare, "connect", "--yes")[0] == 3
