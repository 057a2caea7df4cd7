"""Earlier looks at anchored files: used while nothing they rest on changed, and never a moment longer."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Callable

import pytest
from support.repository import Repository

from memoranda import Memory
from memoranda.anchor import states
from memoranda.memory import looked, outside
from memoranda.memory.looked import Looked, Seen, sure
from memoranda.model.outcome import Stored

CODE = "def capped(count):\n    return min(count, RETRIES)\n"


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    repo = Repository(tmp_path / "shop")
    repo.commit(client=CODE)
    return repo


@pytest.fixture
def anchor(memory: Memory, repo: Repository) -> str:
    outcome = memory.remember("Retries are capped", anchors=[f"{repo.top}/client.py#L1-L2"])
    assert isinstance(outcome, Stored)
    return outcome.record.anchors[0]


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files count as settled at once, as if they had been written long ago."""
    monkeypatch.setattr(looked, "_TICK_NS", -(10**18))


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    read = outside.read_inside
    monkeypatch.setattr(outside, "read_inside", lambda top, path: found.append(path) or read(top, path))
    return found


def look(memory: Memory, anchor: str) -> str:
    (verdict,) = states((anchor,), memory._store.world())
    return verdict.state


def test_a_file_that_is_as_it_was_is_not_read_again_even_by_another_process(
    memory: Memory, open_as: Callable[..., Memory], anchor: str, settled: None, reads: list[str]
) -> None:
    assert look(memory, anchor) == "fresh"
    assert reads == ["client.py"]
    assert look(memory, anchor) == "fresh"
    memory.close()
    assert look(open_as(), anchor) == "fresh"
    assert reads == ["client.py"]


@pytest.mark.parametrize("way", ["longer", "as long, and its time set back", "another file in its place", "deleted"])
def test_a_file_that_changed_in_any_way_is_read_again(memory, repo, anchor, settled, way):
    assert look(memory, anchor) == "fresh"
    file = repo.top / "client.py"
    facts = file.stat()
    if way == "deleted":
        file.unlink()
    elif way == "longer":
        file.write_text(CODE.replace("min", "median"))
    elif way == "another file in its place":
        repo.write("new", CODE.replace("min", "max")).replace(file)
    else:
        file.write_text(CODE.replace("min", "max"))
        os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        assert (file.stat().st_size, file.stat().st_mtime_ns) == (facts.st_size, facts.st_mtime_ns)
    assert look(memory, anchor) == ("gone" if way == "deleted" else "changed")


def test_a_file_that_was_written_a_moment_ago_is_not_taken_to_be_settled(memory, repo, anchor, reads):
    os.utime(repo.top / "client.py", ns=(0, 0))  # the time of change stays, which nobody can set
    assert sure(str(repo.top / "client.py")) == ""
    look(memory, anchor)
    look(memory, anchor)
    assert reads == ["client.py", "client.py"]


def test_what_is_not_fresh_is_asked_again_when_the_checkout_changed_or_somebody_verifies(
    memory, repo, anchor, settled, monkeypatch
):
    asked = []
    lineages = outside.Outside.lineages

    def counted(self, rows, versions=False):
        asked.extend([len(rows)] if not versions else [])
        return lineages(self, rows, versions)

    monkeypatch.setattr(outside.Outside, "lineages", counted)
    repo.write("client.py", CODE.replace("min", "max"))
    assert [look(memory, anchor) for _ in range(3)] == ["changed"] * 3
    assert len(asked) == 1
    memory.verify()
    assert len(asked) == 2
    repo.commit()
    assert look(memory, anchor) == "changed"
    assert len(asked) == 3


def test_a_file_that_moved_is_looked_at_where_it_is_now(memory, repo, anchor, settled, reads):
    repo.git("mv", "client.py", "retry.py")
    repo.commit()
    assert look(memory, anchor) == "moved"
    assert reads == ["client.py", "retry.py"]
    assert look(memory, anchor) == "moved"
    assert reads == ["client.py", "retry.py"]
    repo.write("retry.py", CODE.replace("min", "max"))
    assert look(memory, anchor) == "changed"


def test_another_checkout_that_was_seen_later_is_looked_at_instead(memory, repo, anchor, settled, tmp_path):
    assert look(memory, anchor) == "fresh"
    repo.git("clone", "-q", str(repo.top), str(tmp_path / "clone"))
    clone = Repository(tmp_path / "clone")
    clone.write("client.py", CODE.replace("min", "max"))
    memory.remember("The clone is noted", anchors=[f"{clone.top}/client.py#L1"])
    assert look(memory, anchor) == "changed"


@pytest.mark.parametrize("text", ["", "{", '{"format":0,"looked":{}}', '{"format":1,"looked":{"a":[1]}}', "[]"])
def test_what_cannot_be_understood_is_as_good_as_nothing(tmp_path, text):
    file = tmp_path / "looked.json"
    file.write_text(text)
    assert Looked(file).get("a") is None


def test_it_is_written_when_it_is_closed_and_keeps_the_newest(tmp_path, monkeypatch):
    monkeypatch.setattr(looked, "_MOST", 2)
    file = tmp_path / "cache" / "looked.json"
    mine = Looked(file)
    mine.save()
    assert not file.exists(), "nothing new"
    for name in "abc":
        mine.put(name, Seen("", "/top", name, "1", "", "fresh", "", ""))
    mine.save()
    assert list(json.loads(file.read_text())["looked"]) == ["b", "c"]
    assert file.stat().st_mode & 0o077 == 0
