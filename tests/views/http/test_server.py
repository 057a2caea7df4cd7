"""`memoranda serve` as a process: sockets, signals, connections that misbehave."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

from memoranda import Memory

pytest.importorskip("uvicorn", reason="the extra serve is not installed")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_answers_and_stops_in_order(number: int, serve: Callable[..., Any], memory: Memory) -> None:
    served = serve()
    kept = served("POST", "/v1/records", {"text": "Retries are capped at 5"})
    assert (kept.status, kept.document["outcome"]) == (200, "stored")
    found = served("GET", "/v1/recall?text=retries")
    assert [hit["record"]["body"] for hit in found.document["data"]["concluded"]] == ["Retries are capped at 5"]
    health = {"status": "ok", "reads": True, "writes": True, "only_read": False, "reasons": []}
    assert served("GET", "/health").document == health
    assert served.stop(number) == 0
    assert served.process.stdout.read() == b""


def test_only_loopback_is_bound_under_both_of_its_names(serve: Callable[..., Any], memory: Memory) -> None:
    served = serve()
    listing = subprocess.run(["cat", "/proc/net/tcp", "/proc/net/tcp6"], capture_output=True, text=True, check=False)
    if listing.returncode:
        pytest.skip("the kernel's list of sockets cannot be read here")
    port = f":{served.port:04X}"
    local = {line.split()[1] for line in listing.stdout.splitlines() if line.split()[1].endswith(port)}
    bound = {address.partition(":")[0] for address in local}
    assert bound <= {"0100007F", "00000000000000000000000001000000"}
    assert "0100007F" in bound


def test_a_port_that_is_taken_is_named_and_nothing_is_served(
    serve: Callable[..., Any], memory: Memory, environ: dict[str, str], work: Path
) -> None:
    served = serve()
    words = [sys.executable, "-m", "memoranda.views.cli", "serve", "--port", str(served.port)]
    done = subprocess.run(words, capture_output=True, env=environ, cwd=work, timeout=60, check=False)
    assert done.returncode == 5
    assert b"is taken" in done.stderr
    assert done.stdout == b""


def test_without_the_extra_the_command_that_adds_it_is_named(
    environ: dict[str, str], work: Path, tmp_path: Path
) -> None:
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "uvicorn.py").write_text("raise ImportError('gone', name='uvicorn')\n")
    words = [sys.executable, "-m", "memoranda.views.cli", "serve"]
    bare = {**environ, "PYTHONPATH": str(tmp_path / "bare")}
    done = subprocess.run(words, capture_output=True, env=bare, cwd=work, timeout=60, check=False)
    assert done.returncode == 6
    assert b"needs uvicorn" in done.stderr
    assert b'pip install "memoranda[serve]"' in done.stderr


def test_what_is_no_http_or_has_too_long_a_head_is_turned_away(serve: Callable[..., Any], memory: Memory) -> None:
    served = serve()
    for sent in (b"\x16\x03\x01\x02\x00\x01\r\n\r\n", b"GET / HTTP/1.1\r\nX: " + b"a" * (20 << 10) + b"\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", served.port), timeout=60) as raw:
            raw.sendall(sent)
            assert raw.recv(64)[:12] in (b"HTTP/1.1 400", b"")
    assert served("GET", "/health").status == 200


@pytest.fixture
def bounded(environ: dict[str, str], work: Path) -> Iterator[Callable[..., int]]:
    """Starts a server with other limits; gives its port."""
    script = Path(__file__).parents[2] / "support" / "open_server.py"
    started: list[subprocess.Popen[str]] = []

    def starter(**limits: float) -> int:
        words = [sys.executable, str(script), str(work), *(f"{name}={value}" for name, value in limits.items())]
        started.append(subprocess.Popen(words, stdout=subprocess.PIPE, env=environ, text=True))
        assert started[-1].stdout
        return int(started[-1].stdout.readline().rpartition(":")[2])

    yield starter
    for process in started:
        process.kill()
        process.communicate()


def received(raw: socket.socket) -> bytes:
    """All that comes until the other end closes."""
    return b"".join(iter(lambda: raw.recv(1 << 16), b""))


@pytest.mark.parametrize(
    "sent", [b"", b"GET /health HTTP/1.1\r\nHost: x\r\n", b"G"], ids=["nothing", "half a head", "a byte"]
)
def test_who_does_not_say_what_they_want_is_hung_up_on(
    sent: bytes, bounded: Callable[..., int], memory: Memory
) -> None:
    port = bounded(header_seconds=0.3)
    with socket.create_connection(("127.0.0.1", port), timeout=60) as raw:
        raw.sendall(sent)
        assert received(raw) == b""


def test_a_body_that_does_not_come_is_told_so_and_hung_up_on(bounded: Callable[..., int], memory: Memory) -> None:
    port = bounded(body_seconds=0.3)
    head = f"POST /v1/records HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=60) as raw:
        raw.sendall(head.encode() + b"Content-Length: 100\r\n\r\n{")
        got = received(raw)
    assert got.startswith(b"HTTP/1.1 408")
    assert b"too_slow" in got


def test_a_connection_too_many_is_told_to_come_later(bounded: Callable[..., int], memory: Memory) -> None:
    port = bounded(connections=2)
    connections = [HTTPConnection("127.0.0.1", port, timeout=60) for _ in range(3)]

    def status(connection: HTTPConnection) -> int:
        connection.request("GET", "/health")
        reply = connection.getresponse()
        reply.read()
        return reply.status

    first, second, third = connections
    assert [status(first), status(second), status(third), status(first)] == [200, 200, 429, 200]
    for connection in connections:
        connection.close()


def test_health_is_bad_where_there_is_no_memory_and_says_why_to_who_is_known(serve: Callable[..., Any]) -> None:
    served = serve()
    got = served("GET", "/health")
    assert (got.status, got.document["status"], got.document["reads"]) == (503, "degraded", False)
    assert "memory" in got.document["reasons"][0]
    connection = served.connection()
    connection.request("GET", "/health")
    reply = connection.getresponse()
    assert (reply.status, b"reasons" in reply.read()) == (503, False)
    connection.close()
    assert served("GET", "/v1/status").status == 404


def test_a_request_that_is_under_way_is_answered_before_it_stops(serve: Callable[..., Any], memory: Memory) -> None:
    served = serve()
    connection = served.connection()
    connection.putrequest("POST", "/v1/records")
    for name, value in (("Authorization", f"Bearer {served.secret}"), ("Content-Type", "application/json")):
        connection.putheader(name, value)
    connection.putheader("Content-Length", "2")
    connection.endheaders(b"{")
    assert served("GET", "/health").status == 200  # so the head of the other has been read
    served.process.send_signal(signal.SIGTERM)
    connection.send(b"}")
    reply = connection.getresponse()
    assert reply.status in (400, 503)
    assert b'"ok":false' in reply.read()
    connection.close()
    assert served.process.wait(60) == 0
