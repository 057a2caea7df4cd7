"""An agent's own program, wired to a memory, in a home of its own."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from contextlib import suppress
from pathlib import Path
from typing import Callable, Iterator, NamedTuple

import pytest
from support.hooking import User

from clients.fake_model import FakeModel
from clients.recipes import RECIPES, environment, fetch

CORE = "The vermilion rule: never force-push to main"
RECORD = "The staging cluster is called zanzibar since the move"
PROMPT = "please tell me what the quokka cluster is called"
QUESTION = "staging cluster called"
#: How long a session may take from the last request to the hook at its end.
SETTLE_SECONDS = 20


class Desk(NamedTuple):
    """One agent, wired, in a home of its own with a memory."""

    agent: str
    user: User
    folder: Path
    model: FakeModel

    def connect(self, *more: str) -> None:
        words = [sys.executable, "-m", "memoranda.views.cli", "connect", self.agent, "--yes", "--no-capture", *more]
        done = subprocess.run(words, env=dict(self.user.variables), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    def ask(self, *words: str, prompt: str = PROMPT, **more: str) -> str:
        """One run that prints an answer; the text of everything the model was sent meanwhile."""
        self.model.requests.clear()
        command = [str(fetch.program(self.agent)), *words, *RECIPES[self.agent].words(prompt)]
        done = subprocess.run(
            command, env={**self.user.variables, **more}, cwd=self.folder, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert self.model.requests, (
            f"{done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}\n{self.user.log()}"
        )
        return self.model.heard

    def sit(self, seen: Callable[[str], bool], seconds: float = 60) -> str:
        """A session with a person: on a terminal, with a prompt at its start, ended when `seen` is true of what the
        model was sent. What stood on the terminal comes back when it never is."""
        self.model.requests.clear()
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            words = [str(fetch.program(self.agent)), *RECIPES[self.agent].person(PROMPT)]
            os.execve(words[0], words, dict(self.user.variables))
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        shown, end = b"", time.monotonic() + seconds
        settling = False
        try:
            while time.monotonic() < end and not (seen(self.model.heard) and "turns in" in self.user.log()):
                if seen(self.model.heard) and not settling:
                    settling, end = True, time.monotonic() + SETTLE_SECONDS
                if select.select([terminal], [], [], 0.2)[0]:
                    try:
                        shown += os.read(terminal, 65536)
                    except OSError:
                        break
                    if b"\x1b[6n" in shown[-200:]:  # it asks where the cursor is, as terminals can say
                        os.write(terminal, b"\x1b[1;1R")
            return "" if seen(self.model.heard) else shown.decode("utf-8", "replace")[-6000:]
        finally:
            for number in (signal.SIGTERM, signal.SIGKILL):
                with suppress(OSError):
                    os.killpg(pid, number)
                time.sleep(0.3)
            os.waitpid(pid, 0)
            os.close(terminal)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Callable[[str], Desk]]:
    models = []

    def at(agent: str) -> Desk:
        model = FakeModel(QUESTION)
        models.append(model)
        home, folder = tmp_path / "home", tmp_path / "code"
        home.mkdir()
        folder.mkdir()
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
        RECIPES[agent].prepare(home, folder, model.url)
        cache = Path(tempfile.gettempdir()) / f"memoranda-tests-{os.getuid()}"
        user = User(home, environment(agent, home, model.url, cache))
        user.keep_in_core(CORE)
        with user.memory() as memory:
            memory.remember(RECORD, durability="durable")
        return Desk(agent, user, folder, model)

    yield at
    for model in models:
        model.close()
    _end_daemons(tmp_path)


def _end_daemons(home: Path) -> None:
    """Cline leaves a process behind. It is known by our folder in its environment."""
    for place in Path("/proc").glob("[0-9]*"):
        try:
            there = f"HOME={home}/" in (place / "environ").read_bytes().decode("utf-8", "replace")
            if there and int(place.name) != os.getpid():
                os.kill(int(place.name), signal.SIGTERM)
        except OSError:
            continue
