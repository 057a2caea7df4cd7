"""Objects as git stores them: the same as git lists them, and nothing is read beyond its bound."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.teams import Teammate

from memoranda.truth.git import GitFailed
from memoranda.truth.objects import Entry, reading


@pytest.fixture
def mate(tmp_path: Path) -> Teammate:
    return Teammate(tmp_path / "shop", below="")


def test_a_tree_reads_as_git_lists_it(mate: Teammate) -> None:
    names = ["a", "a b", "ä", "tab\there", "new\nline", '"quoted"', "-dash", ".hidden", "x" * 200, "emoji-\U0001f600"]
    for name in names:
        mate.put(name, name)
    mate.put("folder/inside", "x")
    (mate.top / "link").symlink_to("a")
    (mate.top / "program").write_text("x")
    (mate.top / "program").chmod(0o755)
    mate.commits()
    listed = subprocess.run(["git", "-C", str(mate.top), "ls-tree", "-z", "HEAD"], capture_output=True, check=True)
    expected = []
    for row in listed.stdout.split(b"\0")[:-1]:
        facts, _, name = row.partition(b"\t")
        mode, _, oid = facts.decode().split()
        expected.append(Entry(mode.lstrip("0"), name, oid))
    with reading(mate.top / ".git") as objects:
        assert objects.tree(mate.git("rev-parse", "HEAD^{tree}")) == expected
        assert {entry.name for entry in expected} >= {name.encode() for name in names}


def test_nothing_is_read_beyond_its_bound_or_as_another_kind(mate: Teammate) -> None:
    mate.put("file", b"\0\n" * 500)
    mate.commits()
    oid = mate.git("rev-parse", "HEAD:file")
    with reading(mate.top / ".git") as objects:
        assert objects.facts(oid) == (oid, "blob", 1000)
        assert objects.read(oid, "blob", 999) is None
        assert objects.read(oid, "tree", 10_000) is None
        assert objects.read(oid, "blob", 1000) == b"\0\n" * 500
        assert objects.read("0" * 40, "blob", 10_000) is None
        assert objects.tree(oid) == []
        for name in ("HEAD", "file", oid[:8], f"{oid}\n{oid}", "--help", ""):
            with pytest.raises(GitFailed):
                objects.facts(name)


def test_git_that_ends_is_said(mate: Teammate) -> None:
    mate.commits()
    oid = mate.git("rev-parse", "HEAD")
    with reading(mate.top / ".git") as objects:
        objects._look.kill()
        objects._look.wait()
        with pytest.raises(GitFailed):
            objects.facts(oid)
