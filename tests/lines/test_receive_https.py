"""Receiving over the network: a server on this machine speaks git's own protocol behind a certificate of its own."""

from __future__ import annotations

import http.server
import os
import shutil
import ssl
import subprocess
import threading
from dataclasses import replace
from pathlib import Path
from typing import Iterator

import pytest
from support.doors import PERSON
from support.teams import Teammate, record, ssh_key

from memoranda import Memory
from memoranda.model.errors import Unavailable
from memoranda.model.grant import Deed, Grant
from memoranda.model.settings import Settings

pytestmark = pytest.mark.skipif(
    not (shutil.which("openssl") and shutil.which("git")), reason="needs openssl for a certificate"
)


class Git(http.server.BaseHTTPRequestHandler):
    """git's own CGI program, for one folder of repositories."""

    repositories: Path

    def do_GET(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        self._serve(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def _serve(self, body: bytes) -> None:
        path, _, query = self.path.partition("?")
        if path.startswith("/moved/"):
            self.send_response(302)
            self.send_header("Location", "http://127.0.0.1:9/")
            self.end_headers()
            return
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.repositories),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REMOTE_ADDR": "127.0.0.1",
        }
        done = subprocess.run(["git", "http-backend"], input=body, env=environment, capture_output=True, check=False)
        head, _, answer = done.stdout.partition(b"\r\n\r\n")
        lines = [line.split(": ", 1) for line in head.decode().splitlines()]
        status = next((int(value.split()[0]) for name, value in lines if name == "Status"), 200)
        self.send_response(status)
        for name, value in lines:
            if name != "Status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Its address and the certificate to trust."""
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"]
    words += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", str(key)]
    subprocess.run([*words, "-out", str(certificate)], check=True, capture_output=True)
    handler = type("Here", (Git,), {"repositories": tmp_path / "served"})
    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    httpd.socket = context.wrap_socket(httpd.socket, server_side=True)
    thread = threading.Thread(target=httpd.serve_forever)
    thread.start()
    yield f"https://localhost:{httpd.server_address[1]}", certificate
    httpd.shutdown()
    thread.join()
    httpd.server_close()


def test_c26_over_https_with_and_without_history_and_never_past_the_certificate(
    settings: Settings, server: tuple[str, Path], tmp_path: Path
) -> None:
    address, certificate = server
    key, public = ssh_key(tmp_path / "keys", "alice")
    mate = Teammate(tmp_path / "served" / "shop")
    mate.says(record("The cart is documented at docs/cart.md")).commits()
    signed = record("The till is documented at docs/till.md")
    mate.says(signed).signed_by(key)
    trusting = {**settings.variables, "GIT_SSL_CAINFO": str(certificate)}
    with Memory.init(settings=settings, door=PERSON) as memory, pytest.raises(Unavailable) as caught:
        memory.receive(f"{address}/shop/.git")
    assert "certificate" in caught.value.message
    with Memory.open(settings=replace(settings, variables=trusting), door=PERSON) as memory:
        receipt = memory.receive(f"{address}/shop/.git")
        assert receipt.count("stored") == 2
        assert receipt.remote == f"{address.removeprefix('https://')}/shop"
        for path in ("nothing/.git", "moved/.git"):
            with pytest.raises(Unavailable):
                memory.receive(f"{address}/{path}")
    own = replace(
        settings, variables=trusting, grants=(Grant("alice", (Deed.WRITE,), keys=(public,)),), home=tmp_path / "second"
    )
    with Memory.init(tmp_path / "second", settings=own, door=PERSON) as memory:
        receipt = memory.receive(f"{address}/shop/.git")
        assert {one.id: one.principal for one in receipt.arrived}[signed.id] == "alice"
