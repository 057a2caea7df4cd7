"""The plug-in folder, checked and installed by Claude Code itself, and run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clients.recipes import ROOT, fetch

CLAUDE = fetch.program("claude")
pytestmark = [
    pytest.mark.clients,
    pytest.mark.skipif(CLAUDE is None, reason="claude is not fetched: make clients"),
]


def test_claude_code_finds_the_plugin_sound_installs_it_and_runs_it(desk):
    here = desk("claude")
    path = os.pathsep.join([str(Path(sys.executable).parent), here.user.variables["PATH"]])

    def claude(*words):
        done = subprocess.run(
            [str(CLAUDE), *words], env={**here.user.variables, "PATH": path}, cwd=here.folder,
            capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "memoranda hook claude Stop" in claude("plugin", "validate", str(ROOT / "plugins" / "claude-code"))
    claude("plugin", "marketplace", "add", str(ROOT / "plugins"))
    claude("plugin", "install", "memoranda@memoranda")
    heard = here.ask(MEMORANDA_HOOK_HEADLESS="1", PATH=path)
    assert "vermilion" in heard
    assert "memoranda__recall" in heard
