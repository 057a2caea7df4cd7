"""`memoranda serve` twice: the application asked within this process, and the whole of it as a process on a socket."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Callable, Iterator, NamedTuple

import pytest
from support.doors import PERSON

from memoranda import Memory
from memoranda.memory.settings import load
from memoranda.memory.tokens import Tokens, open_tokens
from memoranda.views.http.app import Application
from memoranda.views.serving.desk import Desk

PORT = 7411
SECONDS = 60  # a bound that only a hanging server meets


class Got(NamedTuple):
    """An answer as it came."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body)


class Asker:
    """Asks an application without a socket: what a server would hand it, byte for byte."""

    def __init__(self, application: Application, secret: str) -> None:
        self.application, self.secret = application, secret
        self.loop = asyncio.new_event_loop()
        self.loop.run_until_complete(self._start())

    async def _start(self) -> None:
        self.application.start()

    def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: dict[str, str] | list[tuple[str, str]] | None = None,
        peer: str = "127.0.0.1",
        token: str | None = None,
    ) -> Got:
        """`headers` are added to those of a well-behaved client, or with a list stand in their place."""
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        if not isinstance(headers, list):
            usual = {"host": f"127.0.0.1:{PORT}", "authorization": f"Bearer {self.secret if token is None else token}"}
            if method == "POST":
                usual |= {"content-type": "application/json", "content-length": str(len(data))}
            headers = list((usual | (headers or {})).items())
        return self.loop.run_until_complete(self._asked(method, path, data, headers, peer))

    async def _asked(self, method: str, path: str, data: bytes, headers: list[tuple[str, str]], peer: str) -> Got:
        from urllib.parse import unquote

        raw, _, query = path.partition("?")
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
            "path": unquote(raw), "raw_path": raw.encode(), "query_string": query.encode(), "root_path": "",
            "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers],
            "client": (peer, 50_000), "server": ("127.0.0.1", PORT),
        }  # fmt: skip
        sent: list[Any] = []
        given = iter([{"type": "http.request", "body": data, "more_body": False}])

        async def receive() -> Any:
            for message in given:
                return message
            await asyncio.sleep(SECONDS)
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        await self.application.asgi(scope, receive, send)
        start = sent[0]
        shown = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
        return Got(start["status"], shown, b"".join(m.get("body", b"") for m in sent[1:]))

    def close(self) -> None:
        self.application.stopping()
        self.application.stop()
        self.loop.close()


def environ_of(home: Path) -> dict[str, str]:
    home.mkdir()
    cache = Path(tempfile.gettempdir()) / f"memoranda-tests-{os.getuid()}"
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    own = {"HOME": str(home), "MEMORANDA_CACHE": str(cache), "MEMORANDA_EMBEDDER": "", "GIT_CONFIG_GLOBAL": "/dev/null"}
    return {**kept, **own}


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return environ_of(tmp_path / "home")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The folder the server is started in."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def memory(environ: dict[str, str]) -> Iterator[Memory]:
    """The personal memory, through a person's door."""
    with Memory.init(settings=load(environ), door=PERSON) as memory:
        yield memory


@pytest.fixture
def tokens(environ: dict[str, str]) -> Tokens:
    return open_tokens(load(environ))


@pytest.fixture
def build(environ: dict[str, str], work: Path) -> Iterator[Callable[..., Asker]]:
    """An application of its own making, asked in this process."""
    made: list[Asker] = []

    def builder(name: str = "", make: Callable[[], Desk] | None = None, **more: Any) -> Asker:
        known = open_tokens(load(environ))
        chosen = next((token for token in known.known if name in ("", token.name)), None)
        assert chosen is not None
        application = Application(make or (lambda: Desk(environ, work)), known, PORT, **more)
        made.append(Asker(application, chosen.file.read_text().strip()))
        return made[-1]

    yield builder
    for asker in made:
        asker.close()


@pytest.fixture
def ask(build: Callable[..., Asker], memory: Memory) -> Asker:
    """The application over a memory that is there."""
    return build()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    """One for a whole file, over a memory with a single record: for tests that change nothing."""
    folder = tmp_path_factory.mktemp("shared")
    environ = environ_of(folder / "home")
    with Memory.init(settings=load(environ), door=PERSON) as memory:
        memory.remember("Retries are capped at 5")
    known = open_tokens(load(environ))
    asker = Asker(Application(lambda: Desk(environ, folder), known, PORT), known.known[0].file.read_text().strip())
    yield asker
    asker.close()


class Served:
    """`memoranda serve` as a process. `port` is where it listens."""

    def __init__(self, environ: dict[str, str], cwd: Path, *words: str) -> None:
        self.environ, self.cwd = environ, cwd
        self.process = subprocess.Popen(
            [sys.executable, "-m", "memoranda.views.cli", *words, "serve", "--port", "0"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ, cwd=cwd,
        )  # fmt: skip
        assert self.process.stdout
        self.url = self.process.stdout.readline().decode().strip()
        if not self.url:
            assert self.process.stderr
            raise AssertionError(self.process.stderr.read().decode())
        self.port = int(self.url.rpartition(":")[2])
        self.secret = next(load(environ).state.joinpath("tokens").iterdir()).read_text().strip()

    def connection(self) -> HTTPConnection:
        return HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Got:
        connection = self.connection()
        usual = {"Authorization": f"Bearer {self.secret}"}
        if body is not None:
            usual["Content-Type"] = "application/json"
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection.request(method, path, data, usual | headers)
        reply = connection.getresponse()
        got = Got(reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read())
        connection.close()
        return got

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(SECONDS)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            assert stream
            stream.close()


@pytest.fixture
def serve(environ: dict[str, str], work: Path) -> Iterator[Callable[..., Served]]:
    started: list[Served] = []

    def starter(*words: str, cwd: Path = work, **more: str) -> Served:
        started.append(Served({**environ, **more}, cwd, *words))
        return started[-1]

    yield starter
    for one in started:
        one.close()
