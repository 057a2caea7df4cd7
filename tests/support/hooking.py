"""A user's home with a memory in it, and hooks run as an agent runs them: a process, JSON on its standard input."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping

from memoranda import Memory
from memoranda.memory.settings import load
from memoranda.model.outcome import Stored
from support.doors import PERSON

#: Much longer than any hook may take, and shorter than a test may hang.
PATIENCE = 20


@dataclass(frozen=True)
class User:
    """A home folder. `variables` is the whole environment of what runs there."""

    home: Path
    variables: Mapping[str, str]

    def memory(self) -> Memory:
        return Memory.init(settings=load(self.variables), door=PERSON)

    def keep_in_core(self, text: str) -> str:
        """The id of a record that is in core from now on."""
        with self.memory() as memory:
            outcome = memory.remember(text, durability="durable")
            assert isinstance(outcome, Stored)
            return memory.promote(outcome.record.id, core=True).id

    def start(self, *words: str, more: Mapping[str, str] | None = None, **streams: Any) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "memoranda.views.cli", "hook", *words]
        env = {**self.variables, **(more or {})}
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        return subprocess.Popen(command, env=env, cwd=self.home, **{**pipes, **streams})

    def hook(self, *words: str, data: Mapping[str, Any] | bytes = b"", more: Mapping[str, str] | None = None) -> str:
        """What the model would get: the text in the answer, "" for none. Asserts that the hook was quiet otherwise."""
        child = self.start(*words, more=more)
        given = data if isinstance(data, bytes) else json.dumps(data).encode()
        out, err = child.communicate(given, PATIENCE)
        assert (child.returncode, err) == (0, b"")
        return heard(out)

    def state(self, name: str) -> Path:
        return self.home / ".local" / "state" / "memoranda" / name

    def log(self) -> str:
        path = self.state("hooks/hooks.log")
        return path.read_text() if path.exists() else ""


def heard(out: bytes) -> str:
    if not out:
        return ""
    answer = json.loads(out)
    inner = answer.get("hookSpecificOutput", answer)
    return str(inner["additionalContext"])


def user(home: Path, cache: Path) -> User:
    """A user whose environment holds nothing of ours but a cache that tests share."""
    home.mkdir(parents=True, exist_ok=True)
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    own = {"HOME": str(home), "MEMORANDA_CACHE": str(cache), "MEMORANDA_EMBEDDER": "", "PYTHONDONTWRITEBYTECODE": "1"}
    return User(home, {**kept, **own})


def until(true: Any, seconds: float = PATIENCE) -> None:
    """Wait for something that another process does."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def at_terminal(user: User, *words: str, typed: str = "", more: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Exit code and output of a command on a terminal of its own, at which `typed` is typed before it asks (\\x04
    ends the input)."""
    pid, terminal = pty.fork()
    if pid == 0:
        env = {**user.variables, "TERM": "xterm", "NO_COLOR": "1", "PYTHONUTF8": "1", **(more or {})}
        os.chdir(user.home)
        os.execve(sys.executable, [sys.executable, "-m", "memoranda.views.cli", *words], env)
    os.write(terminal, typed.encode())
    output, end = b"", time.monotonic() + 60
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                data = os.read(terminal, 65536)
            except OSError:  # the other side is gone
                break
            output += data
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), output.decode("utf-8", "replace")
