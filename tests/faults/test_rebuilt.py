"""The index thrown away, in another place and by another user: the same answers to the last bit."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from faults.kill import in_child
from faults.scene import Scene
from faults.test_disks import root_only
from support.sentences import clean_notes

from memoranda.memory import Memory
from memoranda.model.values import replace

NOBODY = 65534
EMBEDDER = "minilm"
HISTORIES = Path(__file__).parents[1] / "fixtures/transcripts/claude/sessions"


@pytest.fixture
def places() -> Iterator[Path]:
    """Not below pytest's own folder, which only its owner may enter."""
    path = Path(tempfile.mkdtemp(prefix="memoranda-rebuilt-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


def answers(memory: Memory, queries: list[str], say: Callable[[str], None]) -> None:
    """A line a question: every hit in its order, with its score to the last bit."""
    for query in queries:
        found = memory.recall(query, limit=10, budget_tokens=100_000, weak=True)
        assert found.index.current
        say(
            repr(
                [
                    *((hit.record.id, hit.score.hex(), hit.states) for hit in found.concluded),
                    *((hit.harness, hit.session, hit.seq, hit.score.hex()) for hit in found.said),
                ]
            )
        )


def elsewhere(scene: Scene, queries: list[str], say: Callable[[str], None]) -> None:
    """As another user, who has a home and a cache of their own."""
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    settings = replace(scene.settings(embedder=EMBEDDER), cache=scene.base / "cache")
    with Memory.open(settings=settings, door=None) as memory:
        memory.reindex()
        memory.embed()
        index = memory.status().index
        say(f"{index.model} {index.unembedded}")
        answers(memory, queries, say)


@root_only
@pytest.mark.parametrize("number", [60, pytest.param(500, marks=pytest.mark.slow)])
def test_c3_rebuilt_elsewhere_by_another_user_it_answers_the_same(places: Path, number: int) -> None:
    here, there = Scene(places / "one"), Scene(places / "another" / "deeper")
    projects = here.base / ".claude" / "projects" / "-w-app"
    projects.mkdir(parents=True)
    for path in HISTORIES.glob("*.jsonl"):
        shutil.copy(path, projects)
    source = random.Random(3)
    words = sorted({word for note in clean_notes(200) for word in note.split() if word.isalpha()})
    queries = [" ".join(source.choices(words, k=source.randint(1, 4))) for _ in range(number)]
    before: list[str] = []
    with here.init(commit=False, embedder=EMBEDDER) as memory:
        for note in clean_notes(40):
            memory.remember(note)
        memory.capture(harness="claude", embed_seconds=60)
        model = memory.status().index.model
        assert model
        assert memory.status().index.unembedded == 0
        answers(memory, queries, before.append)
    shutil.copytree(here.root, there.root)
    shutil.rmtree(there.root / ".index")
    for path in (there.base, *there.base.rglob("*")):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    said = in_child(lambda say: elsewhere(there, queries, say))
    assert said == [f"{model} 0", *before]
    assert len({line for line in before if line != "[]"}) > number / 2, "questions that find something"
