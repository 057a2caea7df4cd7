"""An extractor is kept in: no network, no file outside its scratch, no program, bounded time, memory and answer (B74).

The extractors here are hostile plug-ins of a distribution of their own; each is really started in its child.
"""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import Iterator

import pytest
from support import media

from memoranda.extract import run
from memoranda.extract.fences import Limits
from memoranda.model.errors import Invalid, MemorandaError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all fences")

HOSTILE = """
import os, socket, subprocess, time
from pathlib import Path
from memoranda.model.evidence import Extract, Segment
from memoranda.model.fragment import Extent

class Hostile:
    stamp = "hostile 1"
    def claims(self, head, guess):
        return "x-test/hostile" if head.startswith(b"HOSTILE ") else ""
    def cut(self, path, media_type, fragment, scratch):
        raise NotImplementedError
    def extract(self, path, media_type, scratch):
        what, _, value = path.read_text().removeprefix("HOSTILE ").partition(" ")
        said = getattr(self, what)(value, scratch)
        return Extract(self.stamp, media_type, Extent(), (Segment(str(said)),))
    def connect(self, port, scratch):
        socket.create_connection(("127.0.0.1", int(port)), 2).sendall(b"taken")
    def datagram(self, port, scratch):
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"taken", ("127.0.0.1", int(port)))
    def local(self, path, scratch):
        socket.socket(socket.AF_UNIX).connect(path)
    def write(self, path, scratch):
        Path(path).write_text("taken")
    def append(self, path, scratch):
        with open(path, "a") as file: file.write("taken")
    def remove(self, path, scratch):
        os.unlink(path)
    def link(self, path, scratch):
        os.symlink(path, scratch / "out"); (scratch / "out").write_text("taken")
    def read(self, path, scratch):
        return Path(path).read_text()
    def program(self, value, scratch):
        return subprocess.run(["/bin/sh", "-c", "echo taken"], capture_output=True).stdout
    def kill(self, pid, scratch):
        os.kill(int(pid), 9)
    def memory(self, value, scratch):
        return len(bytearray(int(value)))
    def disk(self, value, scratch):
        with open(scratch / "big", "wb") as file:
            while True: file.write(bytes(1 << 20))
    def sleep(self, value, scratch):
        time.sleep(60)
    def spin(self, value, scratch):
        while True: pass
    def talk(self, value, scratch):
        return "x" * int(value)
    def crash(self, value, scratch):
        os._exit(11)
    def fail(self, value, scratch):
        raise RuntimeError("the password is hunter2")
    def environment(self, value, scratch):
        return " ".join(sorted(os.environ))
    def own(self, value, scratch):
        (scratch / "note").write_text("mine"); return (scratch / "note").read_text()

def make():
    return Hostile()
"""


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    """Tells the hostile extractor what to do; gives what it managed to say."""
    media.install(tmp_path / "plug", monkeypatch, HOSTILE, extractors={"hostile": "make"})

    def tell(what: str, value: object = "", **limits: float) -> str:
        source = tmp_path / "source"
        source.write_text(f"HOSTILE {what} {value}")
        reader = run.reader_for(source)
        assert reader.media_type == "x-test/hostile"
        bounds = Limits(**{"seconds": 20.0, "memory_bytes": 1 << 30, **limits})  # type: ignore[arg-type]
        extract, fences = run.extract(source, reader, bounds)
        assert "seccomp" in fences
        assert any(fence.startswith("landlock") for fence in fences)
        return extract.segments[0].text

    yield tell
    media.uninstall()


def test_it_may_write_in_its_scratch(told) -> None:  # type: ignore[no-untyped-def]
    assert told("own") == "mine"


@pytest.mark.parametrize("kind", ["connect", "datagram"])
def test_b74_no_network_is_reached(told, kind: str) -> None:  # type: ignore[no-untyped-def]
    style = socket.SOCK_STREAM if kind == "connect" else socket.SOCK_DGRAM
    with socket.socket(socket.AF_INET, style) as listening:
        listening.bind(("127.0.0.1", 0))
        if kind == "connect":
            listening.listen()
        listening.settimeout(0.3)
        with pytest.raises(MemorandaError, match="fence"):
            told(kind, listening.getsockname()[1])
        with pytest.raises(TimeoutError):
            listening.accept() if kind == "connect" else listening.recv(10)


def test_b74_no_socket_of_this_machine_is_reached(told, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(MemorandaError, match="fence"):
        told("local", tmp_path / "agent.sock")


@pytest.mark.parametrize("kind", ["write", "append", "remove", "link"])
def test_b74_nothing_outside_scratch_is_written(told, tmp_path: Path, kind: str) -> None:  # type: ignore[no-untyped-def]
    mine = tmp_path / "mine"
    mine.write_text("as it was")
    target = mine if kind != "write" else tmp_path / "new"
    with pytest.raises(MemorandaError, match="fence"):
        told(kind, target)
    assert mine.read_text() == "as it was"
    assert not (tmp_path / "new").exists()


def test_b74_files_of_the_user_are_not_read(told, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "key").write_text("private")
    with pytest.raises(MemorandaError, match="fence"):
        told("read", tmp_path / "key")


def test_b74_no_program_is_started_and_nobody_is_killed(told) -> None:  # type: ignore[no-untyped-def]
    import os

    with pytest.raises(MemorandaError, match="fence"):
        told("program")
    with pytest.raises(MemorandaError, match="fence"):
        told("kill", os.getpid())


def test_b74_time_is_bounded(told) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(Invalid, match="longer than 1 seconds"):
        told("sleep", seconds=1.0)
    with pytest.raises(Invalid, match="died of it"):
        told("spin", cpu_seconds=1)


def test_b74_memory_and_output_are_bounded(told) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(MemorandaError, match="memory"):
        told("memory", 2 << 30)
    with pytest.raises(Invalid, match="more text than 1 MiB"):
        told("talk", 4 << 20, answer_bytes=1 << 20)
    with pytest.raises(Invalid):
        told("disk", file_bytes=1 << 22)


def test_a_crash_is_named_and_a_failure_quotes_nothing(told) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(Invalid, match="status 11"):
        told("crash")
    with pytest.raises(Invalid, match=r"RuntimeError") as caught:
        told("fail")
    assert "hunter2" not in caught.value.message + caught.value.hint


def test_the_environment_of_the_user_stays_outside(told, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("SERVICE_TOKEN", "value")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example")
    names = set(told("environment").split())
    assert not names & {"SERVICE_TOKEN", "HTTPS_PROXY"}


@pytest.mark.parametrize("answer", ["[]\n", "{}\n", "", "not json\n", '{"ok":1}\n{}'])
def test_an_answer_that_makes_no_sense_is_an_error(answer: str) -> None:
    with pytest.raises(Invalid):
        run._checked(answer.encode(), 0)


@pytest.mark.parametrize("body", ["", "[]", "{}", '{"format":1}', '{"format":1,"extent":[0,0,0,[],0,[]],"stamp":1}'])
def test_an_extract_that_makes_no_sense_is_an_error(body: str) -> None:
    with pytest.raises(Invalid):
        run._parsed(run.parse_extract, body.encode())
