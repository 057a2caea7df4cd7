"""Memories to publish, an S3 server of our own, and a wire that can be cut."""

from __future__ import annotations

import json
import logging
import select
import socket
import threading
import urllib.request
import uuid
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Callable, Iterator

from memoranda import Memory
from memoranda.model.settings import Settings
from memoranda.model.values import replace
from support.memories import shared_cache


def private(settings: Settings, folder: Path) -> Settings:
    """These settings with a cache of their own, which shares with other tests only what no test can tell apart."""
    cache = folder / "cache"
    cache.mkdir(parents=True)
    for entry in shared_cache().iterdir():
        if entry.name != "shared":
            (cache / entry.name).symlink_to(entry)
    return replace(settings, cache=cache)


def another(settings: Settings, folder: Path) -> Settings:
    """The settings of another machine: another home, state and cache, the same variables."""
    home = folder / "user"
    home.mkdir(parents=True)
    return replace(private(settings, folder), home=home / ".memoranda", state=home / "state", user_home=home)


def say(memory: Memory, folder: Path, session: str, *texts: str, first: int = 0) -> None:
    """Capture turns of a session, a turn a text."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            "format": 1, "session": session, "turn": f"{session}-{n}", "ts": f"2026-07-02T16:{n % 60:02d}:00Z",
            "role": "user", "harness": "mine", "cwd": "/home/someone/shop",
            "blocks": [{"type": "text", "text": text}],
        }
        for n, text in enumerate(texts, first)
    ]  # fmt: skip
    path = folder / f"{session}-{first}-{uuid.uuid4().hex[:6]}.turns.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    memory.capture([path], embed_seconds=0)


@contextmanager
def s3() -> Iterator[dict[str, str]]:
    """An S3 server; the variables with which it is reached, and BUCKET, which is new and empty."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        variables = {
            "AWS_ENDPOINT_URL": f"http://{host}:{port}",
            "AWS_ACCESS_KEY_ID": "here",
            "AWS_SECRET_ACCESS_KEY": "there",
            "AWS_REGION": "us-east-1",
        }
        yield variables
    finally:
        server.stop()


def bucket(variables: dict[str, str]) -> str:
    """A new bucket's address."""
    name = f"b{uuid.uuid4().hex[:20]}"
    request = urllib.request.Request(f"{variables['AWS_ENDPOINT_URL']}/{name}", method="PUT")
    request.add_header("Authorization", "AWS4-HMAC-SHA256 Credential=here/20260101/us-east-1/s3/aws4_request")
    urllib.request.urlopen(request).read()
    return f"s3://{name}/memory"


class Wire:
    """A wire to a server that counts requests and can be cut: before the n-th request reaches it, or after."""

    def __init__(self, address: str) -> None:
        host, _, port = address.removeprefix("http://").partition(":")
        self._server = (host, int(port))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.requests: list[str] = []
        self.cut_at: int | None = None
        self.cut_after = False
        self.on_cut: Callable[[], None] = lambda: None
        self._lock = threading.Lock()
        self._open = True
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._open = False
        self._listener.close()

    def start_counting(
        self, cut_at: int | None = None, after: bool = False, on_cut: Callable[[], None] = lambda: None
    ) -> None:
        """Whole again; from now on requests count from 1."""
        with self._lock:
            self.requests, self.cut_at, self.cut_after, self.on_cut = [], cut_at, after, on_cut

    def _accept(self) -> None:
        while self._open:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        """One connection: every request is seen, since the client sends none before it has the last one's answer."""
        with client, suppress(OSError), socket.create_connection(self._server) as server:
            asking, dead_after = True, False
            while True:
                ready, _, _ = select.select([client, server], [], [])
                if client in ready:
                    data = client.recv(1 << 16)
                    if not data:
                        return
                    if asking and _begins(data):
                        asking = False
                        before, dead_after = self._seen(data)
                        if before:
                            return
                    server.sendall(data)
                if server in ready:
                    data = server.recv(1 << 16)
                    if not data or dead_after:
                        return
                    asking = True
                    client.sendall(data)

    def _seen(self, data: bytes) -> tuple[bool, bool]:
        """Whether this request is cut before it arrives, and whether its answer is."""
        with self._lock:
            self.requests.append(data.split(b"\r\n", 1)[0].decode("latin-1"))
            number = len(self.requests)
            dead = self.cut_at is not None and number >= self.cut_at
            first = number == self.cut_at
            if first:
                self.on_cut()
            return dead and not (self.cut_after and first), dead


def _begins(data: bytes) -> bool:
    return data.split(b" ", 1)[0] in (b"GET", b"PUT", b"POST", b"HEAD", b"DELETE")


def files(root: Path) -> dict[str, bytes]:
    """Every record and turns file below a memory."""
    found = {}
    for folder in ("core", "records", "turns"):
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.name != ".keep":
                found[path.relative_to(root).as_posix()] = path.read_bytes()
    return found
