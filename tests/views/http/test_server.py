"""`memoranda serve` as a process: sockets, signals, connections that misbehave."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

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
    assert served("GET", "/health").document == {"status": "ok", "reads": True, "writes": True, "reasons": []}
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
