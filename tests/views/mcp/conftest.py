"""A home of its own, and `memoranda mcp` in it as a client starts it: a process, bytes on two pipes."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

from memoranda import Memory
from memoranda.memory.settings import load
from memoranda.model.record import Channel, Door
from memoranda.views.mcp.eras import CAPABILITIES_KEY, CLIENT_KEY, VERSION_KEY

PERSON = Door(Channel.DIRECT_SESSION, "owner", "test")
META = {VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: {}, CLIENT_KEY: {"name": "Test Client", "version": "1"}}
SECONDS = 30  # a bound that only a hanging server meets


class Client:
    """Speaks line by line. `notes` are the messages without an id."""

    def __init__(self, environ: dict[str, str], cwd: Path, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "memoranda.views.cli", *words, "mcp"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ, cwd=cwd,
        )  # fmt: skip
        self.notes: list[Any] = []
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._id = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def send(self, frame: bytes | dict[str, Any] | list[Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(frame if isinstance(frame, bytes) else json.dumps(frame).encode() + b"\n")
        self.process.stdin.flush()

    def line(self) -> bytes:
        return self._lines.get(timeout=SECONDS)

    def receive(self) -> Any:
        line = self.line()
        assert line, "the server closed its end"
        return json.loads(line)

    def answer(self, id: Any) -> Any:
        """The reply with that id; what comes before it without one goes to `notes`."""
        while True:
            message = self.receive()
            if isinstance(message, dict) and message.get("id") == id and "method" not in message:
                return message
            self.notes.append(message)

    def ask(self, method: str, modern: bool = True, **params: Any) -> Any:
        self._id += 1
        params = {**params, "_meta": META} if modern else params
        self.send({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        return self.answer(self._id)

    def hello(self, version: str = "2025-11-25") -> Any:
        info = {"name": "Old Client", "version": "1"}
        reply = self.ask("initialize", False, protocolVersion=version, capabilities={}, clientInfo=info)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return reply

    def call(self, name: str, modern: bool = True, **arguments: Any) -> tuple[str, bool]:
        """The text of a tool's result, and whether it says that nothing was done."""
        reply = self.ask("tools/call", modern, name=name, arguments=arguments)
        result = reply["result"]
        return result["content"][0]["text"], result["isError"]

    def note(self, method: str) -> Any:
        """The next notification of that method."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            for message in self.notes:
                if message.get("method") == method:
                    self.notes.remove(message)
                    return message
            self.notes.append(self.receive())
        raise AssertionError(method)

    def close(self) -> tuple[int, bytes]:
        """Close our end; the exit code and what is left on stdout."""
        assert self.process.stdin
        self.process.stdin.close()
        rest = b""
        while line := self.line():
            rest += line
        return self.process.wait(SECONDS), rest


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    home = tmp_path / "home"
    home.mkdir()
    cache = Path(tempfile.gettempdir()) / f"memoranda-tests-{os.getuid()}"
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    own = {"HOME": str(home), "MEMORANDA_CACHE": str(cache), "MEMORANDA_EMBEDDER": "", "GIT_CONFIG_GLOBAL": "/dev/null"}
    return {**kept, **own}


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The folder an agent works in."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def memory(environ: dict[str, str]) -> Iterator[Memory]:
    """The personal memory, through a person's door."""
    with Memory.init(settings=load(environ), door=PERSON) as memory:
        yield memory


@pytest.fixture
def start(environ: dict[str, str], work: Path) -> Iterator[Callable[..., Client]]:
    clients: list[Client] = []

    def starter(*words: str, cwd: Path = work, **more: str) -> Client:
        clients.append(Client({**environ, **more}, cwd, *words))
        return clients[-1]

    yield starter
    for client in clients:
        client.process.kill()
        client.process.wait()
        for stream in (client.process.stdin, client.process.stdout, client.process.stderr):
            assert stream
            with suppress(BrokenPipeError):
                stream.close()


@pytest.fixture
def client(start: Callable[..., Client]) -> Client:
    return start()
